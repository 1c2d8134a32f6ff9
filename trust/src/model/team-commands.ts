// Commands of teams: who is in one, what comes into its wallet and out, who is limited, which keys
// move, and its end. Calls of its keys are paid by the team alone.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import fc from "fast-check";
import {
  billingIdOf,
  command,
  expectCharge,
  pick,
  pickUser,
  refusedStatuses,
  slot,
} from "./model-command.ts";
import type { ModelGateway } from "./model-gateway.ts";
import { compareTeam } from "./model-team.ts";
import { sendTogether } from "./parallel-calls.ts";
import {
  computeTeamCover,
  coveredFor,
  credit,
  holdFor,
  isServed,
  type ModelTeam,
  type ModelTeamKey,
  type ModelUser,
  pay,
  payByTeam,
  type ReferenceModel,
  wholeCharge,
} from "./reference-model.ts";

const wordsOfAnswer = 12;

/** The team of the story, or a new one without quota whose owner is root. */
async function reachTeam(model: ReferenceModel, { gateway }: ModelGateway): Promise<ModelTeam> {
  if (model.team) return model.team;
  const { id } = await gateway.root<{ id: number }>("POST", "/api/team/", {
    name: `story ${gateway.now()} ${model.users[0]?.id}`,
  });
  const [row] = await gateway.rows<{ wallet: number }>(
    `select wallet_id as wallet from teams where id = ${id}`,
  );
  model.team = {
    ...{ id, walletId: Number(row?.wallet), balance: 0, debt: 0, isEnabled: true },
    ...{ members: [], keys: [], template: undefined },
  };
  return model.team;
}

/** The cap that the template made for a member. */
async function readCap({ gateway }: ModelGateway, team: ModelTeam, user: ModelUser) {
  const [row] = await gateway.rows<{ id: number; amount: number }>(
    `select b.id as id, b.amount as amount from budgets b join team_members m on m.id = b.subject_id
     where b.subject = 'member' and m.team_id = ${team.id} and m.user_id = ${user.id}`,
  );
  return row && { id: Number(row.id), amount: Number(row.amount), spent: 0 };
}

async function seat(model: ReferenceModel, gateway: ModelGateway, user: ModelUser) {
  const team = await reachTeam(model, gateway);
  const known = team.members.find((member) => member.user === user);
  if (known?.isPresent) return team;
  await gateway.gateway.root("PUT", `/api/team/${team.id}/member`, {
    ...{ user_id: user.id, role: "admin" },
  });
  if (known) {
    known.isPresent = true;
    // Who was away when the template came has no cap yet.
    known.cap ??= await readCap(gateway, team, user);
    if (known.cap && team.template) known.cap.amount = team.template.amount;
  } else team.members.push({ user, isPresent: true, cap: await readCap(gateway, team, user) });
  return team;
}

async function compareAll(gateway: ModelGateway, model: ReferenceModel, user?: ModelUser) {
  if (model.team) await compareTeam(gateway.gateway, model.team);
  if (user) await gateway.compare(user);
}

/** Joins or leaves. Leaving ends the keys of the member for good. */
export const moveMember = command(
  "move member",
  fc.record({ who: slot, isIn: fc.boolean() }),
  async (model, gateway, { who, isIn }) => {
    const user = pickUser(model, who);
    const team = await reachTeam(model, gateway);
    const member = team.members.find((one) => one.user === user);
    if (isIn) await seat(model, gateway, user);
    else if (member?.isPresent) {
      await gateway.gateway.root("POST", `/api/team/${team.id}/remove_member`, {
        user_id: user.id,
      });
      member.isPresent = false;
      for (const key of team.keys) if (key.holder === user) key.isEnabled = false;
    }
    await compareAll(gateway, model, user);
  },
);

/** A transfer, sent several times with one key: from issuance, from a member, or back to one. */
export const fundTeam = command(
  "fund team",
  fc.record({
    who: slot,
    source: fc.constantFrom("issuance", "own", "team"),
    amount: fc.integer({ min: 1, max: 300 }),
    times: fc.integer({ min: 1, max: 3 }),
  }),
  async (model, gateway, { who, source, amount, times }) => {
    const { gateway: runGateway } = gateway;
    const user = pickUser(model, who);
    if (!user.isEnabled) return;
    const team = await seat(model, gateway, user);
    const access = source === "own" ? user.access : runGateway.rootAccess;
    const body = { source, amount, ...(source === "team" && { user_id: user.id }) };
    const once = `fund-${runGateway.now()}-${team.id}-${user.id}-${amount}`;
    const replies = await Promise.all(
      Array.from({ length: times }, () =>
        runGateway.askOnce(access, `/api/team/${team.id}/transfer`, body, once),
      ),
    );
    const from = { issuance: undefined, own: user, team }[source];
    const to = source === "team" ? user : team;
    // A wallet in debt gives nothing.
    const isCovered = !from || (from.debt === 0 && from.balance >= amount);
    for (const reply of replies) assert.equal(reply.body.success, isCovered, reply.text);
    if (isCovered) {
      if (from) from.balance -= amount;
      credit(to, amount);
    }
    await compareAll(gateway, model, user);
  },
);

/** A template of caps, or another amount of it: in force for all who follow it from then on. */
export const capMembers = command(
  "cap members",
  fc.record({ amount: fc.integer({ min: 1, max: 300 }), isEnded: fc.boolean() }),
  async (model, gateway, { amount, isEnded }) => {
    const { gateway: runGateway } = gateway;
    const team = await reachTeam(model, gateway);
    const path = `/api/team/${team.id}/cap`;
    const { template } = team;
    if (!template) {
      const body = { name: "each", window: "lifetime", amount };
      const { id } = await runGateway.root<{ id: number }>("POST", path, body);
      team.template = { id, amount };
      for (const member of team.members)
        if (member.isPresent) member.cap = await readCap(gateway, team, member.user);
    } else if (isEnded) {
      await runGateway.root("POST", `/api/team/${team.id}/remove_cap`, { cap_id: template.id });
      team.template = undefined;
      for (const member of team.members) member.cap = undefined;
    } else {
      await runGateway.root("PUT", path, { cap_id: template.id, amount });
      template.amount = amount;
      for (const { cap } of team.members) if (cap) cap.amount = amount;
    }
    await compareAll(gateway, model);
  },
);

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

/** A key of the person, or of a service where `isService`. */
async function pickTeamKey(
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
    ...{ who: slot, isService: fc.boolean(), isUnlimited: fc.boolean() },
    remain: fc.integer({ min: 0, max: 300 }),
  }),
  async (model, gateway, { who, isService, ...limit }) => {
    const user = pickUser(model, who);
    if (!user.isEnabled) return;
    const team = await seat(model, gateway, user);
    await addTeamKey(gateway, team, isService ? undefined : user, limit);
    await compareAll(gateway, model, user);
  },
);

/** Calls at once with a key of the team: of its wallet, of the cap and of the key none is passed. */
export const callByTeam = command(
  "call by team",
  fc.record({
    ...{ who: slot, at: slot, isService: fc.boolean() },
    calls: fc.integer({ min: 1, max: 6 }),
    max_tokens: fc.integer({ min: 1, max: 16 }),
  }),
  async (model, gateway, { who, at, isService, calls, max_tokens }) => {
    const user = pickUser(model, who);
    const team = await reachTeam(model, gateway);
    const isMember = team.members.some((one) => one.user === user);
    if (!isService && (!user.isEnabled || !isMember)) return;
    if (!isService) await seat(model, gateway, user);
    const key = await pickTeamKey(gateway, team, isService ? undefined : user, at);
    const [price, ratio] = [gateway.price("whole"), gateway.groupRatio()];
    const charge = wholeCharge(price, ratio, Math.min(wordsOfAnswer, max_tokens));
    const served = await sendTogether(
      gateway,
      key,
      { model: "whole", max_tokens },
      {
        ...{ calls, covered: computeTeamCover(team, key), charge },
        hold: holdFor(price, ratio, max_tokens),
      },
    );
    for (const id of served) {
      await expectCharge(gateway, id, charge);
      payByTeam(team, key, charge);
    }
    await compareAll(gateway, model, user);
  },
);

/** A provider that ignores the limit: what the wallet of the team lacks is owed by the team. */
export const costlyTeamCall = command(
  "costly team call",
  fc.record({ at: slot, max_tokens: fc.integer({ min: 6, max: 11 }) }),
  async (model, gateway, { at, max_tokens }) => {
    const team = await reachTeam(model, gateway);
    const key = await pickTeamKey(gateway, team, undefined, at);
    const [price, ratio] = [gateway.price("costly"), gateway.groupRatio()];
    const isCovered = computeTeamCover(team, key) >= holdFor(price, ratio, max_tokens);
    const { status, text } = await readReply(
      await gateway.gateway.call(key.key, { model: "costly", max_tokens }),
    );
    if (isCovered) {
      assert.equal(status, 200, text);
      payByTeam(team, key, wholeCharge(price, ratio, wordsOfAnswer));
    } else assert.ok(refusedStatuses.includes(status), `served with ${status}: ${text}`);
    await compareAll(gateway, model);
  },
);

/**
 * An own key moves into the team, or the site gives one back, while a call of it may run: each call
 * is paid by one wallet, whole.
 */
export const moveKey = command(
  "move key",
  fc.record({ who: slot, at: slot, isIn: fc.boolean(), calls: fc.nat({ max: 4 }) }),
  async (model, gateway, { who, at, isIn, calls }) => {
    const { gateway: runGateway } = gateway;
    const user = pickUser(model, who);
    if (!user.isEnabled) return;
    const team = await seat(model, gateway, user);
    const own = team.keys.filter((key) => key.holder === user);
    // A disabled team takes no key, and a budget of runs counts in parts of its own.
    if (isIn && !team.isEnabled) return;
    const token = isIn
      ? pick(
          user.tokens.filter(({ runBudget }) => runBudget === undefined),
          at,
        )
      : pick(own, at);
    if (!token) return;
    const [price, ratio] = [gateway.price("whole"), gateway.groupRatio()];
    const max_tokens = 4;
    const charge = wholeCharge(price, ratio, max_tokens);
    // Enough on both sides for all of them, or none is sent: who is refused would depend on the race.
    const cover = Math.min(
      coveredFor(user, token),
      computeTeamCover(team, { ...token, holder: user }),
    );
    const hold = holdFor(price, ratio, max_tokens);
    const isSent = isServed(user, token, hold) && cover >= calls * hold;
    const sent = Array.from({ length: isSent ? calls : 0 }, async () =>
      readReply(await runGateway.call(token.key, { model: "whole", max_tokens })),
    );
    const verb = isIn ? "offer_key" : "release_key";
    const access = isIn ? user.access : runGateway.rootAccess;
    await runGateway.api(access, "POST", `/api/team/${team.id}/${verb}`, { token_id: token.id });
    const replies = await Promise.all(sent);
    const inTeam: ModelTeamKey = { ...token, holder: user };
    for (const reply of replies) {
      assert.equal(reply.status, 200, reply.text);
      const id = billingIdOf(reply.headers);
      await expectCharge(gateway, id, charge);
      const [entry] = await runGateway.rows<{ debit: string }>(
        `select debit from ledger where billing_id = ${id} and credit = 'revenue'`,
      );
      if (entry?.debit === `wallet:${team.walletId}`) payByTeam(team, inTeam, charge);
      else {
        pay(user, token, charge);
        Object.assign(inTeam, { remain: token.remain, used: token.used });
      }
      Object.assign(token, { remain: inTeam.remain, used: inTeam.used });
    }
    if (isIn) {
      user.tokens = user.tokens.filter((one) => one !== token);
      team.keys.push(Object.assign(token, { holder: user }));
    } else {
      team.keys = team.keys.filter((one) => one !== token);
      user.tokens.push(token);
    }
    await compareAll(gateway, model, user);
  },
);

/** Disabling stops all keys of the team at once, and enabling starts them again. */
export const switchTeam = command(
  "switch team",
  fc.record({ isEnabled: fc.boolean() }),
  async (model, gateway, { isEnabled }) => {
    const team = await reachTeam(model, gateway);
    const status = isEnabled ? 1 : 2;
    await gateway.gateway.root("PUT", "/api/team/", { id: team.id, status });
    team.isEnabled = isEnabled;
    await compareAll(gateway, model);
  },
);

/** What the wallet has goes back to issuance; what it owes is written off by root alone. */
export const removeTeam = command(
  "delete team",
  fc.record({ isWrittenOff: fc.boolean() }),
  async (model, gateway, { isWrittenOff }) => {
    const { gateway: runGateway } = gateway;
    const team = await reachTeam(model, gateway);
    const query = isWrittenOff ? "?write_off=true" : "";
    const path = `/api/team/${team.id}${query}`;
    const { body } = await runGateway.ask(runGateway.rootAccess, "DELETE", path);
    assert.equal(body.success, team.debt === 0 || isWrittenOff, JSON.stringify(body));
    if (!body.success) return;
    model.team = undefined;
    const [wallet] = await runGateway.rows<Record<"balance" | "held" | "debt", number>>(
      `select balance, held, debt from wallets where id = ${team.walletId}`,
    );
    assert.deepEqual([wallet?.balance, wallet?.held, wallet?.debt].map(Number), [0, 0, 0]);
    for (const key of team.keys) {
      const { status } = await readReply(
        await runGateway.call(key.key, { model: "whole", max_tokens: 1 }),
      );
      assert.ok(
        refusedStatuses.includes(status),
        `served with ${status} after the end of the team`,
      );
    }
    for (const user of model.users) await gateway.compare(user);
  },
);
