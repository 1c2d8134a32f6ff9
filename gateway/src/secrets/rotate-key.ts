/**
 * Changes the master key: everything sealed is opened with the current key and sealed with the next one. A run that was
 * broken off leaves values of both keys, each with the id of its key in front, and a mark in the database: gateways do
 * not start until another run has finished the change.
 */
import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { keepNextKey, keptMasterKey, keptNextKey, useNextKey } from "./master-key-file.ts";
import { keyIdOf, prefixOf, type Sealer, sealer } from "./seal.ts";
import { countSealed, openEverything, sealAnew } from "./seal-anew.ts";

/** The change cannot be made; the message says what to do. */
export class RotationRefused extends Error {}

export interface KeysAtHand {
  dataDir: string;
  current: Uint8Array;
  /** From the environment, where it must stay; else a file in `dataDir`. */
  isCurrentGiven: boolean;
  /** From the environment; without it one is made. */
  next: Uint8Array | undefined;
}

export interface Rotated {
  /** How many values are sealed with the new key. */
  sealed: number;
  /** Sealed with keys of earlier times, so nobody could read them before either. */
  unreadable: number;
  from: string;
  to: string;
  /** Whether `dataDir` now holds the new key as the master key. */
  isInFile: boolean;
}

/** The ids of the two keys, as the name of a row in `chores`. */
interface Mark {
  from: string;
  to: string;
}
const markName = ({ from, to }: Mark): string => `master key ${from} to ${to}`;

async function markOf(db: Database): Promise<Mark | undefined> {
  const rows = await db.read(db.sql.selectFrom("chores").select("name").where("name", "like", "master key %"));
  const [, from, to] = /^master key (\w+) to (\w+)$/.exec(rows[0]?.name ?? "") ?? [];
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Asked after this process has taken its node number: the one that changes the key looks for numbers after its mark. */
export const isRotationUnfinished = async (db: Database): Promise<boolean> => (await markOf(db)) !== undefined;

const removal = (db: Database, mark: Mark): Write => ({
  query: db.sql.deleteFrom("chores").where("name", "=", markName(mark)),
  rows: 1,
});

export async function rotateKey(db: Database, keys: KeysAtHand, now: number): Promise<Rotated> {
  const current = sealer(keys.current);
  const begun = await markOf(db);
  // The files were changed and then the run was broken off.
  const isSwitched = begun !== undefined && begun.to === current.keyId;
  if (!isSwitched) await refuseWrongKey(db, current, begun);
  const next = isSwitched ? current : sealer(nextKey(keys, current, begun));
  const mark = begun ?? { from: current.keyId, to: next.keyId };
  await beginAlone(db, mark, begun !== undefined);

  if (!isSwitched) await sealAnew(db, current, next);
  const { ours, others } = await countSealed(db, next);
  const left = await sealedUnder(db, mark.from);
  if (left > 0) throw new RotationRefused(sealedBefore(left, mark));
  const opened = await openEverything(db, next);
  if (opened !== ours) throw new RotationRefused(`${ours} values are sealed with the new key, but ${opened} were read`);

  if (keptNextKey(keys.dataDir)) useNextKey(keys.dataDir);
  const inFile = keptMasterKey(keys.dataDir);
  const told = { at: now, actorId: 0, address: "", action: "master_key.rotate", target: mark.to };
  await db.write([removal(db, mark), ...db.audit({ ...told, change: { from: mark.from, sealed: ours } })]);
  return {
    sealed: ours,
    unreadable: others,
    from: mark.from,
    to: mark.to,
    isInFile: inFile !== undefined && keyIdOf(inFile) === mark.to,
  };
}

const sealedUnder = async (db: Database, keyId: string): Promise<number> =>
  (await countSealed(db, { prefix: prefixOf(keyId) })).ours;

const sealedBefore = (left: number, { from }: Mark): string =>
  `${left} values are still sealed with the key before (${from}): give that one as the master key and this one as NEW_MASTER_KEY, and run rotate-key again`;

async function refuseWrongKey(db: Database, current: Sealer, begun: Mark | undefined): Promise<void> {
  if (begun && begun.from !== current.keyId) {
    throw new RotationRefused(
      `a change from master key ${begun.from} to ${begun.to} was begun, and the key at hand is neither; put back the one that DATA_DIR or MASTER_KEY held then`,
    );
  }
  const { ours, others } = await countSealed(db, current);
  if (!begun && ours === 0 && others > 0) {
    throw new RotationRefused(
      "nothing in this database was sealed with the master key at hand; put the master.key that belongs to it into DATA_DIR or set MASTER_KEY (docs/operations.md)",
    );
  }
}

/** Kept before it is used, unless both keys are the operator's to keep. */
function nextKey(keys: KeysAtHand, current: Sealer, begun: Mark | undefined): Uint8Array {
  const { dataDir, isCurrentGiven, next: given } = keys;
  const kept = keptNextKey(dataDir);
  if (begun) {
    // Where the current key comes from the environment, the file may have been changed already.
    const key = [given, kept, keptMasterKey(dataDir)].find((known) => known && keyIdOf(known) === begun.to);
    if (key) return key;
    throw new RotationRefused(
      `the change that was begun needs its new key (${begun.to}); set it as NEW_MASTER_KEY or put it back as master.key.next`,
    );
  }
  if (given && kept && keyIdOf(given) !== keyIdOf(kept)) {
    throw new RotationRefused(
      "NEW_MASTER_KEY is not the key in master.key.next; run rotate-key without NEW_MASTER_KEY, or take that file away",
    );
  }
  const key = given ?? kept ?? randomBytes(32);
  if (keyIdOf(key) === current.keyId) throw new RotationRefused("NEW_MASTER_KEY is the master key already");
  if (!kept && !(given && isCurrentGiven)) keepNextKey(dataDir, key);
  return key;
}

/** A SQLite file has one owner anyway; on PostgreSQL whoever starts looks for the mark, and we for whoever has started. */
async function beginAlone(db: Database, mark: Mark, isBegun: boolean): Promise<void> {
  if (!isBegun) await db.write([{ query: db.sql.insertInto("chores").values({ name: markName(mark), due_at: 0 }) }]);
  if (db.dialect === "sqlite") return;
  const query = sql<{ others: number }>`
    select count(*) as others from nodes
    where node <> ${db.node} and lease_until > (extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const [found] = await db.read({ compile: () => query.compile(db.sql) });
  if (!found || found.others === 0) return;
  if (!isBegun) await db.write([removal(db, mark)]);
  throw new RotationRefused(
    `other processes use this database (${found.others}); stop every gateway on it, and wait a minute for those that were killed`,
  );
}
