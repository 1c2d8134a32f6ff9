/** The plan for one kind of a configuration document, and how its objects find their rows. */
import { isDeepStrictEqual } from "node:util";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type {
  ConfigurationKind,
  ConfigurationProblem,
  ConfigurationRequest,
  PlannedChange,
} from "@tollgate/contract/commands/configuration.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import type { ChangeTopic, Write } from "../../storage/database.ts";
import {
  createDocumentFinder,
  type FoundByDocument,
  type NamedInDocument,
  readIdentity,
} from "./document-finder.ts";

/** `KindPlan` is what becomes of one kind: one transaction, all of it or nothing. */
export interface KindPlan {
  topics: readonly ChangeTopic[];
  changes: PlannedChange[];
  unchanged: number;
  problems: ConfigurationProblem[];
  writes: Write[];
  /** The chain of the audit trail is locked last, after all rows. */
  audits: Write[];
}

export interface PlannedStep {
  action: PlannedChange["action"];
  members?: string[];
  writes: Write[];
  audits: Write[];
}

export const emptyPlan = (...topics: ChangeTopic[]): KindPlan => ({
  topics,
  changes: [],
  unchanged: 0,
  problems: [],
  writes: [],
  audits: [],
});

/**
 * A refusal is a problem of this one; the others are planned all the same, so that all problems
 * show at once.
 */
export async function addStep(
  plan: KindPlan,
  kind: ConfigurationKind,
  name: string,
  step: () => PlannedStep | undefined | Promise<PlannedStep | undefined>,
): Promise<void> {
  try {
    const planned = await step();
    if (!planned) {
      plan.unchanged += 1;
      return;
    }
    const { action, members = [], writes, audits } = planned;
    plan.changes.push({ kind, name, action, members });
    plan.writes.push(...writes);
    plan.audits.push(...audits);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    plan.problems.push({ kind, name, code: error.code, message: error.message });
  }
}

interface LeavingKind<Row> {
  kind: ConfigurationKind;
  nameOf(row: Row): string;
  remove(row: Row): Pick<PlannedStep, "writes" | "audits">;
}

/**
 * Rows that the file manages and its document does not name: deleted when the request prunes, and
 * otherwise only shown.
 */
export async function addLeavingSteps<Row>(
  plan: KindPlan,
  rows: readonly Row[],
  prune: boolean,
  { kind, nameOf, remove }: LeavingKind<Row>,
): Promise<void> {
  for (const row of rows)
    await addStep(plan, kind, nameOf(row), () =>
      prune ? { action: "delete", ...remove(row) } : { action: "left", writes: [], audits: [] },
    );
}

/**
 * A row may be changed by its own file, and by another one that takes it over. Returns whether it
 * is taken over.
 */
export function isTakenOver(
  row: { managed_by: string },
  { file, adopt }: ConfigurationRequest,
): boolean {
  if (row.managed_by === file) return false;
  if (adopt) return true;
  throw refuse("not_of_this_file", {
    message:
      row.managed_by === ""
        ? "This exists already and was made in the console. Apply with --adopt to take it over"
        : `This belongs to the file ${row.managed_by}. Apply with --adopt to take it over`,
  });
}

interface FoundKind<Wanted, Row> {
  kind: ConfigurationKind;
  /** `row`: what the document means, where it exists. */
  step(
    wanted: Wanted,
    row: Row | undefined,
  ): PlannedStep | undefined | Promise<PlannedStep | undefined>;
  remove(row: Row): Pick<PlannedStep, "writes" | "audits">;
}

/**
 * The steps of a kind whose rows `createDocumentFinder` finds: what the document names, then what
 * it left.
 */
export async function addFoundSteps<
  Wanted extends NamedInDocument,
  Row extends FoundByDocument & { id: number; managed_by: string },
>(
  plan: KindPlan,
  { file, prune }: ConfigurationRequest,
  { wanted, rows }: { wanted: readonly Wanted[] | undefined; rows: readonly Row[] },
  { kind, step, remove }: FoundKind<Wanted, Row>,
): Promise<void> {
  const find = createDocumentFinder(rows);
  const meant = new Set<number>();
  const named = new Set<string>();
  for (const one of wanted ?? []) {
    const identity = readIdentity(one);
    await addStep(plan, kind, identity, () => {
      if (named.has(identity)) throw refuse("configuration_twice");
      named.add(identity);
      const row = find(one);
      if (row) meant.add(row.id);
      return step(one, row);
    });
  }
  const leaving = rows.filter(({ id, managed_by }) => managed_by === file && !meant.has(id));
  await addLeavingSteps(plan, leaving, prune, {
    kind,
    nameOf: ({ external_id, name }) => external_id ?? name,
    remove,
  });
}

interface NamedKind<Wanted, Row> {
  kind: ConfigurationKind;
  /** The name by which the document and the table know one. */
  nameOf(one: Wanted | Row): string;
  /** `limit` says how many rows there may be, and the refusal of one more. */
  limit?: { max: number; code: ErrorCode };
  step(wanted: Wanted, row: Row | undefined): PlannedStep | undefined;
  remove(row: Row): Pick<PlannedStep, "writes" | "audits">;
}

/**
 * The steps of a kind whose rows have a name of their own each: what the document left, which makes
 * room, then what it names.
 */
export async function addNamedSteps<Wanted, Row extends { managed_by: string }>(
  plan: KindPlan,
  { file, prune }: ConfigurationRequest,
  { wanted = [], rows }: { wanted: readonly Wanted[] | undefined; rows: readonly Row[] },
  { kind, nameOf, limit, step, remove }: NamedKind<Wanted, Row>,
): Promise<void> {
  const byName = new Map(rows.map((row) => [nameOf(row), row]));
  const wantedNames = new Set(wanted.map(nameOf));
  const leaving = rows.filter((row) => row.managed_by === file && !wantedNames.has(nameOf(row)));
  await addLeavingSteps(plan, leaving, prune, { kind, nameOf, remove });
  let count = rows.length - (prune ? leaving.length : 0);
  const named = new Set<string>();
  for (const one of wanted) {
    const name = nameOf(one);
    await addStep(plan, kind, name, () => {
      if (named.has(name)) throw refuse("configuration_twice");
      named.add(name);
      const row = byName.get(name);
      const planned = step(one, row);
      if (!row) count += 1;
      if (limit && count > limit.max) throw refuse(limit.code);
      return planned;
    });
  }
}

/**
 * The members of `before` whose values differ, by meaning: JSON of the same values may be stored in
 * another order.
 */
export function changeMembers<Settings extends object>(
  before: Settings,
  settings: Settings,
): string[] {
  const names = Object.keys(before) as (keyof Settings & string)[];
  return names.filter((name) => !isDeepStrictEqual(before[name], settings[name]));
}

/**
 * `findAction` says how a row with these changed members is written; undefined where it stays as it
 * is.
 */
export function findAction(
  row: { managed_by: string },
  members: readonly string[],
  request: ConfigurationRequest,
): "adopt" | "update" | undefined {
  if (members.length === 0 && !(request.adopt && row.managed_by !== request.file)) return undefined;
  return isTakenOver(row, request) ? "adopt" : "update";
}
