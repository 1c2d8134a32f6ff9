/**
 * Acts on many rows: the fate of each row is planned first, then all is written in one transaction.
 */
import type { BulkMembers, BulkRow } from "@tollgate/contract/api/bulk-verbs.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { ChangeTopic, Database, Write } from "../storage/database.ts";
import { Refusal, refuse } from "./refusal.ts";

/** `BulkStep` is what the act does to one row. */
export interface BulkStep {
  before?: BulkMembers;
  after?: BulkMembers;
  writes: Write[];
  /** Apart from the rest: the chain of the audit trail is locked last, after all rows. */
  audits?: Write[];
}

interface NamedRow {
  id: number;
  uuid: string;
}

interface BulkPlanning<Row extends NamedRow> {
  ids: readonly Reference[];
  find(reference: Reference): Promise<Row | undefined>;
  /** The code for an id of nothing. */
  missing: ErrorCode;
  nameOf(row: Row): string;
  /** Refuses, by the rules of the single act, a row that is then skipped. */
  step(row: Row): BulkStep | Promise<BulkStep>;
}

export interface BulkResult {
  changed: number;
  rows: BulkRow[];
}

interface BulkPlan {
  reply: BulkResult;
  /** Rows by id, so that two acts on the same rows lock them in the same order. */
  writes: Write[];
}

/** A row that is named twice is planned once. */
export async function planBulk<Row extends NamedRow>(
  planning: BulkPlanning<Row>,
): Promise<BulkPlan> {
  const { ids, find, missing, nameOf, step } = planning;
  const found = new Map<number, Row>();
  const skipped: BulkRow[] = [];
  for (const reference of ids) {
    const row = await find(reference);
    if (row) found.set(row.id, row);
    else
      skipped.push(
        buildSkippedRow(
          { id: reference.id ?? 0, uuid: reference.uuid ?? "", name: "" },
          refuse(missing),
        ),
      );
  }
  const rows: BulkRow[] = [];
  const steps: [id: number, step: BulkStep][] = [];
  for (const row of found.values()) {
    const named = { id: row.id, uuid: row.uuid, name: nameOf(row) };
    const planned = await readPlannedStep(() => step(row));
    if (planned instanceof Refusal) rows.push(buildSkippedRow(named, planned));
    else {
      const { before = {}, after = {} } = planned;
      rows.push({ ...named, skipped: null, before, after });
      steps.push([row.id, planned]);
    }
  }
  const ordered = steps.sort(([a], [b]) => a - b).map(([, planned]) => planned);
  return {
    reply: { changed: steps.length, rows: [...rows, ...skipped] },
    writes: [
      ...ordered.flatMap(({ writes }) => writes),
      ...ordered.flatMap(({ audits = [] }) => audits),
    ],
  };
}

/** A request that is wrong for every row is refused as a whole. */
async function readPlannedStep(
  step: () => BulkStep | Promise<BulkStep>,
): Promise<BulkStep | Refusal> {
  try {
    return await step();
  } catch (error) {
    if (error instanceof Refusal && error.code !== "invalid_request") return error;
    throw error;
  }
}

const buildSkippedRow = (
  row: Pick<BulkRow, "id" | "uuid" | "name">,
  { code, message }: Refusal,
): BulkRow => ({
  ...row,
  skipped: { code, message },
  before: {},
  after: {},
});

/**
 * Writes the plan unless it is a preview. A row that changed since it was read refuses the whole.
 */
export async function runBulk(
  db: Pick<Database, "write">,
  { reply, writes }: BulkPlan,
  { preview, changes }: { preview: boolean | undefined; changes: readonly ChangeTopic[] },
): Promise<BulkResult> {
  if (preview !== true && writes.length > 0) await db.write(writes, { changes });
  return reply;
}
