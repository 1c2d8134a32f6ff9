// Calls of 20 members at once over a running gateway: a team whose wallet, caps and key cover
// exactly all of them refuses none.
import { createTeamCap, listTeamBudgets } from "@tollgate/contract/accounts/team-caps.ts";
import {
  createTeamToken,
  getTeam,
  setTeamMember,
  type Team,
  transferToTeam,
} from "@tollgate/contract/accounts/teams.ts";
import { expect, onTestFinished } from "vitest";
import { type DatabaseKind, databaseKinds } from "../harness/gateway-database.ts";
import { defaultCharge, defaultHold, startTestGateway } from "../harness/test-gateway.ts";
import { testLarge } from "../support/large-tests.ts";

const memberCount = 20;
const races = [
  { store: "sqlite" as DatabaseKind, racers: 100 },
  ...databaseKinds.map((store) => ({ store, racers: 500 })),
];
const body = { model: "plain", max_tokens: 12 };

testLarge(races, { timeout: 180_000 })(
  "$racers calls of 20 members at once on $store use up a team to the unit, and none is refused falsely",
  async ({ store, racers }) => {
    const own = await startTestGateway({ store, env: { API_RATE_LIMIT: "0" } });
    onTestFinished(async () => void (await own.close()));
    // Slow enough that all of them are held before the first is answered.
    await own.given.channel({ key: "sim-slow-1500", models: "plain" });
    const root = await own.root();
    const team = await own.api<Team>("POST", "/api/team/", { name: "Racers" });
    const params = { id: team.id };
    const each = racers / memberCount;
    const shared = racers * defaultHold;
    await root.call(transferToTeam, { params, body: { source: "issuance", amount: shared } });
    const cap = { name: "each", window: "lifetime" as const, amount: each * defaultHold };
    await root.call(createTeamCap, { params, body: cap });
    const keys: string[] = [];
    for (let place = 0; place < memberCount; place += 1) {
      const user = await own.given.user(`racer${place}`);
      await root.call(setTeamMember, { params, body: { user_id: user.id, role: "member" } });
      // The limit of one key is as tight as the cap of its member.
      const limit = place === 0 ? { remain_quota: each * defaultHold } : { unlimited_quota: true };
      keys.push(
        (await user.call(createTeamToken, { params, body: { name: "k", ...limit } as never })).data
          .key,
      );
    }
    const race = () =>
      Promise.all(
        Array.from({ length: racers }, (_, place) =>
          own.chat(keys[place % memberCount] ?? "", body),
        ),
      );
    const balance = async () => (await root.call(getTeam, { params })).data;

    const first = await race();
    expect(first.filter(({ status }) => status !== 200).map((reply) => reply.body)).toEqual([]);
    await own.settled();
    expect(await balance()).toMatchObject({
      balance: shared - racers * defaultCharge,
      held: 0,
      debt: 0,
    });

    // What the holds gave back covers a few more, and nobody gets more than is there.
    const second = await race();
    await own.settled();
    const served = racers + second.filter(({ status }) => status === 200).length;
    expect(
      new Set(second.filter(({ status }) => status !== 200).map(({ status }) => status)),
    ).toEqual(new Set([403]));
    expect(await balance()).toMatchObject({
      balance: shared - served * defaultCharge,
      held: 0,
      debt: 0,
    });
    const { data: budgets } = await root.call(listTeamBudgets, {
      params,
      query: { subject: "member", size: 100 },
    });
    expect(budgets.reduce((sum, { spent }) => sum + spent, 0)).toBe(served * defaultCharge);
    // The maker of the team is in it and calls nothing.
    const racing = budgets.filter(({ subject_name }) => subject_name.startsWith("racer"));
    expect(racing).toHaveLength(memberCount);
    for (const { spent, held, exceeded } of racing) {
      expect(spent).toBeLessThanOrEqual(each * defaultHold);
      expect({ held, exceeded }).toEqual({ held: 0, exceeded: 0 });
      // Who was refused had no room for one more.
      expect(spent).toBeGreaterThan((each - 1) * defaultHold);
    }
    expect(await own.audit()).toBe("The books agree.");
  },
);
