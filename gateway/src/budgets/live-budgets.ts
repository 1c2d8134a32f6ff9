/** All budgets in memory, replaced whenever one changes on any node: a call without any looks no further. */
import { anyTagValue } from "@tollgate/contract/tags.ts";
import type { Database } from "../storage/database.ts";
import type { HeldBudget } from "../storage/money-commands.ts";
import { singleFlight } from "../storage/single-flight.ts";
import { modelsIn } from "./budget-rules.ts";
import type { BudgetRow } from "./budget-store.ts";
import { type TimeWindow, windowAt } from "./budget-windows.ts";

/** What decides which budgets a call counts for. */
export interface BudgetedCall {
  /** The moment at which it began, in milliseconds. */
  at: number;
  tokenId: number;
  userId: number;
  /** As the client asked for it. */
  model: string;
  /** Those that are counted, if it has any. */
  tags?: readonly (readonly [key: string, value: string])[] | undefined;
  /** Of a virtual model, the targets that may serve. */
  targets(): readonly string[];
}

export interface LiveBudgets {
  /** In ascending order of ids; undefined when there are none. */
  heldBy(call: BudgetedCall): readonly HeldBudget[] | undefined;
  /** Those of an API key and of its owner. */
  ofKey(key: Pick<BudgetedCall, "tokenId" | "userId">): BudgetRow[];
  find(id: number): BudgetRow | undefined;
}

/** With its latest window: most calls fall into the same one. */
interface LiveBudget {
  row: BudgetRow;
  latest: TimeWindow | undefined;
  /** Those whose calls it counts alone; undefined for all. */
  models: ReadonlySet<string> | undefined;
}

export async function openLiveBudgets({
  sql,
  read,
  onChange,
}: Pick<Database, "sql" | "read" | "onChange">): Promise<LiveBudgets> {
  let budgets = indexed([]);
  const refresh = singleFlight(async () => {
    budgets = indexed(await read(sql.selectFrom("budgets").selectAll().orderBy("id")));
  });
  onChange("budgets", refresh);
  await refresh();
  return {
    heldBy: (call) => heldBy(budgets, call),
    ofKey: ({ tokenId, userId }) =>
      [keyOf("user", userId), keyOf("token", tokenId)].flatMap((key) =>
        (budgets.bySubject.get(key) ?? []).map(({ row }) => row),
      ),
    find: (id) => budgets.byId.get(id)?.row,
  };
}

type IndexedBudgets = ReturnType<typeof indexed>;

/** What calls alike count for, between two moments: a busy key asks for the same list thousands of times. */
interface FoundBudgets {
  held: readonly HeldBudget[] | undefined;
  from: number;
  until: number;
}

/** Of busy keys; more are found anew. */
const foundMax = 2_000;

export function indexed(rows: readonly BudgetRow[]) {
  const all = rows.map((row): LiveBudget => {
    const models = modelsIn(row.models);
    return { row, latest: undefined, models: models.length === 0 ? undefined : new Set(models) };
  });
  return {
    byId: new Map(all.map((budget) => [budget.row.id, budget])),
    bySubject: Map.groupBy(all, ({ row }) => keyOf(row.subject, row.model_name || row.tag || row.subject_id)),
    found: new Map<string, FoundBudgets>(),
  };
}

const keyOf = (subject: BudgetRow["subject"], id: number | string): string => `${subject} ${id}`;

export function heldBy(budgets: IndexedBudgets, call: BudgetedCall): readonly HeldBudget[] | undefined {
  const { bySubject, found } = budgets;
  if (bySubject.size === 0) return undefined;
  const targets = call.targets();
  if (targets.length > 0) return findHeld(budgets, call, targets);
  const { at, tokenId, userId, model, tags = [] } = call;
  const name = `${tokenId} ${userId} ${tags.length > 0 ? JSON.stringify(tags) : ""} ${model}`;
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
  { bySubject }: IndexedBudgets,
  { at, tokenId, userId, model, tags = [] }: BudgetedCall,
  targets: readonly string[],
): readonly HeldBudget[] | undefined {
  const served = [...new Set(targets)].filter((one) => one !== model);
  const found = (key: string, target: string | null = null): HeldBudget[] =>
    (bySubject.get(key) ?? []).flatMap((budget) => {
      const { models } = budget;
      if (models === undefined || models.has(model)) return [heldBudget(budget, at, target)];
      const among = served.filter((one) => models.has(one));
      return among.length === 0 ? [] : [heldBudget(budget, at, among.join(","))];
    });
  /** No value is without a budget where one covers the rest of them. */
  const foundByTag = (key: string, value: string): HeldBudget[] => {
    const own = keyOf("tag", `${key}=${value}`);
    return found(bySubject.has(own) ? own : keyOf("tag", `${key}=${anyTagValue}`));
  };
  const held = [
    ...found(keyOf("site", 0)),
    ...found(keyOf("user", userId)),
    ...found(keyOf("token", tokenId)),
    ...found(keyOf("model", model)),
    ...tags.flatMap(([key, value]) => foundByTag(key, value)),
    ...served.flatMap((one) => found(keyOf("model", one), one)),
  ];
  return held.length === 0 ? undefined : held.sort((one, other) => one.id - other.id);
}

/** A budget that is not enabled counts on, so that switching it on is no surprise. */
function heldBudget(budget: LiveBudget, at: number, target: string | null): HeldBudget {
  const { row, latest } = budget;
  const isInLatest = latest !== undefined && latest.start <= at && (latest.end === null || at < latest.end);
  const window = isInLatest ? latest : windowAt(row, at);
  budget.latest = window;
  const refuses = row.hard === 1 && row.enabled === 1;
  return { id: row.id, start: window.start, end: window.end, max: refuses ? row.amount : null, target };
}
