// Commands of teams: who is in one, what comes into its wallet and out, what it pays for, and its
// end. Calls of its keys are paid by the team alone.
import assert from "node:assert/strict";
import { readReply } from "@tollgate/tests/harness/api-session.ts";
import fc from "fast-check";
import {
  command,
  expectCharge,
  type ModelCommand,
  pickUser,
  refusedStatuses,
  slot,
} from "./model-command.ts";
import { sendTogether } from "./parallel-calls.ts";
import { computeTeamCover, credit, holdFor, payByTeam, wholeCharge } from "./reference-model.ts";
import { computeRunRoom, countInRun } from "./run-room.ts";
import { pickTeamKey } from "./team-key-commands.ts";
import { compareAll, place, reachTeam, seat } from "./team-places.ts";

const wordsOfAnswer = 12;

/** Joins or leaves. Leaving ends the keys of the member for good. */
export const moveMember = command(
  "move member",
  fc.record({ place, who: slot, isIn: fc.boolean() }),
  async (model, gateway, { place: at, who, isIn }) => {
    const user = pickUser(model, who);
    const team = await reachTeam(model, gateway, at);
    const member = team.members.find((one) => one.user === user);
    if (isIn) await seat(model, gateway, user, at);
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
const moveQuota = (
  given: fc.Arbitrary<{ source: "issuance" | "own" | "team"; amount: number }>,
): (() => fc.Arbitrary<ModelCommand>) =>
  command(
    "fund team",
    fc.record({ place, who: slot, given, times: fc.integer({ min: 1, max: 3 }) }),
    async (model, gateway, { place: at, who, given: { source, amount }, times }) => {
      const { gateway: runGateway } = gateway;
      const user = pickUser(model, who);
      if (!user.isEnabled) return;
      const team = await seat(model, gateway, user, at);
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

const little = fc.integer({ min: 1, max: 300 });
export const fundTeam = moveQuota(
  fc.record({ source: fc.constantFrom("issuance", "own", "team"), amount: little }),
);
/** Enough for many calls, so that something else than the wallet refuses some. */
export const openTeam = moveQuota(
  fc.record({ source: fc.constant("issuance"), amount: fc.integer({ min: 300, max: 3_000 }) }),
);

/** Calls at once with a key of the team: of its wallet, of the cap and of the key none is passed. */
export const callByTeam = command(
  "call by team",
  fc.record({
    ...{ place, who: slot, at: slot, isService: fc.boolean() },
    run: fc.constantFrom(undefined, undefined, "first", "second"),
    calls: fc.integer({ min: 1, max: 6 }),
    max_tokens: fc.integer({ min: 1, max: 16 }),
  }),
  async (model, gateway, { place: where, who, at, isService, run, calls, max_tokens }) => {
    const user = pickUser(model, who);
    const team = await reachTeam(model, gateway, where);
    const isMember = team.members.some((one) => one.user === user);
    if (!isService && (!user.isEnabled || !isMember)) return;
    if (!isService) await seat(model, gateway, user, where);
    const key = await pickTeamKey(gateway, team, isService ? undefined : user, at);
    const [price, ratio] = [gateway.price("whole"), gateway.groupRatio()];
    const charge = wholeCharge(price, ratio, Math.min(wordsOfAnswer, max_tokens));
    const budget = run === undefined ? undefined : team.runBudget;
    // A person's runs are one's own in each team; the key of a service has runs of its own.
    const part = `${key.holder ? "person" : "service"} ${key.holder?.id ?? key.id} ${run}`;
    const startedAt = performance.now();
    const served = await sendTogether(
      gateway,
      key,
      { model: "whole", max_tokens },
      {
        ...{ calls, covered: computeTeamCover(team, key), charge },
        hold: holdFor(price, ratio, max_tokens),
        room: computeRunRoom(budget, part),
      },
      run === undefined ? {} : { "x-tollgate-run": run },
    );
    for (const id of served) {
      await expectCharge(gateway, id, charge);
      payByTeam(team, key, charge);
    }
    await compareAll(gateway, model, user);
    const ended = { calls: served.length, units: served.length * charge };
    const withinMs = performance.now() - startedAt;
    if (budget) await countInRun(gateway, budget, part, { ...ended, withinMs });
  },
);

/** A provider that ignores the limit: what the wallet of the team lacks is owed by the team. */
export const costlyTeamCall = command(
  "costly team call",
  fc.record({ place, at: slot, max_tokens: fc.integer({ min: 6, max: 11 }) }),
  async (model, gateway, { place: where, at, max_tokens }) => {
    const team = await reachTeam(model, gateway, where);
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

/** Disabling stops all keys of the team at once, and enabling starts them again. */
export const switchTeam = command(
  "switch team",
  fc.record({ place, isEnabled: fc.boolean() }),
  async (model, gateway, { place: at, isEnabled }) => {
    const team = await reachTeam(model, gateway, at);
    const status = isEnabled ? 1 : 2;
    await gateway.gateway.root("PUT", "/api/team/", { id: team.id, status });
    team.isEnabled = isEnabled;
    await compareAll(gateway, model);
  },
);

/** What the wallet has goes back to issuance; what it owes is written off by root alone. */
export const removeTeam = command(
  "delete team",
  fc.record({ place, isWrittenOff: fc.boolean() }),
  async (model, gateway, { place: at, isWrittenOff }) => {
    const { gateway: runGateway } = gateway;
    const team = await reachTeam(model, gateway, at);
    const query = isWrittenOff ? "?write_off=true" : "";
    const path = `/api/team/${team.id}${query}`;
    const { body } = await runGateway.ask(runGateway.rootAccess, "DELETE", path);
    assert.equal(body.success, team.debt === 0 || isWrittenOff, JSON.stringify(body));
    if (!body.success) return;
    model.teams.delete(at);
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
