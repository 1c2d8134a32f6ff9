// Runs of agents: each has its part of a budget of its key, and the sums of runs are those of their
// calls.
import assert from "node:assert/strict";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import fc from "fast-check";
import { command, pickToken, pickUser, slot } from "./model-command.ts";
import { sendTogether } from "./parallel-calls.ts";
import { coveredFor, holdFor, pay, wholeCharge } from "./reference-model.ts";

/**
 * Makes the budget of each run of a key, or changes its amount, also to less than a run has spent.
 */
export const setRunBudget = command(
  "set run budget",
  fc.record({ who: slot, at: slot, amount: fc.integer({ min: 1, max: 300 }) }),
  async (model, gateway, { who, at, amount }) => {
    const token = await pickToken(gateway, pickUser(model, who), at);
    const { root } = gateway.gateway;
    if (token.runBudget) {
      await root("PUT", "/api/budget/", { id: token.runBudget.id, amount });
      token.runBudget.amount = amount;
      return;
    }
    const { id } = await root<{ id: number }>("POST", "/api/budget/", {
      ...{
        subject: "token_run",
        subject_id: token.id,
        name: "of each run",
        window: "lifetime",
        amount,
      },
    });
    token.runBudget = { id, amount, spent: new Map() };
  },
);

/**
 * Calls of one run at once: as many are served as key, wallet and the run's part of the budget
 * cover.
 */
export const runCalls = command(
  "calls of a run",
  fc.record({
    who: slot,
    at: slot,
    run: fc.constantFrom("first", "second"),
    calls: fc.integer({ min: 1, max: 4 }),
    max_tokens: fc.integer({ min: 1, max: 12 }),
  }),
  async (model, gateway, { who, at, run, calls, max_tokens }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const price = gateway.price("whole");
    const hold = holdFor(price, gateway.groupRatio(), max_tokens);
    const charge = wholeCharge(price, gateway.groupRatio(), max_tokens);
    const isOpen = user.isEnabled && token.isEnabled && user.debt === 0;
    const { runBudget } = token;
    const spent = runBudget?.spent.get(run) ?? 0;
    const left = runBudget ? runBudget.amount - spent : Number.POSITIVE_INFINITY;
    const covered = isOpen ? Math.min(coveredFor(user, token), left) : 0;
    const asked = { model: "whole", max_tokens };
    const headers = { "x-tollgate-run": run };
    const served = await sendTogether(
      gateway,
      token,
      asked,
      { calls, covered, hold, charge },
      headers,
    );
    for (let n = 0; n < served.length; n += 1) pay(user, token, charge);
    const units = served.length * charge;
    user.inRuns = (user.inRuns ?? 0) + units;
    runBudget?.spent.set(run, spent + units);
    await gateway.compare(user);
    const sum = async (query: string): Promise<number> => {
      const [row] = await gateway.gateway.rows<{ units: number }>(query);
      return Number(row?.units ?? 0);
    };
    await eventually(
      async () => {
        // PostgreSQL folds its queue within a second.
        assert.equal(
          await sum(`select sum(quota) as units from runs where user_id = ${user.id}`),
          user.inRuns,
        );
        if (!runBudget) return;
        const counters = `from budget_counters where budget_id = ${runBudget.id}`;
        const parts = [...runBudget.spent.values()];
        assert.equal(
          await sum(`select sum(spent) as units ${counters}`),
          parts.reduce((total, part) => total + part, 0),
        );
        assert.equal(await sum(`select max(spent) as units ${counters}`), Math.max(...parts));
        assert.equal(await sum(`select sum(held) as units ${counters}`), 0);
      },
      { timeoutMs: 15_000, everyMs: 10 },
    );
  },
);
