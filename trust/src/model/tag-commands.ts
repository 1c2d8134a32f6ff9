// Budgets of tags: calls that say the tag are held for against its budget too.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import { chatBody } from "@tollgate/tests/harness/test-gateway.ts";
import fc from "fast-check";
import { command, pickToken, pickUser, refusedStatuses, slot } from "./model-command.ts";
import { coveredFor, holdFor, pay, tagOf, unspentOf, wholeCharge } from "./reference-model.ts";

/** Makes the budget of the user's tag, perhaps for one model alone, or changes its amount, also to less than was spent. */
export const setTagBudget = command(
  "set tag budget",
  fc.record({
    who: slot,
    amount: fc.integer({ min: 1, max: 300 }),
    onlyModel: fc.constantFrom(undefined, "whole", "retried"),
  }),
  async (model, gateway, { who, amount, onlyModel }) => {
    const user = pickUser(model, who);
    const { root } = gateway.gateway;
    if (user.tagBudget) {
      await root("PUT", "/api/budget/", { id: user.tagBudget.id, amount });
      user.tagBudget.amount = amount;
    } else {
      const { id } = await root<{ id: number }>("POST", "/api/budget/", {
        ...{ subject: "tag", tag: tagOf(user), name: "of the tag", window: "lifetime", amount },
        models: onlyModel === undefined ? [] : [onlyModel],
      });
      user.tagBudget = { id, amount, spent: 0, onlyModel };
    }
    await gateway.compare(user);
  },
);

/** Calls at once with the tag: as many are served as key, wallet and the budget of the tag cover. */
export const taggedCalls = command(
  "tagged calls",
  fc.record({
    who: slot,
    at: slot,
    calls: fc.integer({ min: 1, max: 4 }),
    name: fc.constantFrom<"whole" | "retried">("whole", "whole", "retried"),
    max_tokens: fc.integer({ min: 1, max: 12 }),
  }),
  async (model, gateway, { who, at, calls, name, max_tokens }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    const price = gateway.price(name);
    const hold = holdFor(price, gateway.groupRatio(), max_tokens);
    const { tagBudget } = user;
    const counting = tagBudget && (tagBudget.onlyModel ?? name) === name ? tagBudget : undefined;
    const isOpen = user.isEnabled && token.isEnabled && user.debt === 0;
    const covered = isOpen ? Math.min(coveredFor(user, token), unspentOf(counting)) : 0;
    const headers = { "x-tollgate-tags": tagOf(user) };
    const replies = await Promise.all(
      Array.from({ length: calls }, async () =>
        readReply(await gateway.gateway.world.send(token.key, chatBody({ model: name, max_tokens }), { headers })),
      ),
    );
    for (const { status, text } of replies)
      assert.ok(status === 200 || refusedStatuses.includes(status), `${status}: ${text}`);
    const served = replies.filter(({ status }) => status === 200).length;
    const charge = wholeCharge(price, gateway.groupRatio(), max_tokens);
    assert.ok(served >= Math.min(calls, Math.floor(covered / hold)), `only ${served} were served`);
    assert.ok(served === 0 || hold + (served - 1) * charge <= covered, `${served} were served from ${covered}`);
    for (let n = 0; n < served; n += 1) pay(user, token, charge);
    if (counting) counting.spent += served * charge;
    await gateway.compare(user);
  },
);
