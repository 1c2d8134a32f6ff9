/** Iterates over all sealed values of the database, a bounded number of rows at a time. */
import { sql } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import {
  type EncryptedColumn,
  encryptedColumns,
  type SealContext,
  type SealPurpose,
} from "./encrypted-columns.ts";
import { readSealingKeyId, type Sealer } from "./seal.ts";

const defaultBatchSize = 200;

interface EncryptedRow {
  id: number | string;
  row: string;
  sealed: string;
}

export const encryptedColumnList: readonly [SealPurpose, EncryptedColumn][] = Object.entries(
  encryptedColumns,
) as [SealPurpose, EncryptedColumn][];

/** A value does not decrypt with the key that sealed it; its batch was not changed. */
export class UndecryptableValue extends Error {}

const selectColumn = ({ table, column }: EncryptedColumn) => sql.ref(`${table}.${column}`);
const selectRowFilter = ({ filter }: EncryptedColumn) => sql.raw(filter ?? "1 = 1");
const hasPrefix = (encryptedColumn: EncryptedColumn, prefix: string) =>
  sql`substr(${selectColumn(encryptedColumn)}, 1, ${sql.lit(prefix.length)}) = ${prefix}`;

/** Counts the values sealed with one key, and all others. */
export async function countEncrypted(
  db: Database,
  { prefix }: Pick<Sealer, "prefix">,
): Promise<{ ours: number; others: number }> {
  const counts = { ours: 0, others: 0 };
  for (const [, encryptedColumn] of encryptedColumnList) {
    const query = sql<{ ours: number; sealed: number }>`
      select coalesce(sum(case when ${hasPrefix(encryptedColumn, prefix)} then 1 else 0 end), 0) as ours, count(*) as sealed
      from ${sql.table(encryptedColumn.table)} where ${selectColumn(encryptedColumn)} <> '' and ${selectRowFilter(encryptedColumn)}`;
    const [encryptedRow = { ours: 0, sealed: 0 }] = await db.read({
      compile: () => query.compile(db.sql),
    });
    counts.ours += encryptedRow.ours;
    counts.others += encryptedRow.sealed - encryptedRow.ours;
  }
  return counts;
}

/** `ColumnProof` is that of a column with sealed values. */
export interface ColumnProof {
  purpose: SealPurpose;
  name: string;
  /** `opens` says whether a value opens with the key. */
  opens: boolean;
  /** The id of another key that sealed values here; empty for none. */
  sealedBy: string;
}

/**
 * `proveColumns` says whether the key opens a value of each column; those without any are left out.
 */
export async function proveColumns(db: Database, seal: Sealer): Promise<ColumnProof[]> {
  const proofs: ColumnProof[] = [];
  for (const [purpose, encryptedColumn] of encryptedColumnList) {
    const sealed = selectColumn(encryptedColumn);
    const isOurs = hasPrefix(encryptedColumn, seal.prefix);
    // A value of another key first, where there is one.
    const query = sql<{ sealed: string; ours: number }>`
      select ${sealed} as sealed, case when ${isOurs} then 1 else 0 end as ours from ${sql.table(encryptedColumn.table)}
      where ${sealed} <> '' and ${selectRowFilter(encryptedColumn)} order by 2 limit 1`;
    const [sample] = await db.read<{ sealed: string; ours: number }>({
      compile: () => query.compile(db.sql),
    });
    if (!sample) continue;
    const { table, column } = encryptedColumn;
    const sealedBy = sample.ours === 1 ? "" : readSealingKeyId(sample.sealed);
    const opens = await opensSome(db, seal, purpose, encryptedColumn);
    proofs.push({ purpose, name: `${table}.${column}`, opens, sealedBy });
  }
  return proofs;
}

async function opensSome(
  db: Database,
  seal: Sealer,
  purpose: SealPurpose,
  encryptedColumn: EncryptedColumn,
): Promise<boolean> {
  for await (const rows of buildEncryptedRows(db, encryptedColumn, seal)) {
    if (rows.some((row) => opens(seal, purpose, encryptedColumn, row))) return true;
  }
  return false;
}

function opens(
  seal: Sealer,
  purpose: SealPurpose,
  encryptedColumn: EncryptedColumn,
  row: EncryptedRow,
): boolean {
  try {
    decryptRow(seal, purpose, encryptedColumn, row);
    return true;
  } catch (error) {
    if (error instanceof UndecryptableValue) return false;
    throw error;
  }
}

/** The rows of one column that are sealed with a key, in batches by id. */
async function* buildEncryptedRows(
  db: Database,
  encryptedColumn: EncryptedColumn,
  { prefix }: Sealer,
): AsyncGenerator<EncryptedRow[]> {
  let after = sql`1 = 1`;
  for (;;) {
    const id = sql.ref(`${encryptedColumn.table}.${encryptedColumn.id}`);
    const query = sql<EncryptedRow>`
      select ${id} as id, ${sql.raw(encryptedColumn.row)} as row, ${selectColumn(encryptedColumn)} as sealed from ${sql.table(encryptedColumn.table)}
      where ${hasPrefix(encryptedColumn, prefix)} and ${selectRowFilter(encryptedColumn)} and ${after}
      order by ${id} limit ${sql.lit(encryptedColumn.batchSize ?? defaultBatchSize)}`;
    const rows = await db.read<EncryptedRow>({ compile: () => query.compile(db.sql) });
    const last = rows.at(-1);
    if (!last) return;
    yield rows;
    after = sql`${id} > ${last.id}`;
  }
}

function decryptRow(
  seal: Sealer,
  purpose: SealPurpose,
  encryptedColumn: EncryptedColumn,
  { row, sealed }: EncryptedRow,
) {
  const context =
    `${encryptedColumn.table}/${encryptedColumn.column}/${row}` as SealContext<SealPurpose>;
  try {
    return { context, text: seal.open(purpose, context, sealed) };
  } catch (cause) {
    throw new UndecryptableValue(
      `${context} does not open with the key that sealed it; restore or empty this value, then run rotate-key again`,
      { cause },
    );
  }
}

/**
 * Decrypts each value with one key and seals it with the other, batch by batch; returns how many.
 */
export async function reencryptAll(db: Database, from: Sealer, to: Sealer): Promise<number> {
  let count = 0;
  for (const [purpose, encryptedColumn] of encryptedColumnList) {
    for await (const rows of buildEncryptedRows(db, encryptedColumn, from)) {
      const writes = rows.map((encryptedRow): Write => {
        const { context, text } = decryptRow(from, purpose, encryptedColumn, encryptedRow);
        const query = sql`update ${sql.table(encryptedColumn.table)} set ${sql.ref(encryptedColumn.column)} = ${to.seal(purpose, context, text)}
          where ${sql.ref(encryptedColumn.id)} = ${encryptedRow.id} and ${sql.ref(encryptedColumn.column)} = ${encryptedRow.sealed}`;
        return { query: { compile: () => query.compile(db.sql) }, rows: 1 };
      });
      await db.write(writes);
      count += rows.length;
    }
  }
  return count;
}

/** Decrypts every value that is sealed with a key; returns how many. */
export async function decryptAll(db: Database, seal: Sealer): Promise<number> {
  let count = 0;
  for (const [purpose, encryptedColumn] of encryptedColumnList) {
    for await (const rows of buildEncryptedRows(db, encryptedColumn, seal)) {
      for (const encryptedRow of rows) decryptRow(seal, purpose, encryptedColumn, encryptedRow);
      count += rows.length;
    }
  }
  return count;
}
