/**
 * Tables of another system's database, whichever kind of database it is, as an import reads them.
 * Nothing is ever written there.
 */

export type SourceRow = Readonly<Record<string, unknown>>;

/** Rows in the order of a key, after a value of it. */
export interface SourcePage {
  table: string;
  columns: readonly string[];
  /** A column with distinct values. */
  key: string;
  /** The key of the last row of the page before; undefined for the first page. */
  after: unknown;
  limit: number;
  /** `isDescending` reads from the largest key down, in place of from the smallest up. */
  isDescending?: boolean;
}

export interface SourceTables {
  /** The place of the data, without secrets. */
  readonly label: string;
  /** The columns of an ordinary table; empty where there is none of this name. */
  columns(table: string): Promise<ReadonlySet<string>>;
  /**
   * A text longer than `textBytesMax` comes as null, so that one field cannot exhaust the memory.
   */
  page(page: SourcePage): Promise<SourceRow[]>;
  close(): Promise<void>;
}

/** The source cannot be read, or must not be; the message says why and what to do. */
export class ImportRefused extends Error {}

/**
 * The longest field that an import reads: a channel with a thousand keys has some hundred thousand
 * characters.
 */
export const textBytesMax = 1_000_000;

const pageSize = 1_000;

/**
 * `buildRows` gives all rows of a table, in the order of its key. Columns that the table lacks are
 * left out of the rows.
 */
export async function* buildRows(
  source: SourceTables,
  table: string,
  {
    columns,
    key,
    after,
    limit = pageSize,
    isDescending = false,
  }: Pick<SourcePage, "columns" | "key" | "isDescending"> & { after?: unknown; limit?: number },
): AsyncGenerator<SourceRow[]> {
  const existing = await source.columns(table);
  if (!existing.has(key)) return;
  const wanted = [...new Set([key, ...columns])].filter((column) => existing.has(column));
  for (let last = after; ; ) {
    const rows = await source.page({
      table,
      columns: wanted,
      key,
      after: last,
      limit,
      isDescending,
    });
    if (rows.length > 0) yield rows;
    if (rows.length < limit) return;
    last = rows.at(-1)?.[key];
  }
}
