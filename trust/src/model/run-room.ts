// Budgets of each run of a key or a team: what a run has left, and what its calls add.
import assert from "node:assert/strict";
import type { BudgetMeasure, RunSubject } from "@tollgate/contract/accounts/budget-kinds.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import fc from "fast-check";
import type { ModelGateway } from "./model-gateway.ts";
import { minute } from "./operator-commands.ts";
import type { ModelRunBudget } from "./reference-model.ts";

/** An amount as the API takes it: units, calls or minutes. */
interface RunBudgetTerms {
  measure: BudgetMeasure;
  amount: number;
}

const termsOf = (measure: BudgetMeasure, max: number): fc.Arbitrary<RunBudgetTerms> =>
  fc.record({ measure: fc.constant(measure), amount: fc.integer({ min: 1, max }) });

export const runBudgetTerms = fc.oneof(
  { weight: 2, arbitrary: termsOf("quota", 300) },
  { weight: 2, arbitrary: termsOf("calls", 8) },
  { weight: 1, arbitrary: termsOf("minutes", 4) },
);

const countedAs = { quota: 1, calls: 1, minutes: minute } as const satisfies Record<
  BudgetMeasure,
  number
>;

/** Makes the budget, or changes its amount; a budget of another measure is another budget. */
export async function storeRunBudget(
  { gateway: { root } }: ModelGateway,
  subject: { subject: RunSubject; subject_id: number },
  before: ModelRunBudget | undefined,
  { measure, amount }: RunBudgetTerms,
): Promise<ModelRunBudget> {
  const counted = amount * countedAs[measure];
  if (before?.measure === measure) {
    await root("PUT", "/api/budget/", { id: before.id, amount });
    return Object.assign(before, { amount: counted });
  }
  if (before) await root("DELETE", `/api/budget/${before.id}`);
  const { id } = await root<{ id: number }>("POST", "/api/budget/", {
    ...{ ...subject, name: "of each run", window: "lifetime", measure, amount },
  });
  return { id, measure, amount: counted, spent: new Map() };
}

export interface RunRoom {
  /** Units that calls of the run may take at most. */
  units: number;
  /** Calls that surely begin, however many come at once. */
  atOnce: number;
  /** Calls that begin at most, one after the other too. */
  inAll: number;
}

export const wideRoom: RunRoom = {
  units: Number.POSITIVE_INFINITY,
  atOnce: Number.POSITIVE_INFINITY,
  inAll: Number.POSITIVE_INFINITY,
};

export function computeRunRoom(budget: ModelRunBudget | undefined, run: string): RunRoom {
  if (!budget) return wideRoom;
  const left = Math.max(0, budget.amount - (budget.spent.get(run) ?? 0));
  switch (budget.measure) {
    case "quota":
      return { ...wideRoom, units: left };
    case "calls":
      return { ...wideRoom, atOnce: left, inAll: left };
    case "minutes": {
      // A call sets one minute aside, and most of it is free again at its end.
      const atOnce = Math.floor(left / minute);
      return { ...wideRoom, atOnce, inAll: atOnce === 0 ? 0 : Number.POSITIVE_INFINITY };
    }
    default:
      return budget.measure satisfies never;
  }
}

/** Adds ended calls to their run, and compares every part of the budget with what is stored. */
export async function countInRun(
  { gateway }: ModelGateway,
  budget: ModelRunBudget,
  run: string,
  { calls, units, withinMs }: { calls: number; units: number; withinMs: number },
): Promise<void> {
  const counters = `from budget_counters where budget_id = ${budget.id}`;
  const sum = async (query: string): Promise<number> => {
    const [row] = await gateway.rows<{ units: number }>(query);
    return Number(row?.units ?? 0);
  };
  const spent = budget.spent.get(run) ?? 0;
  const sumOfParts = () => [...budget.spent.values()].reduce((total, part) => total + part, 0);
  await eventually(
    async () => assert.equal(await sum(`select sum(held) as units ${counters}`), 0),
    { timeoutMs: 15_000, everyMs: 2 },
  );
  if (budget.measure === "minutes") {
    const ran = (await sum(`select sum(spent) as units ${counters}`)) - sumOfParts();
    assert.ok(ran >= 0 && ran <= calls * withinMs, `${calls} calls ran for ${ran} ms`);
    budget.spent.set(run, spent + ran);
  } else budget.spent.set(run, spent + (budget.measure === "calls" ? calls : units));
  await eventually(
    async () => {
      assert.equal(await sum(`select sum(spent) as units ${counters}`), sumOfParts());
      assert.equal(
        await sum(`select max(spent) as units ${counters}`),
        Math.max(0, ...budget.spent.values()),
      );
    },
    { timeoutMs: 15_000, everyMs: 10 },
  );
}
