import { Trans, useLingui } from "@lingui/react/macro";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowDownUp, Bookmark, Columns3Cog, RotateCcw } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../icon-button.tsx";
import { Menu, MenuChoice, MenuHeading, MenuItem, MenuLine } from "../menu/menu.tsx";
import { MenuCheck } from "../menu/menu-check.tsx";
import type { TableColumn } from "./data-table-columns.ts";
import type { TableView } from "./data-table-view.ts";
import { KeptViewsDialog } from "./kept-views-dialog.tsx";
import { findCurrentView, isColumnShown, searchOfView, toggleColumn } from "./table-choice.ts";
import { useTableChoice } from "./use-table-choice.ts";

type OfferedColumn = Pick<TableColumn<never>, "id" | "label" | "pinned" | "optional" | "sortable">;

type TableChoiceMenuProps = {
  /** Names user and list. */
  owner: string;
  columns: readonly OfferedColumn[];
  /** The opened row has all columns, and no heading sorts. */
  isMobile: boolean;
  view: TableView;
  onViewChange: (view: TableView) => void;
};

/**
 * `TableChoiceMenu` says which columns a list shows, in which order its rows stand, and the views
 * that the user kept.
 */
export function TableChoiceMenu({
  owner,
  columns,
  isMobile,
  view,
  onViewChange,
}: TableChoiceMenuProps) {
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
  const sortable = columns.filter((column) => column.sortable);
  const label = !isMobile
    ? t`Columns and views`
    : sortable.length > 0
      ? t`Order and views`
      : t`Views`;
  return (
    <>
      <Menu
        label={label}
        trigger={
          <IconButton size="sm" label={label} icon={isMobile ? <ArrowDownUp /> : <Columns3Cog />} />
        }
      >
        {isMobile && sortable.length > 0 && (
          <>
            <MenuHeading>
              <Trans>Sort by</Trans>
            </MenuHeading>
            <MenuChoice
              label={t`Sort by`}
              value={view.sort}
              onChange={(sort) => onViewChange({ ...view, sort, order: "desc", p: 0 })}
              options={sortable.map((column) => ({
                value: column.id,
                label: i18n._(column.label),
              }))}
            />
            <MenuLine />
            <MenuChoice
              label={t`Order`}
              value={view.order}
              onChange={(order) => onViewChange({ ...view, order, p: 0 })}
              options={[
                { value: "asc", label: t`Ascending` },
                { value: "desc", label: t`Descending` },
              ]}
            />
            <MenuLine />
          </>
        )}
        {views.length > 0 && (
          <>
            <MenuHeading>
              <Trans>Views</Trans>
            </MenuHeading>
            <MenuChoice
              label={t`Views`}
              value={findCurrentView(choice, search)?.name ?? ""}
              onChange={show}
              options={views.map(({ name }) => ({ value: name, label: name }))}
            />
          </>
        )}
        <MenuItem icon={<Bookmark />} onSelect={() => setKeeping(true)}>
          {views.length === 0 ? (
            <Trans>Keep this view...</Trans>
          ) : (
            <Trans>Keep or remove views...</Trans>
          )}
        </MenuItem>
        {!isMobile && (
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
                    onToggle={() =>
                      choose({ ...choice, columns: toggleColumn(column, choice.columns) })
                    }
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
        <KeptViewsDialog
          choice={choice}
          onChange={choose}
          search={search}
          onClose={() => setKeeping(false)}
        />
      )}
    </>
  );
}
