// Runs of agents: each has its part of a budget of its key, and the sums of runs are those of their
// calls.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { chatBody } from "@tollgate/tests/harness/test-gateway.ts";
import fc from "fast-check";
import { command, pickToken, pickUser, refusedStatuses, slot } from "./model-command.ts";
import { sendTogether } from "./parallel-calls.ts";
import { coveredFor, holdFor, isServed, pay, wholeCharge } from "./reference-model.ts";
import { computeRunRoom, countInRun, runBudgetTerms, storeRunBudget } from "./run-room.ts";

/**
 * Makes the budget of each run of a key, or changes its amount, also to less than a run has spent.
 */
export const setRunBudget = command(
  "set run budget",
  fc.record({ who: slot, at: slot, terms: runBudgetTerms }),
  async (model, gateway, { who, at, terms }) => {
    const token = await pickToken(gateway, pickUser(model, who), at);
    const subject = { subject: "token_run" as const, subject_id: token.id };
    token.runBudget = await storeRunBudget(gateway, subject, token.runBudget, terms);
  },
);

const runName = fc.constantFrom("first", "second");
const namedRun = (run: string) => ({ "x-tollgate-run": run });

/**
 * Calls of one run at once: as many are served as key, wallet and the run's part of the budget
 * cover.
 */
export const runCalls = command(
  "calls of a run",
  fc.record({
    who: slot,
    at: slot,
    run: runName,
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
    const startedAt = performance.now();
    const served = await sendTogether(
      gateway,
      token,
      { model: "whole", max_tokens },
      {
        ...{ calls, covered: isOpen ? coveredFor(user, token) : 0, hold, charge },
        room: computeRunRoom(runBudget, run),
      },
      namedRun(run),
    );
    for (let n = 0; n < served.length; n += 1) pay(user, token, charge);
    const units = served.length * charge;
    user.inRuns = (user.inRuns ?? 0) + units;
    await gateway.compare(user);
    const withinMs = performance.now() - startedAt;
    await eventually(
      async () => {
        // PostgreSQL folds its queue within a second.
        const [row] = await gateway.gateway.rows<{ units: number }>(
          `select sum(quota) as units from runs where user_id = ${user.id} and team_id = 0`,
        );
        assert.equal(Number(row?.units ?? 0), user.inRuns);
      },
      { timeoutMs: 15_000, everyMs: 10 },
    );
    if (runBudget)
      await countInRun(gateway, runBudget, run, { calls: served.length, units, withinMs });
  },
);

/** A call of a run that costs nothing, since its provider fails, counts as a call nevertheless. */
export const failInRun = command(
  "failing call of a run",
  fc.record({ who: slot, at: slot, run: runName, max_tokens: fc.integer({ min: 1, max: 12 }) }),
  async (model, gateway, { who, at, run, max_tokens }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const { runBudget } = token;
    const hold = holdFor(gateway.price("failing"), gateway.groupRatio(), max_tokens);
    const { units, atOnce } = computeRunRoom(runBudget, run);
    const isTried = isServed(user, token, hold) && units >= hold && atOnce >= 1;
    const startedAt = performance.now();
    const { status, text } = await readReply(
      await gateway.gateway.world.send(token.key, chatBody({ model: "failing", max_tokens }), {
        headers: namedRun(run),
      }),
    );
    assert.ok(isTried ? status >= 500 : refusedStatuses.includes(status), `${status}: ${text}`);
    await gateway.compare(user);
    const withinMs = performance.now() - startedAt;
    const calls = isTried ? 1 : 0;
    if (runBudget) await countInRun(gateway, runBudget, run, { calls, units: 0, withinMs });
  },
);
