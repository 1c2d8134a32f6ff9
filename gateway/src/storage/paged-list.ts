/**
 * The common parts of the stores of listed resources: one page with its capped total, the search,
 * and the look-up by reference.
 */
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type RawBuilder, sql as raw, type SelectQueryBuilder } from "kysely";
import type { Database } from "./database.ts";
import {
  capTotal,
  chooseOrder,
  computePage,
  escapeLike,
  type PageQuery,
  totalMax,
} from "./pagination.ts";

export interface PagedRows<Row> {
  rows: Row[];
  total: number;
  total_capped?: boolean;
}

interface PagedListQuery<
  DB,
  TB extends keyof DB,
  Row,
  CountedDB,
  CountedTB extends keyof CountedDB,
> {
  /** The filtered rows with all columns, not yet sorted. */
  rows: SelectQueryBuilder<DB, TB, Row>;
  /** `counted` is the same rows with one column, for the total. */
  counted: SelectQueryBuilder<CountedDB, CountedTB, unknown>;
  /** `sortColumns` are what requests may sort by. */
  sortColumns: Readonly<Record<string, RawBuilder<unknown>>>;
  /** The default order, and the second one among equals. */
  idColumn: RawBuilder<unknown>;
  query: PageQuery & { sort?: string | undefined; order?: string | undefined };
  /**
   * `findsIdsFirst` is for wide rows of which there are many: the page is found by ids alone, so that
   * a late one does not sort the rows of all pages before it. `counted` has the id then.
   */
  findsIdsFirst?: boolean;
}

export async function readPagedList<
  DB,
  TB extends keyof DB,
  Row,
  CountedDB,
  CountedTB extends keyof CountedDB,
>(
  { sql, read }: Pick<Database, "sql" | "read">,
  {
    rows,
    counted,
    sortColumns,
    idColumn,
    query,
    findsIdsFirst = false,
  }: PagedListQuery<DB, TB, Row, CountedDB, CountedTB>,
): Promise<PagedRows<Row>> {
  const { column, direction } = chooseOrder(query, sortColumns, idColumn);
  const { limit, offset } = computePage(query);
  const candidates = counted.limit(totalMax + 1).as("candidates");
  const sorted = rows.orderBy(column, direction).orderBy(idColumn, direction);
  const ids = counted.orderBy(column, direction).orderBy(idColumn, direction);
  const [page, [count]] = await Promise.all([
    read(
      findsIdsFirst
        ? sorted.where(raw<boolean>`${idColumn} in ${ids.limit(limit).offset(offset)}`)
        : sorted.limit(limit).offset(offset),
    ),
    read(sql.selectFrom(candidates).select(({ fn }) => fn.countAll<number>().as("count"))),
  ]);
  return { rows: page, ...capTotal(Number(count?.count ?? 0)) };
}

/**
 * `isOtherThan` writes the value into the statement: of a parameter the plan of a prepared statement
 * knows nothing, so that PostgreSQL takes `status <> $1` for a condition that no row meets, and
 * sorts all rows for one page.
 */
export const isOtherThan = (column: string, value: number): RawBuilder<boolean> =>
  raw<boolean>`${raw.ref(column)} <> ${raw.lit(value)}`;

const uuidPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const idPattern = /^#([0-9]{1,15})$/;

/**
 * A keyword is a whole uuid, an id as `#7`, or a part of one of the named columns in any letter
 * case; without one every row matches.
 */
export function matchesKeyword(
  table: string,
  columns: readonly string[],
  keyword: string | undefined,
): RawBuilder<boolean> {
  if (keyword === undefined) return raw`1 = 1`;
  const column = (name: string) => raw.ref(`${table}.${name}`);
  if (uuidPattern.test(keyword)) return raw`${column("uuid")} = ${keyword.toLowerCase()}`;
  const id = idPattern.exec(keyword)?.[1];
  if (id !== undefined) return raw`${column("id")} = ${Number(id)}`;
  const matches = columns.flatMap((name) =>
    listSpellings(keyword).map(
      (spelling) => raw`lower(${column(name)}) like ${`%${escapeLike(spelling)}%`} escape '!'`,
    ),
  );
  return raw`(${raw.join(matches, raw` or `)})`;
}

/**
 * SQLite lowers A to Z alone, so that a word with other letters is also looked for as it may have
 * been written.
 */
function listSpellings(keyword: string): string[] {
  const lower = keyword.toLowerCase();
  if (/^[\0-\x7f]*$/.test(keyword)) return [lower];
  const asciiLower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const capital = lower.charAt(0).toUpperCase() + lower.slice(1);
  return [...new Set([lower, asciiLower(keyword.toUpperCase()), asciiLower(capital)])];
}

/** Sorts a text without regard to case: "diego" stands before "Elena". */
export const byLetters = (column: string): RawBuilder<unknown> => raw`lower(${raw.ref(column)})`;

/** The row that a request named by its id or its uuid. */
export const byReference = (table: string, { id, uuid }: Reference): RawBuilder<boolean> =>
  id === undefined
    ? raw`${raw.ref(`${table}.uuid`)} = ${uuid}`
    : raw`${raw.ref(`${table}.id`)} = ${id}`;
