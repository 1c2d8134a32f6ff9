import { useLingui } from "@lingui/react/macro";
import { Ellipsis } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../ui/icon-button.tsx";
import { Menu } from "../ui/menu.tsx";
import { Spinner } from "../ui/spinner.tsx";

type RowActionsProps = {
  /** Names the row in the menu's label, so that each menu of a list has its own name. */
  name: string;
  /** The action outside of the menu. */
  primary: ReactNode;
  /** An action of this row is running. */
  isBusy?: boolean;
  /** The menu items. */
  children: ReactNode;
};

export function RowActions({ name, primary, isBusy = false, children }: RowActionsProps) {
  const { t } = useLingui();
  const label = t`More actions for ${name}`;
  return (
    <span className="inline-flex items-center gap-0.5">
      {primary}
      <Menu
        label={label}
        trigger={
          <IconButton
            size="sm"
            label={label}
            icon={isBusy ? <Spinner /> : <Ellipsis />}
            aria-busy={isBusy}
            tooltip={false}
          />
        }
      >
        {children}
      </Menu>
    </span>
  );
}
