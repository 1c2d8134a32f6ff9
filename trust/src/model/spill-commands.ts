// Budgets of channels: the first channel is used as far as its budget goes, and the next one serves
// the rest.
import assert from "node:assert/strict";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import fc from "fast-check";
import { command, pickToken, pickUser, slot } from "./model-command.ts";
import { sendTogether } from "./parallel-calls.ts";
import { coveredFor, holdFor, pay, unspentOf, wholeCharge } from "./reference-model.ts";

/** Makes the budget of the first channel, or changes its amount, also to less than was spent. */
export const setChannelBudget = command(
  "set channel budget",
  fc.record({ amount: fc.integer({ min: 1, max: 300 }) }),
  async (model, gateway, { amount }) => {
    const { root } = gateway.gateway;
    if (model.channelBudget) {
      await root("PUT", "/api/budget/", { id: model.channelBudget.id, amount });
      model.channelBudget.amount = amount;
      return;
    }
    const [subject_id] = gateway.channelsOf("spilled");
    const { id } = await root<{ id: number }>("POST", "/api/budget/", {
      ...{ subject: "channel", subject_id, name: "of the account", window: "lifetime", amount },
    });
    model.channelBudget = { id, amount, spent: 0 };
  },
);

/**
 * Calls at once: as many are served as key and wallet cover, and of those as many by the first
 * channel as its budget covers.
 */
export const spilledCalls = command(
  "spilled calls",
  fc.record({
    who: slot,
    at: slot,
    calls: fc.integer({ min: 1, max: 4 }),
    max_tokens: fc.integer({ min: 1, max: 12 }),
  }),
  async (model, gateway, { who, at, calls, max_tokens }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const price = gateway.price("spilled");
    const hold = holdFor(price, gateway.groupRatio(), max_tokens);
    const charge = wholeCharge(price, gateway.groupRatio(), max_tokens);
    const isOpen = user.isEnabled && token.isEnabled && user.debt === 0;
    const covered = isOpen ? coveredFor(user, token) : 0;
    const served = await sendTogether(
      gateway,
      token,
      { model: "spilled", max_tokens },
      { calls, covered, hold, charge },
    );
    for (let n = 0; n < served.length; n += 1) pay(user, token, charge);
    await gateway.compare(user);
    if (served.length === 0) return;

    const [first] = gateway.channelsOf("spilled");
    const [row] = await gateway.gateway.rows<{ there: number }>(
      `select count(*) as there from logs where id in (${served.join(", ")}) and channel_id = ${first}`,
    );
    const there = Number(row?.there);
    const { channelBudget } = model;
    const left = unspentOf(channelBudget);
    assert.ok(
      there >= Math.min(served.length, Math.floor(left / hold)),
      `only ${there} on the first channel`,
    );
    assert.ok(
      there === 0 || hold + (there - 1) * charge <= left,
      `${there} on the first channel from ${left}`,
    );
    if (!channelBudget) return;
    channelBudget.spent += there * charge;
    await eventually(
      async () => {
        const [counter] = await gateway.gateway.rows<{ spent: number; held: number }>(
          `select spent, held from budget_counters where budget_id = ${channelBudget.id}`,
        );
        assert.deepEqual(
          [Number(counter?.spent ?? 0), Number(counter?.held ?? 0)],
          [channelBudget.spent, 0],
        );
      },
      { timeoutMs: 15_000, everyMs: 2 },
    );
  },
);
