import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { Bookmark, Columns3Cog, RotateCcw } from "lucide-react";
import { useState } from "react";
import type { TableColumn } from "./data-table-columns.ts";
import { IconButton } from "./icon-button.tsx";
import { KeptViewsDialog } from "./kept-views-dialog.tsx";
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuLine } from "./menu.tsx";
import { MenuCheck } from "./menu-check.tsx";
import { currentView, isColumnShown, searchOfView, toggleColumn } from "./table-choice.ts";
import { useTableChoice } from "./use-table-choice.ts";

type OfferedColumn = Pick<TableColumn<never>, "id" | "label" | "pinned" | "optional">;

type TableChoiceMenuProps = {
  /** Names user and list. */
  owner: string;
  /** Undefined on mobile, where the opened row has all columns. */
  columns: readonly OfferedColumn[] | undefined;
};

/** Which columns a list shows, and the views that the user kept. */
export function TableChoiceMenu({ owner, columns }: TableChoiceMenuProps) {
  const { t, i18n } = useLingui();
  const navigate = useNavigate();
  const search = searchOfView(useSearch({ strict: false }));
  const [choice, choose] = useTableChoice(owner);
  const [isKeeping, setKeeping] = useState(false);
  const { views } = choice;
  const show = (name: string) => {
    const view = views.find((one) => one.name === name);
    if (view === undefined) return;
    choose({ ...choice, columns: view.columns });
    void navigate({ to: ".", search: view.search as never });
  };
  const label = columns === undefined ? t`Views` : t`Columns and views`;
  return (
    <>
      <Menu
        label={label}
        trigger={<IconButton size="sm" label={label} icon={columns === undefined ? <Bookmark /> : <Columns3Cog />} />}
      >
        {views.length > 0 && (
          <>
            <MenuHeading>
              <Trans>Views</Trans>
            </MenuHeading>
            <MenuChoice
              label={t`Views`}
              value={currentView(choice, search)?.name ?? ""}
              onChange={show}
              options={views.map(({ name }) => ({ value: name, label: name }))}
            />
          </>
        )}
        <MenuItem icon={<Bookmark />} onSelect={() => setKeeping(true)}>
          {views.length === 0 ? <Trans>Keep this view...</Trans> : <Trans>Keep or remove views...</Trans>}
        </MenuItem>
        {columns !== undefined && (
          <>
            <MenuLine />
            <MenuHeading>
              <Trans>Columns</Trans>
            </MenuHeading>
            {/* biome-ignore lint/a11y/useSemanticElements: inside a menu the choices are menu items, not form fields */}
            <div role="group" aria-label={t`Columns`}>
              {columns
                .filter(({ pinned }) => pinned !== true)
                .map((column) => (
                  <MenuCheck
                    key={column.id}
                    checked={isColumnShown(column, choice.columns)}
                    onToggle={() => choose({ ...choice, columns: toggleColumn(column, choice.columns) })}
                  >
                    {i18n._(column.label)}
                  </MenuCheck>
                ))}
            </div>
            <MenuLine />
            <MenuItem
              icon={<RotateCcw />}
              disabled={Object.keys(choice.columns).length === 0}
              onSelect={() => choose({ ...choice, columns: {} })}
            >
              <Trans>Reset columns</Trans>
            </MenuItem>
          </>
        )}
      </Menu>
      {isKeeping && (
        <KeptViewsDialog choice={choice} onChange={choose} search={search} onClose={() => setKeeping(false)} />
      )}
    </>
  );
}
