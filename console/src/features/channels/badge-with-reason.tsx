import type { ReactElement } from "react";
import { Tooltip } from "../../ui/menu/tooltip.tsx";

/** A tooltip needs a focusable element. */
export function BadgeWithReason({ badge, why: detail }: { badge: ReactElement; why: string }) {
  if (detail === "") return badge;
  return (
    <Tooltip text={detail}>
      <button type="button" className="relative -my-0.5 flex rounded-full py-0.5">
        {badge}
      </button>
    </Tooltip>
  );
}
