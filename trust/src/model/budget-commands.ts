// Hard budgets of keys: the hold obeys them like the quota of the key.
import fc from "fast-check";
import { command, pickToken, pickUser, slot } from "./model-command.ts";

const amount = fc.integer({ min: 1, max: 300 });

/**
 * A budget that never starts anew, so that every call of the key counts, whichever way the clock
 * moves.
 */
export const setBudget = command(
  "set budget",
  fc.record({ who: slot, at: slot, amount }),
  async (model, gateway, { who, at, amount: units }) => {
    const user = pickUser(model, who);
    const token = await pickToken(gateway, user, at);
    if (token.budget) return;
    const budget = await gateway.gateway.root<{ id: number }>("POST", "/api/budget/", {
      ...{
        subject: "token",
        subject_id: token.id,
        name: "of the model",
        window: "lifetime",
        amount: units,
      },
    });
    token.budget = { id: budget.id, amount: units, spent: 0 };
    await gateway.compare(user);
  },
);

/** Another amount is in force for the next call, also one below what was spent. */
export const editBudget = command(
  "edit budget",
  fc.record({ who: slot, at: slot, amount }),
  async (model, gateway, { who, at, amount: units }) => {
    const user = pickUser(model, who);
    const { budget } = await pickToken(gateway, user, at);
    if (!budget) return;
    await gateway.gateway.root("PUT", "/api/budget/", { id: budget.id, amount: units });
    budget.amount = units;
    await gateway.compare(user);
  },
);

/** More for the window, or some of it taken back: as far as it was granted, and no further. */
export const grantBudget = command(
  "grant budget",
  fc.record({ who: slot, at: slot, units: fc.integer({ min: -100, max: 150 }) }),
  async (model, gateway, { who, at, units }) => {
    const user = pickUser(model, who);
    const { budget } = await pickToken(gateway, user, at);
    const { granted = 0 } = budget ?? {};
    if (!budget || units === 0) return;
    const path = `/api/budget/${budget.id}/grant`;
    const isRefused = await gateway.gateway.root("POST", path, { amount: units }).then(
      () => false,
      () => true,
    );
    if (isRefused !== granted + units < 0)
      throw new Error(`${units} of a grant of ${granted}: ${isRefused ? "refused" : "granted"}`);
    if (!isRefused) budget.granted = granted + units;
    await gateway.compare(user);
  },
);
