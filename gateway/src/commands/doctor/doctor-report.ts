/**
 * The command `doctor`: what the next start of this program would change, what would keep it from
 * working, and what to do. Pure.
 */
import type { Sealer } from "../../secrets/seal.ts";
import type { DatabaseState } from "../../storage/database-state.ts";
import { buildIdsAhead } from "../../storage/time-ids.ts";

/**
 * Exit codes: nothing changes at the next start, the schema does, the program would not work well.
 */
export const doctorExitCodes = { current: 0, upgrade: 2, problem: 1 } as const;

export interface Examined {
  /** `state` is what keeps the database from being read, in place of its state. */
  state: DatabaseState | { unreadable: string };
  /** The place of the database, without secrets. */
  place: string;
  /** `freeBytes` are those of the file system of SQLite's file; undefined on PostgreSQL. */
  freeBytes: number | undefined;
  /** The master key of this environment; absent where there is none. */
  seal?: Pick<Sealer, "keyId" | "isOurs">;
  /** `keyProblem` is what keeps the master key from being read. */
  keyProblem?: string;
  /** `notes` are on variables of the environment that are read by another name, or not read. */
  notes: readonly string[];
  /** `warnings` are what other machines do not answer: the gateway starts without them. */
  warnings: readonly string[];
  now: number;
}

const bytesPerMegabyte = 1_000_000;
/** A database of a busy site grows by this much in a day. */
const freeBytesMin = 500 * bytesPerMegabyte;
/** Second factors and leases of nodes allow for less. */
const clockToleranceMs = 10_000;

const formatMegabytes = (bytes: number): string => `${(bytes / bytesPerMegabyte).toFixed(1)} MB`;
const formatSeconds = (ms: number): string => `${Math.round(Math.abs(ms) / 1_000)} s`;

/**
 * `buildDoctorReport` gives one line for each finding: its kind first, and what to do where there
 * is something to do.
 */
export function buildDoctorReport(examined: Examined): { lines: string[]; exitCode: number } {
  const { state, place, notes, warnings } = examined;
  const isRead = !("unreadable" in state);
  const problems = isRead
    ? listProblems({ ...examined, state })
    : [formatUnreadableText(place, state.unreadable)];
  const changes = isRead ? listChanges(state, place) : [];
  const { problem, upgrade, current } = doctorExitCodes;
  const exitCode = problems.length > 0 ? problem : changes.length > 0 ? upgrade : current;
  return {
    lines: [
      ...(isRead ? stateLines(state, examined) : []).map((text) => `ok       ${text}`),
      ...changes.map((text) => `change   ${text}`),
      ...notes.map((text) => `note     ${text}`),
      ...[...warnings, ...(isRead ? listClockWarnings(state, examined.now) : [])].map(
        (text) => `warning  ${text}`,
      ),
      ...problems.map((text) => `problem  ${text}`),
    ],
    exitCode,
  };
}

const formatUnreadableText = (place: string, reason: string): string =>
  `${place} cannot be read (${reason}): start it or make it readable, or correct DATABASE_URL or DATA_DIR`;

function stateLines(
  { schema, bytes, pending, server }: DatabaseState,
  { place, freeBytes }: Examined,
): string[] {
  const free =
    freeBytes === undefined ? [] : [`${formatMegabytes(freeBytes)} are free for ${place}`];
  if (schema === undefined) return free;
  const isCurrent =
    pending.length === 0 ? "which is that of this program" : "which is older than this program";
  return [
    `${place} has ${formatMegabytes(bytes)} and the schema ${schema}, ${isCurrent} (${server})`,
    ...free,
  ];
}

function listChanges({ schema, pending, bytes, dialect }: DatabaseState, place: string): string[] {
  const [first] = pending;
  if (schema === undefined || !first) return [];
  const back =
    dialect === "sqlite"
      ? `before that, the start copies the database (${formatMegabytes(bytes)}) to ${place}.before-${first.id}: to go back, put it in place`
      : "make a backup before: to go back, restore it";
  const names = pending.map(({ id, name }) => `${id} ${name}`).join(", ");
  return [`the start migrates in one transaction: ${names}`, back];
}

const listClockWarnings = ({ newestEntryAt = 0 }: DatabaseState, now: number): string[] =>
  buildIdsAhead(newestEntryAt - now) === "some"
    ? [
        `the newest entry in the database is ${formatSeconds(newestEntryAt - now)} ahead of the clock: set the clock by NTP if it is wrong; if it is right, new entries carry that time until the clock has passed it`,
      ]
    : [];

function listProblems({
  state,
  place,
  freeBytes,
  seal,
  keyProblem,
  now,
}: Examined & { state: DatabaseState }): string[] {
  const { schema, pending, bytes, sealedKeys, keyId, clockAheadMs, newestEntryAt = 0 } = state;
  if (schema === undefined)
    return [
      `there is no database of Tollgate: ${place}. Set DATA_DIR or DATABASE_URL; on a new site the first start makes it`,
    ];
  const copies = schema !== undefined && pending.length > 0;
  const isCopyTooLarge = copies && freeBytes !== undefined && freeBytes < bytes;
  return [
    ...(isCopyTooLarge
      ? [
          `the copy does not fit: ${formatMegabytes(freeBytes)} are free. Make room, or set DATA_DIR to a larger disk`,
        ]
      : []),
    ...(freeBytes !== undefined && freeBytes < freeBytesMin && !isCopyTooLarge
      ? [
          `only ${formatMegabytes(freeBytes)} are free, and a full disk stops all calls. Make room, keep fewer days of the log, or set DATA_DIR to a larger disk`,
        ]
      : []),
    ...(Math.abs(clockAheadMs) > clockToleranceMs
      ? [
          `the clock of this machine is ${formatSeconds(clockAheadMs)} ${clockAheadMs > 0 ? "behind" : "ahead of"} that of the database server: set both by NTP`,
        ]
      : []),
    ...(buildIdsAhead(newestEntryAt - now) === "much"
      ? [
          `the newest entry in the database is ${formatSeconds(newestEntryAt - now)} ahead of the clock, and the start is refused: set the clock by NTP if it is wrong; if it is right, it was wrong before, and serve --accept-future-ids starts: new entries are numbered after it and shown with their right time`,
        ]
      : []),
    ...(keyProblem === undefined ? [] : [keyProblem]),
    ...(seal && keyId !== undefined && keyId !== seal.keyId
      ? [
          `the database belongs to the master key ${keyId}, and the one of this environment is ${seal.keyId}: put the master.key of the former into DATA_DIR, or set MASTER_KEY`,
        ]
      : []),
    ...(seal &&
    keyId === undefined &&
    sealedKeys.length > 0 &&
    !sealedKeys.some((sealed) => seal.isOurs(sealed))
      ? [
          "the provider keys were sealed with another master key: put its master.key into DATA_DIR, or set MASTER_KEY",
        ]
      : []),
  ];
}
