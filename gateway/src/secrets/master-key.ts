/**
 * A database belongs to one master key: what one node sealed with another key would be unreadable
 * for the others, and every second call would fail. The database names its key; the first start
 * that can prove its own writes the name.
 */
import type { Database, Write } from "../storage/database.ts";
import { type ColumnProof, proveColumns } from "./reencrypt.ts";
import type { Sealer } from "./seal.ts";

const place = 1;

async function findNamedKey({
  sql,
  read,
}: Pick<Database, "sql" | "read">): Promise<string | undefined> {
  const [row] = await read(sql.selectFrom("database_key").select("key_id"));
  return row?.key_id;
}

/** `nameKey` is for the last batch of a rotation. */
export const nameKey = ({ sql }: Pick<Database, "sql">, key_id: string): Write => ({
  query: sql
    .insertInto("database_key")
    .values({ place, key_id })
    .onConflict((named) => named.column("place").doUpdateSet({ key_id })),
  rows: 1,
});

const listMismatches = (database: string, { keyId }: Sealer): string =>
  `this database belongs to the master key ${database}, and the one at hand is ${keyId}; put the master.key of the former into DATA_DIR or set MASTER_KEY (docs/operations.md)`;

/** `findProvedOtherwise` finds values of another key: no provider's key opens, or nothing does. */
function findProvedOtherwise(proofs: readonly ColumnProof[], seal: Sealer): string | undefined {
  const foreign = proofs.filter(({ opens, sealedBy }) => !opens && sealedBy !== "");
  const provider = foreign.find(({ purpose }) => purpose === "channel-key");
  const strange = provider ?? (proofs.some(({ opens }) => opens) ? undefined : foreign[0]);
  return strange && listMismatches(strange.sealedBy, seal);
}

/**
 * `findKeyProblem` says why the key at hand is not the database's; undefined where nothing says so.
 */
export async function findKeyProblem(db: Database, seal: Sealer): Promise<string | undefined> {
  const named = await findNamedKey(db);
  if (named !== undefined) return named === seal.keyId ? undefined : listMismatches(named, seal);
  return findProvedOtherwise(await proveColumns(db, seal), seal);
}

export interface KeyClaim {
  /** Runs while no other process starts. */
  alone(work: () => Promise<void>): Promise<void>;
  /** Columns in which nothing opens, so that the database does not name this key yet. */
  onUnproved(columns: readonly string[]): void;
}

/**
 * `claimDatabaseKey` is for a start: as `findKeyProblem`. A database without a name gets that of
 * the key at hand, once a value of every column has opened with it, or the column has none.
 */
export async function claimDatabaseKey(
  db: Database,
  seal: Sealer,
  { alone, onUnproved }: KeyClaim,
): Promise<string | undefined> {
  if ((await findNamedKey(db)) !== undefined) return await findKeyProblem(db, seal);
  let problem: string | undefined;
  await alone(async () => {
    // Another node may have been first.
    if ((await findNamedKey(db)) !== undefined) {
      problem = await findKeyProblem(db, seal);
      return;
    }
    const proofs = await proveColumns(db, seal);
    problem = findProvedOtherwise(proofs, seal);
    if (problem !== undefined) return;
    const unproved = proofs.filter(({ opens }) => !opens);
    if (unproved.length > 0) onUnproved(unproved.map(({ name }) => name));
    else await db.write([nameKey(db, seal.keyId)]);
  });
  return problem;
}
