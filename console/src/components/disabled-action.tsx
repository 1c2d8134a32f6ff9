import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Tooltip } from "../ui/tooltip.tsx";

/** In place of a row's verb that the gateway would refuse: it still takes focus, and says why. */
export function DisabledAction({ reason, children }: { reason: string; children: ReactNode }) {
  return (
    <Tooltip text={reason}>
      <Button size="sm" variant="ghost" aria-disabled className="text-faint! hover:bg-transparent!">
        {children}
      </Button>
    </Tooltip>
  );
}
