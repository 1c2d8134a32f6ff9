/** Walks over everything that is sealed in the database, a bounded number of rows at a time. */
import { sql } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import type { Sealer } from "./seal.ts";
import { type SealContext, type SealedPlace, type SealPurpose, sealedPlaces } from "./sealed-places.ts";

const rowsAtOnce = 200;

interface SealedRow {
  id: number | string;
  row: string;
  sealed: string;
}

export const places: readonly [SealPurpose, SealedPlace][] = Object.entries(sealedPlaces) as [
  SealPurpose,
  SealedPlace,
][];

/** What stands there instead of opening cannot be opened by anybody; nothing was changed in its batch. */
export class SealedBadly extends Error {}

const columnOf = ({ table, column }: SealedPlace) => sql.ref(`${table}.${column}`);
const isAmong = ({ only }: SealedPlace) => sql.raw(only ?? "1 = 1");
const begins = (place: SealedPlace, prefix: string) =>
  sql`substr(${columnOf(place)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`;

/** How many values one key has sealed, and how many others there are. */
export async function countSealed(
  db: Database,
  { prefix }: Pick<Sealer, "prefix">,
): Promise<{ ours: number; others: number }> {
  const counts = { ours: 0, others: 0 };
  for (const [, place] of places) {
    const query = sql<{ ours: number; sealed: number }>`
      select coalesce(sum(case when ${begins(place, prefix)} then 1 else 0 end), 0) as ours, count(*) as sealed
      from ${sql.table(place.table)} where ${columnOf(place)} <> '' and ${isAmong(place)}`;
    const [found = { ours: 0, sealed: 0 }] = await db.read({ compile: () => query.compile(db.sql) });
    counts.ours += found.ours;
    counts.others += found.sealed - found.ours;
  }
  return counts;
}

/** The rows of one place that a key has sealed, in batches, in the order of their ids. */
async function* sealedRows(db: Database, place: SealedPlace, { prefix }: Sealer): AsyncGenerator<SealedRow[]> {
  let after = sql`1 = 1`;
  for (;;) {
    const id = sql.ref(`${place.table}.${place.id}`);
    const query = sql<SealedRow>`
      select ${id} as id, ${sql.raw(place.row)} as row, ${columnOf(place)} as sealed from ${sql.table(place.table)}
      where ${begins(place, prefix)} and ${isAmong(place)} and ${after}
      order by ${id} limit ${sql.lit(place.rowsAtOnce ?? rowsAtOnce)}`;
    const rows = await db.read<SealedRow>({ compile: () => query.compile(db.sql) });
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = sql`${id} > ${last.id}`;
  }
}

function opened(seal: Sealer, purpose: SealPurpose, place: SealedPlace, { row, sealed }: SealedRow) {
  const context = `${place.table}/${place.column}/${row}` as SealContext<SealPurpose>;
  try {
    return { context, text: seal.open(purpose, context, sealed) };
  } catch (cause) {
    throw new SealedBadly(
      `${context} does not open with the key that sealed it; restore or empty this value, then run rotate-key again`,
      { cause },
    );
  }
}

/** Opens each value with one key and seals it with the other, batch by batch; answers how many. */
export async function sealAnew(db: Database, from: Sealer, to: Sealer): Promise<number> {
  let count = 0;
  for (const [purpose, place] of places) {
    for await (const rows of sealedRows(db, place, from)) {
      const writes = rows.map((found): Write => {
        const { context, text } = opened(from, purpose, place, found);
        const query = sql`update ${sql.table(place.table)} set ${sql.ref(place.column)} = ${to.seal(purpose, context, text)}
          where ${sql.ref(place.id)} = ${found.id} and ${sql.ref(place.column)} = ${found.sealed}`;
        return { query: { compile: () => query.compile(db.sql) }, rows: 1 };
      });
      await db.write(writes);
      count += rows.length;
    }
  }
  return count;
}

/** Opens everything that a key has sealed; answers how many. */
export async function openEverything(db: Database, seal: Sealer): Promise<number> {
  let count = 0;
  for (const [purpose, place] of places) {
    for await (const rows of sealedRows(db, place, seal)) {
      for (const found of rows) opened(seal, purpose, place, found);
      count += rows.length;
    }
  }
  return count;
}
