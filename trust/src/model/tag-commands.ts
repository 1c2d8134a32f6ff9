// Budgets of tags: calls that say the tag are held for against its budget too.
import fc from "fast-check";
import { command, pickToken, pickUser, slot } from "./model-command.ts";
import { sendTogether } from "./parallel-calls.ts";
import { coveredFor, holdFor, pay, tagOf, unspentOf, wholeCharge } from "./reference-model.ts";

/**
 * Makes the budget of the user's tag, perhaps for one model alone, or changes its amount, also to
 * less than was spent.
 */
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

/**
 * Calls at once with the tag: as many are served as key, wallet and the budget of the tag cover.
 */
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
    const charge = wholeCharge(price, gateway.groupRatio(), max_tokens);
    const headers = { "x-tollgate-tags": tagOf(user) };
    const asked = { model: name, max_tokens };
    const { length: served } = await sendTogether(
      gateway,
      token,
      asked,
      { calls, covered, hold, charge },
      headers,
    );
    for (let n = 0; n < served; n += 1) pay(user, token, charge);
    if (counting) counting.spent += served * charge;
    await gateway.compare(user);
  },
);
