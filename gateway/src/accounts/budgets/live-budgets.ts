/**
 * The budgets of all subjects in memory, replaced whenever one changes on any node: a call without
 * any looks no further.
 */
import { readModelInstead, runSubjects } from "@tollgate/contract/accounts/budget-kinds.ts";
import { anyTagValue } from "@tollgate/contract/accounts/tags.ts";
import { findWindow, type TimeWindow } from "../../money/holds/budget-windows.ts";
import type { Database } from "../../storage/database.ts";
import type { HeldBudget } from "../../storage/money-commands.ts";
import { makeSingleFlight } from "../../storage/single-flight.ts";
import { computeOwnHold } from "./budget-measures.ts";
import { parseModels } from "./budget-rules.ts";
import type { BudgetRow } from "./budget-store.ts";

/** `BudgetedCall` has the facts that decide which budgets a call counts for. */
export interface BudgetedCall {
  /** The moment at which it began, in milliseconds. */
  at: number;
  tokenId: number;
  userId: number;
  /** The team that pays; 0 where the user does. */
  teamId: number;
  /** The user's membership in that team; 0 for none. */
  memberId: number;
  /** `model` is as the client asked for it. */
  model: string;
  /** `tags` hold those that are counted, if it has any. */
  tags?: readonly (readonly [key: string, value: string])[] | undefined;
  /** The run of an agent that it belongs to, if any. */
  run?: string | undefined;
  /** `targets` are the models of a virtual model that may serve. */
  targets(): readonly string[];
}

/** `PayingKey` is what budgets read of an API key. */
export type PayingKey = Pick<BudgetedCall, "tokenId" | "userId" | "teamId" | "memberId">;

export interface LiveBudgets {
  /** `heldBy` gives them in ascending order of ids; undefined when there are none. */
  heldBy(call: BudgetedCall): readonly HeldBudget[] | undefined;
  /**
   * `hasChannels` says whether any channel has a budget: where none has, no attempt asks for them.
   */
  hasChannels(): boolean;
  /**
   * `ofChannel` gives those of a channel for a call that began at `at`, by the model that the
   * client asked for and the one that serves: in ascending order of ids.
   */
  ofChannel(channelId: number, at: number, models: readonly string[]): readonly HeldBudget[];
  /** `ofKey` gives those of an API key, of its owner, and of the team that pays for it. */
  ofKey(key: PayingKey): BudgetRow[];
  find(id: number): BudgetRow | undefined;
}

/** `LiveBudget` comes with its latest window: most calls fall into the same one. */
interface LiveBudget {
  row: BudgetRow;
  latest: TimeWindow | undefined;
  /** `models` hold those whose calls it counts alone; undefined for all. */
  models: ReadonlySet<string> | undefined;
  /** `modelInstead` is where calls go that it does not cover: it refuses none of this model's. */
  modelInstead: string | undefined;
}

export async function openLiveBudgets({
  sql,
  read,
  onChange,
}: Pick<Database, "sql" | "read" | "onChange">): Promise<LiveBudgets> {
  let budgets = indexBudgets([]);
  const refresh = makeSingleFlight(async () => {
    budgets = indexBudgets(await read(sql.selectFrom("budgets").selectAll().orderBy("id")));
  });
  onChange("budgets", refresh);
  await refresh();
  return {
    heldBy: (call) => findHeldBudgets(budgets, call),
    hasChannels: () => budgets.byChannel.size > 0,
    ofChannel: (channelId, at, models) => findChannelBudgets(budgets, channelId, at, models),
    ofKey: (key) =>
      listKeySubjects(key).flatMap((subject) =>
        findBudgets(budgets, subject).map(({ row }) => row),
      ),
    find: (id) => budgets.byId.get(id)?.row,
  };
}

type IndexedBudgets = ReturnType<typeof indexBudgets>;

/**
 * `FoundBudgets` are what calls alike count for, between two moments: a busy key asks for the same
 * list thousands of times.
 */
interface FoundBudgets {
  held: readonly HeldBudget[] | undefined;
  from: number;
  until: number;
}

/** `foundMax` is that of busy keys; more are found anew. */
const foundMax = 2_000;

export function indexBudgets(rows: readonly BudgetRow[]) {
  const all = rows.map((row): LiveBudget => {
    const models = parseModels(row.models);
    return {
      ...{ row, latest: undefined, modelInstead: readModelInstead(row.on_reached) },
      models: models.length === 0 ? undefined : new Set(models),
    };
  });
  return {
    byId: new Map(all.map((budget) => [budget.row.id, budget])),
    bySubject: Map.groupBy(
      all.filter(({ row }) => row.subject !== "channel"),
      ({ row }) => composeKey(row.subject, row.model_name || row.tag || row.subject_id),
    ),
    byChannel: Map.groupBy(
      all.filter(({ row }) => row.subject === "channel"),
      ({ row }) => row.subject_id,
    ),
    found: new Map<string, FoundBudgets>(),
  };
}

export const findChannelBudgets = (
  { byChannel }: Pick<IndexedBudgets, "byChannel">,
  channelId: number,
  at: number,
  asked: readonly string[],
): HeldBudget[] =>
  (byChannel.get(channelId) ?? [])
    .filter(({ models }) => models === undefined || asked.some((model) => models.has(model)))
    .map((budget) => buildHeldBudget(budget, at));

interface NamedSubject {
  key: string;
  /** `isForTeamKeys` selects those budgets of the user that count keys of teams. */
  isForTeamKeys?: boolean;
}

/** `listKeySubjects` is for whom the calls of a key count besides the site, models and tags. */
const listKeySubjects = ({ tokenId, userId, teamId, memberId }: PayingKey): NamedSubject[] => [
  { key: composeKey("user", userId), isForTeamKeys: teamId !== 0 },
  { key: composeKey("token", tokenId) },
  ...(teamId === 0 ? [] : [{ key: composeKey("team", teamId) }]),
  ...(memberId === 0 ? [] : [{ key: composeKey("member", memberId) }]),
];

/** `listRunSubjects` are those that count the run of a call by itself. */
const listRunSubjects = ({ tokenId, teamId }: PayingKey): string[] => [
  composeKey("run", 0),
  composeKey("token_run", tokenId),
  ...(teamId === 0 ? [] : [composeKey("team_run", teamId)]),
];

const findBudgets = (
  { bySubject }: Pick<IndexedBudgets, "bySubject">,
  { key, isForTeamKeys = false }: NamedSubject,
): LiveBudget[] => {
  const found = bySubject.get(key) ?? [];
  return isForTeamKeys ? found.filter(({ row }) => row.counts_team_keys === 1) : found;
};

const composeKey = (subject: BudgetRow["subject"], id: number | string): string =>
  `${subject} ${id}`;

export function findHeldBudgets(
  budgets: IndexedBudgets,
  call: BudgetedCall,
): readonly HeldBudget[] | undefined {
  const held = findHeldByAll(budgets, call);
  const { run } = call;
  if (run === undefined || held === undefined) return held;
  return held.some(({ part }) => part !== undefined)
    ? held.map((one) => (one.part === undefined ? one : { ...one, part: run }))
    : held;
}

/**
 * `findHeldByAll` leaves out the name of the run in budgets that count each run by itself: calls of
 * all runs share the result.
 */
function findHeldByAll(
  budgets: IndexedBudgets,
  call: BudgetedCall,
): readonly HeldBudget[] | undefined {
  const { bySubject, found } = budgets;
  if (bySubject.size === 0) return undefined;
  const targets = call.targets();
  if (targets.length > 0) return findHeld(budgets, call, targets);
  const { at, tokenId, userId, teamId, memberId, model, tags = [], run } = call;
  // A key that changes its team counts for others from the next call on.
  const payer = teamId === 0 ? "" : `${teamId}/${memberId}`;
  const inRun = run === undefined ? "" : "run ";
  const name = `${tokenId} ${userId}${payer} ${inRun}${tags.length > 0 ? JSON.stringify(tags) : ""} ${model}`;
  const known = found.get(name);
  if (known && at >= known.from && at < known.until) return known.held;
  const held = findHeld(budgets, call, targets);
  if (found.size >= foundMax) found.clear();
  found.set(name, {
    held,
    from: Math.max(0, ...(held ?? []).map(({ start }) => start)),
    until: Math.min(...(held ?? []).map(({ end }) => end ?? Number.POSITIVE_INFINITY)),
  });
  return held;
}

function findHeld(
  budgets: IndexedBudgets,
  { at, model, tags = [], run, ...payer }: BudgetedCall,
  targets: readonly string[],
): readonly HeldBudget[] | undefined {
  const served = [...new Set(targets)].filter((one) => one !== model);
  const foundFor = (subject: NamedSubject, target: string | null = null): HeldBudget[] =>
    findBudgets(budgets, subject).flatMap((budget) => {
      const { models } = budget;
      const isRefusing = budget.modelInstead !== model;
      const build = (counted: string | null) => buildHeldBudget(budget, at, counted, isRefusing);
      if (models === undefined || models.has(model)) return [build(target)];
      const among = served.filter((one) => models.has(one));
      return among.length === 0 ? [] : [build(among.join(","))];
    });
  const found = (key: string, target?: string): HeldBudget[] => foundFor({ key }, target);
  /** No value is without a budget where one covers the rest of them. */
  const foundByTag = (key: string, value: string): HeldBudget[] => {
    const own = composeKey("tag", `${key}=${value}`);
    return found(budgets.bySubject.has(own) ? own : composeKey("tag", `${key}=${anyTagValue}`));
  };
  const held = [
    ...found(composeKey("site", 0)),
    ...listKeySubjects(payer).flatMap((subject) => foundFor(subject)),
    ...found(composeKey("model", model)),
    ...(run === undefined ? [] : listRunSubjects(payer).flatMap((key) => found(key))),
    ...tags.flatMap(([key, value]) => foundByTag(key, value)),
    ...served.flatMap((one) => found(composeKey("model", one), one)),
  ];
  return held.length === 0 ? undefined : held.sort((one, other) => one.id - other.id);
}

/** A budget that is not enabled counts on, so that switching it on is no surprise. */
function buildHeldBudget(
  budget: LiveBudget,
  at: number,
  target: string | null = null,
  isRefusing = true,
): HeldBudget {
  const { row, latest } = budget;
  const isInLatest =
    latest !== undefined && latest.start <= at && (latest.end === null || at < latest.end);
  const window = isInLatest ? latest : findWindow(row, at);
  budget.latest = window;
  const refuses = isRefusing && row.hard === 1 && row.enabled === 1;
  const isByRun = runSubjects.includes(row.subject);
  const { measure } = row;
  const amount = computeOwnHold(measure);
  return {
    ...{
      id: row.id,
      start: window.start,
      end: window.end,
      max: refuses ? row.amount : null,
      target,
    },
    ...(isByRun && { part: "" }),
    ...(measure !== "quota" && amount !== undefined && { measure, amount }),
  };
}
