// Commands of keys of teams: made in one, and moved between an account and teams while calls run.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import fc from "fast-check";
import { billingIdOf, command, expectCharge, pick, pickUser, slot } from "./model-command.ts";
import type { ModelGateway } from "./model-gateway.ts";
import {
  computeTeamCover,
  coveredFor,
  holdFor,
  isServed,
  type ModelTeam,
  type ModelTeamKey,
  type ModelUser,
  pay,
  payByTeam,
  wholeCharge,
} from "./reference-model.ts";
import { compareAll, place, seat } from "./team-places.ts";

async function addTeamKey(
  gateway: ModelGateway,
  team: ModelTeam,
  holder: ModelUser | undefined,
  limit: { isUnlimited: boolean; remain: number },
): Promise<ModelTeamKey> {
  const { gateway: runGateway } = gateway;
  const made = await runGateway.api<{ id: number; key: string }>(
    holder?.access ?? runGateway.rootAccess,
    "POST",
    `/api/team/${team.id}/token`,
    {
      ...{ name: "of the model", service: holder === undefined },
      ...{ unlimited_quota: limit.isUnlimited, remain_quota: limit.remain },
    },
  );
  const key = {
    ...{ id: made.id, key: made.key.replace(/^sk-/, ""), holder },
    ...{ ...limit, isEnabled: true, used: 0 },
  };
  team.keys.push(key);
  return key;
}

/** A key of the person, or of a service where there is no holder. */
export async function pickTeamKey(
  gateway: ModelGateway,
  team: ModelTeam,
  holder: ModelUser | undefined,
  at: number,
): Promise<ModelTeamKey> {
  const own = team.keys.filter((key) => key.holder === holder);
  return (
    pick(own, at) ?? (await addTeamKey(gateway, team, holder, { isUnlimited: true, remain: 0 }))
  );
}

export const makeTeamKey = command(
  "make team key",
  fc.record({
    ...{ place, who: slot, isService: fc.boolean(), isUnlimited: fc.boolean() },
    remain: fc.integer({ min: 0, max: 300 }),
  }),
  async (model, gateway, { place: at, who, isService, ...limit }) => {
    const user = pickUser(model, who);
    if (!user.isEnabled) return;
    const team = await seat(model, gateway, user, at);
    await addTeamKey(gateway, team, isService ? undefined : user, limit);
    await compareAll(gateway, model, user);
  },
);

const payer = fc.constantFrom("own", 0, 0, 1);

/**
 * A key moves: out of an account into a team, back by the site, or from one team through its
 * account into another. Calls of it may run meanwhile: each is paid by one wallet, whole.
 */
export const moveKey = command(
  "move key",
  fc.record({ who: slot, at: slot, from: payer, to: payer, calls: fc.nat({ max: 4 }) }),
  async (model, gateway, { who, at, from, to, calls }) => {
    const { gateway: runGateway } = gateway;
    const user = pickUser(model, who);
    if (from === to || !user.isEnabled) return;
    const [left, entered] = [
      typeof from === "number" ? await seat(model, gateway, user, from) : undefined,
      typeof to === "number" ? await seat(model, gateway, user, to) : undefined,
    ];
    // A disabled team takes no key, and a budget of runs counts in parts of its own.
    if (entered?.isEnabled === false) return;
    const movable = left
      ? left.keys.filter(({ holder }) => holder === user)
      : user.tokens.filter(({ runBudget }) => runBudget === undefined);
    const token = pick(movable, at);
    if (!token) return;
    const key: ModelTeamKey = Object.assign(token, { holder: user });
    const [price, ratio] = [gateway.price("whole"), gateway.groupRatio()];
    const max_tokens = 4;
    const charge = wholeCharge(price, ratio, max_tokens);
    const hold = holdFor(price, ratio, max_tokens);
    // Enough on all sides for all of them, or none is sent: who is refused would depend on the race.
    const teams = [left, entered].filter((team) => team !== undefined);
    const cover = Math.min(
      coveredFor(user, key),
      ...teams.map((team) => computeTeamCover(team, key)),
    );
    const isSent = isServed(user, key, hold) && cover >= calls * hold;
    const sent = Array.from({ length: isSent ? calls : 0 }, async () =>
      readReply(await runGateway.call(key.key, { model: "whole", max_tokens })),
    );
    const token_id = key.id;
    if (left) await runGateway.root("POST", `/api/team/${left.id}/release_key`, { token_id });
    if (entered)
      await runGateway.api(user.access, "POST", `/api/team/${entered.id}/offer_key`, { token_id });
    for (const reply of await Promise.all(sent)) {
      assert.equal(reply.status, 200, reply.text);
      const id = billingIdOf(reply.headers);
      await expectCharge(gateway, id, charge);
      const [entry] = await runGateway.rows<{ debit: string }>(
        `select debit from ledger where billing_id = ${id} and credit = 'revenue'`,
      );
      const paying = teams.find(({ walletId }) => entry?.debit === `wallet:${walletId}`);
      if (paying) payByTeam(paying, key, charge);
      else pay(user, key, charge);
    }
    if (left) left.keys = left.keys.filter((one) => one !== key);
    else user.tokens = user.tokens.filter((one) => one !== key);
    if (entered) entered.keys.push(key);
    else user.tokens.push(key);
    await compareAll(gateway, model, user);
  },
);
