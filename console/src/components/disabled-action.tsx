import type { ReactNode } from "react";
import { Button } from "../ui/button.tsx";
import { Tooltip } from "../ui/menu/tooltip.tsx";

/**
 * A row action that the gateway would refuse. It stays focusable, and its tooltip gives the reason.
 */
export function DisabledAction({ reason, children }: { reason: string; children: ReactNode }) {
  return (
    <Tooltip text={reason}>
      <Button size="sm" variant="ghost" aria-disabled className="text-faint! hover:bg-transparent!">
        {children}
      </Button>
    </Tooltip>
  );
}
