/** The command `doctor`: what the next start of this program would change, and what would keep it from starting. Pure. */
import type { DatabaseState } from "./database-state.ts";

/** Exit codes: nothing changes at the next start, the schema does, the program would not start well. */
export const doctorExitCodes = { current: 0, upgrade: 2, problem: 1 } as const;

export interface Examined {
  state: DatabaseState;
  /** Where the database lies, without secrets. */
  place: string;
  /** Of the file system of SQLite's file; undefined on PostgreSQL. */
  freeBytes: number | undefined;
  /** Whether a value was sealed with the master key of this environment. */
  isOurs(sealed: string): boolean;
  /** On variables of the environment that are read by another name, or not read. */
  notes: readonly string[];
}

const bytesPerMegabyte = 1_000_000;
const megabytes = (bytes: number): string => `${(bytes / bytesPerMegabyte).toFixed(1)} MB`;

/** One line for each finding: its kind first, and what to do where it is a problem. */
export function doctorReport(examined: Examined): { lines: string[]; exitCode: number } {
  const problems = problemsOf(examined);
  const changes = changesOf(examined);
  const { problem, upgrade, current } = doctorExitCodes;
  const exitCode = problems.length > 0 ? problem : changes.length > 0 ? upgrade : current;
  return {
    lines: [
      ...stateLines(examined).map((text) => `ok       ${text}`),
      ...changes.map((text) => `change   ${text}`),
      ...examined.notes.map((text) => `note     ${text}`),
      ...problems.map((text) => `problem  ${text}`),
    ],
    exitCode,
  };
}

function stateLines({ state, place }: Examined): string[] {
  const { schema, bytes, pending } = state;
  if (schema === undefined) return [`${place} is empty: the first start creates the tables`];
  const isCurrent = pending.length === 0 ? "which is that of this program" : "which is older than this program";
  return [`${place} has ${megabytes(bytes)} and the schema ${schema}, ${isCurrent}`];
}

function changesOf({ state: { schema, pending, bytes, dialect }, place }: Examined): string[] {
  const [first] = pending;
  if (schema === undefined || !first) return [];
  const back =
    dialect === "sqlite"
      ? `before that, the start copies the database (${megabytes(bytes)}) to ${place}.before-${first.id}: to go back, put it in place`
      : "make a backup before: to go back, restore it";
  const names = pending.map(({ id, name }) => `${id} ${name}`).join(", ");
  return [`the start migrates in one transaction: ${names}`, back];
}

function problemsOf({ state: { schema, pending, bytes, sealedKeys }, freeBytes, isOurs }: Examined): string[] {
  const copies = schema !== undefined && pending.length > 0;
  return [
    ...(copies && freeBytes !== undefined && freeBytes < bytes
      ? [`the copy does not fit: ${megabytes(freeBytes)} are free. Make room, or set DATA_DIR to a larger disk`]
      : []),
    ...(sealedKeys.length > 0 && !sealedKeys.some(isOurs)
      ? ["the provider keys were sealed with another master key: put its master.key into DATA_DIR, or set MASTER_KEY"]
      : []),
  ];
}
