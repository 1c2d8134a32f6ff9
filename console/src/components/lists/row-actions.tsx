import { useLingui } from "@lingui/react/macro";
import { createContext, type ReactNode, use, useEffect, useState } from "react";
import { IconButton } from "../../ui/icon-button.tsx";
import { ellipsis } from "../../ui/line-icon.tsx";
import { ChangeOnly } from "../../ui/may-change.tsx";
import { MenuArea, MenuPanel } from "../../ui/menu/menu.tsx";
import { Spinner } from "../../ui/spinner.tsx";

type RowActionsProps = {
  /** Names the row in the menu's label, so that each menu of a list has its own name. */
  name: string;
  /** The action outside of the menu. */
  primary: ReactNode;
  /**
   * A component with a `RowMenu` and the dialogs of its verbs. It is drawn on the first press: rows
   * are many.
   */
  children: ReactNode;
  /** Loads the code of `children`, if it is not there: called when a press is near. */
  prepare?: () => Promise<unknown>;
};

type RowState = { label: string; setBusy: (isBusy: boolean) => void };
const OpenRow = createContext<RowState>({ label: "", setBusy: () => {} });

export function RowActions({ name, primary, children, prepare }: RowActionsProps) {
  const { t } = useLingui();
  const [isBusy, setBusy] = useState(false);
  const label = t`More actions for ${name}`;
  // A load that fails here is tried again by the press, which tells.
  const onNear = prepare && (() => void prepare().catch(() => {}));
  return (
    <span className="inline-flex items-center gap-0.5">
      {primary}
      <ChangeOnly>
        <MenuArea
          trigger={
            <IconButton
              size="sm"
              label={label}
              icon={isBusy ? <Spinner /> : ellipsis}
              aria-busy={isBusy}
              onPointerEnter={onNear}
              onFocus={onNear}
              tooltip={false}
            />
          }
        >
          <OpenRow value={{ label, setBusy }}>{children}</OpenRow>
        </MenuArea>
      </ChangeOnly>
    </span>
  );
}

type RowMenuProps = {
  /** An action of this row is running. */
  isBusy?: boolean;
  /** The menu items. */
  children: ReactNode;
};

/** The verbs of a row, inside of `RowActions`. */
export function RowMenu({ isBusy = false, children }: RowMenuProps) {
  const { label, setBusy } = use(OpenRow);
  useEffect(() => setBusy(isBusy), [isBusy, setBusy]);
  return <MenuPanel label={label}>{children}</MenuPanel>;
}
