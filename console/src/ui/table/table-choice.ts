import type { SearchParams } from "./data-table-view.ts";

/**
 * Columns that the user switched on or off, by their ids; the others are as the list has them by
 * default.
 */
export type ColumnChoice = Readonly<Record<string, boolean>>;

/** A kept state of a list: the search parameters of its address, and its columns. */
export type KeptView = {
  name: string;
  search: Readonly<Record<string, string>>;
  columns: ColumnChoice;
};

/** `TableChoice` is what a user chose for one list. */
export type TableChoice = { columns: ColumnChoice; views: readonly KeptView[] };

export const noChoice: TableChoice = { columns: {}, views: [] };

/** A menu that is longer is no shortcut any more. */
export const keptViewsMax = 20;
export const viewNameMax = 40;

type ChosenColumn = { id: string; pinned?: boolean; optional?: boolean };

/** A pinned column names the row, so it is always shown. */
export const isColumnShown = (
  { id, pinned, optional }: ChosenColumn,
  columns: ColumnChoice,
): boolean => pinned === true || (columns[id] ?? optional !== true);

/** The choice after a click on a column; what equals the default is not stored. */
export function toggleColumn(column: ChosenColumn, columns: ColumnChoice): ColumnChoice {
  const { [column.id]: _, ...others } = columns;
  const next = !isColumnShown(column, columns);
  return next === (column.optional !== true) ? others : { ...others, [column.id]: next };
}

/**
 * The part of an address that a view keeps: without the page and an open trace, which belong to a
 * moment.
 */
export function searchOfView(search: SearchParams): Record<string, string> {
  const { p: _page, trace: _trace, ...kept } = buildOnly(isText, search);
  return kept;
}

/** A view of the same name is replaced, the oldest one above the maximum goes. */
export function keepView(views: readonly KeptView[], view: KeptView): readonly KeptView[] {
  return [...views.filter(({ name }) => name !== view.name), view].slice(-keptViewsMax);
}

/** The view that the list shows now. */
export const findCurrentView = (
  { views, columns }: TableChoice,
  search: Readonly<Record<string, string>>,
): KeptView | undefined =>
  views.find((view) => isSameRecord(view.search, search) && isSameRecord(view.columns, columns));

function isSameRecord(
  one: Readonly<Record<string, unknown>>,
  other: Readonly<Record<string, unknown>>,
): boolean {
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length && names.every((name) => one[name] === other[name])
  );
}

/** Reads what the browser stored. Anything may stand there: what is no choice is left out. */
export function parseChoice(text: string | null): TableChoice {
  if (text === null) return noChoice;
  try {
    const stored = asRecord(JSON.parse(text));
    const views = Array.isArray(stored.views)
      ? stored.views.map(parseView).filter((view) => view !== undefined)
      : [];
    return { columns: buildOnly(isFlag, stored.columns), views: views.slice(-keptViewsMax) };
  } catch {
    return noChoice;
  }
}

function parseView(value: unknown): KeptView | undefined {
  const { name, search, columns } = asRecord(value);
  if (typeof name !== "string" || name === "") return undefined;
  return {
    name: name.slice(0, viewNameMax),
    search: buildOnly(isText, search),
    columns: buildOnly(isFlag, columns),
  };
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};

const isText = (value: unknown): value is string => typeof value === "string";
const isFlag = (value: unknown): value is boolean => typeof value === "boolean";

function buildOnly<Member>(
  isMember: (value: unknown) => value is Member,
  value: unknown,
): Record<string, Member> {
  const members = Object.entries(asRecord(value)).filter((member): member is [string, Member] =>
    isMember(member[1]),
  );
  return Object.fromEntries(members);
}
