/**
 * Rotates the master key: every sealed value is decrypted with the current key and sealed with the
 * next one. An interrupted run leaves values of both keys, each with the id of its key in front,
 * and a marker in the database: no gateway starts until another run has completed the rotation.
 */

import { randomBytes } from "node:crypto";
import type { AuditAction } from "@tollgate/contract/site/audit-actions.ts";
import { sql } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { findKeyProblem, nameKey } from "./master-key.ts";
import {
  promoteNextKey,
  readMasterKeyFile,
  readNextKeyFile,
  writeNextKeyFile,
} from "./master-key-file.ts";
import { countEncrypted, decryptAll, reencryptAll } from "./reencrypt.ts";
import { composeSealPrefix, createSealer, readKeyId, type Sealer } from "./seal.ts";

/** The key cannot be rotated; the message says what to do. */
export class RotationError extends Error {}

export interface RotationKeys {
  dataDir: string;
  current: Uint8Array;
  /**
   * `isCurrentFromEnvironment` says whether the current key comes from the environment; otherwise
   * it is a file in `dataDir`.
   */
  isCurrentFromEnvironment: boolean;
  /** `next` comes from the environment; generated if undefined. */
  next: Uint8Array | undefined;
}

export interface RotationResult {
  /** Number of values sealed with the new key. */
  sealed: number;
  /** Values sealed with older keys, which were unreadable before the rotation too. */
  unreadable: number;
  from: string;
  to: string;
  /** `isInFile` says whether the key file in `dataDir` is now the new key. */
  isInFile: boolean;
}

/** The ids of both keys, stored as the name of a row in `chores`. */
interface RotationMarker {
  from: string;
  to: string;
}
const formatMarkerName = ({ from, to }: RotationMarker): string => `master key ${from} to ${to}`;

async function readMarker(db: Database): Promise<RotationMarker | undefined> {
  const rows = await db.read(
    db.sql.selectFrom("chores").select("name").where("name", "like", "master key %"),
  );
  const [, from, to] = /^master key (\w+) to (\w+)$/.exec(rows[0]?.name ?? "") ?? [];
  return from === undefined || to === undefined ? undefined : { from, to };
}

/**
 * Call it after leasing a node number: the rotation checks for other nodes after it has written its
 * marker.
 */
export const isRotationUnfinished = async (db: Database): Promise<boolean> =>
  (await readMarker(db)) !== undefined;

const removeMarker = (db: Database, marker: RotationMarker): Write => ({
  query: db.sql.deleteFrom("chores").where("name", "=", formatMarkerName(marker)),
  rows: 1,
});

export async function rotateKey(
  db: Database,
  keys: RotationKeys,
  now: number,
): Promise<RotationResult> {
  const current = createSealer(keys.current);
  const startedMarker = await readMarker(db);
  // The run was interrupted after the key files had changed.
  const isSwitched = startedMarker !== undefined && startedMarker.to === current.keyId;
  if (!isSwitched) await rejectWrongKey(db, current, startedMarker);
  const next = isSwitched ? current : createSealer(buildNextKey(keys, current, startedMarker));
  const marker = startedMarker ?? { from: current.keyId, to: next.keyId };
  await beginExclusively(db, marker, startedMarker !== undefined);

  if (!isSwitched) await reencryptAll(db, current, next);
  const { ours, others } = await countEncrypted(db, next);
  const remaining = await countUnderKey(db, marker.from);
  if (remaining > 0) throw new RotationError(formatStillSealedMessage(remaining, marker));
  const opened = await decryptAll(db, next);
  if (opened !== ours)
    throw new RotationError(`${ours} values are sealed with the new key, but ${opened} were read`);

  if (readNextKeyFile(keys.dataDir)) promoteNextKey(keys.dataDir);
  const inFile = readMasterKeyFile(keys.dataDir);
  const auditEntry = {
    at: now,
    actorId: 0,
    address: "",
    action: "master_key.rotate" satisfies AuditAction,
    target: marker.to,
  };
  await db.write([
    removeMarker(db, marker),
    nameKey(db, marker.to),
    ...db.audit({ ...auditEntry, change: { from: marker.from, sealed: ours } }),
  ]);
  return {
    sealed: ours,
    unreadable: others,
    from: marker.from,
    to: marker.to,
    isInFile: inFile !== undefined && readKeyId(inFile) === marker.to,
  };
}

const countUnderKey = async (db: Database, keyId: string): Promise<number> =>
  (await countEncrypted(db, { prefix: composeSealPrefix(keyId) })).ours;

const formatStillSealedMessage = (remaining: number, { from }: RotationMarker): string =>
  `${remaining} values are still sealed with the key before (${from}): give that one as the master key and this one as NEW_MASTER_KEY, and run rotate-key again`;

async function rejectWrongKey(
  db: Database,
  current: Sealer,
  startedMarker: RotationMarker | undefined,
): Promise<void> {
  if (startedMarker && startedMarker.from !== current.keyId) {
    throw new RotationError(
      `a change from master key ${startedMarker.from} to ${startedMarker.to} was begun, and the key at hand is neither; put back the one that DATA_DIR or MASTER_KEY held then`,
    );
  }
  if (startedMarker) return;
  const problem = await findKeyProblem(db, current);
  if (problem !== undefined) throw new RotationError(problem);
}

/** Written to a file before it is used, unless both keys come from the environment. */
function buildNextKey(
  keys: RotationKeys,
  current: Sealer,
  startedMarker: RotationMarker | undefined,
): Uint8Array {
  const { dataDir, isCurrentFromEnvironment, next: nextGiven } = keys;
  const nextInFile = readNextKeyFile(dataDir);
  if (startedMarker) {
    // When the current key comes from the environment, the file may already have changed.
    const key = [nextGiven, nextInFile, readMasterKeyFile(dataDir)].find(
      (known) => known && readKeyId(known) === startedMarker.to,
    );
    if (key) return key;
    throw new RotationError(
      `the change that was begun needs its new key (${startedMarker.to}); set it as NEW_MASTER_KEY or put it back as master.key.next`,
    );
  }
  if (nextGiven && nextInFile && readKeyId(nextGiven) !== readKeyId(nextInFile)) {
    throw new RotationError(
      "NEW_MASTER_KEY is not the key in master.key.next; run rotate-key without NEW_MASTER_KEY, or take that file away",
    );
  }
  const key = nextGiven ?? nextInFile ?? randomBytes(32);
  if (readKeyId(key) === current.keyId)
    throw new RotationError("NEW_MASTER_KEY is the master key already");
  if (!nextInFile && !(nextGiven && isCurrentFromEnvironment)) writeNextKeyFile(dataDir, key);
  return key;
}

/**
 * A SQLite file has one owner. On PostgreSQL, starting nodes check for the marker, and the rotation
 * checks for running nodes.
 */
async function beginExclusively(
  db: Database,
  marker: RotationMarker,
  isStarted: boolean,
): Promise<void> {
  if (!isStarted)
    await db.write([
      { query: db.sql.insertInto("chores").values({ name: formatMarkerName(marker), due_at: 0 }) },
    ]);
  if (db.dialect === "sqlite") return;
  const query = sql<{ others: number }>`
    select count(*) as others from nodes
    where node <> ${db.node} and lease_until > (extract(epoch from clock_timestamp()) * 1000)::bigint`;
  const [found] = await db.read({ compile: () => query.compile(db.sql) });
  if (!found || found.others === 0) return;
  if (!isStarted) await db.write([removeMarker(db, marker)]);
  throw new RotationError(
    `other processes use this database (${found.others}); stop every gateway on it, and wait a minute for those that were killed`,
  );
}
