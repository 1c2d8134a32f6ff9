// Keys of teams over a running gateway: which wallet pays, what refuses, and what many calls at
// once cannot pass.
import { createBudget } from "@tollgate/contract/accounts/budgets.ts";
import { offerKeyToTeam, releaseTeamKey } from "@tollgate/contract/accounts/team-key-moves.ts";
import {
  createTeamToken,
  getTeam,
  listTeamMembers,
  listTeamTokens,
  removeTeamMember,
  setTeamMember,
  type Team,
  transferToTeam,
} from "@tollgate/contract/accounts/teams.ts";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  startTestGateway,
  type TestGateway,
  type TestUser,
} from "../harness/test-gateway.ts";

let gateway: TestGateway;
let team: Team;
let [ada, ben]: TestUser[] = [];
beforeAll(async () => {
  gateway = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  await gateway.given.channel({ key: "sim-ok", models: "plain,other" });
  team = await gateway.api<Team>("POST", "/api/team/", { name: "Search" });
  [ada, ben] = [
    await gateway.given.user("ada"),
    await gateway.given.user("ben", { quota: 1_000_000 }),
  ];
  const root = await gateway.root();
  for (const { id } of [ada, ben])
    await root.call(setTeamMember, {
      params: { id: team.id },
      body: { user_id: id, role: "member" },
    });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

const person = (user: TestUser | undefined): TestUser => {
  if (!user) throw new Error("the users are made before");
  return user;
};
const body = { model: "plain", max_tokens: 12 };
const keyOf = async (user: TestUser | undefined, more: object = {}) => {
  const given = { name: "k", unlimited_quota: true, ...more } as { name: string };
  return (await person(user).call(createTeamToken, { params: { id: team.id }, body: given })).data;
};
const give = async (amount: number) => {
  const root = await gateway.root();
  await root.call(transferToTeam, {
    params: { id: team.id },
    body: { source: "issuance", amount },
  });
};
const shown = async () =>
  (await (await gateway.root()).call(getTeam, { params: { id: team.id } })).data;
const limit = async (subject: "team" | "member", subject_id: number, amount: number) => {
  const given = {
    subject,
    subject_id,
    name: `${subject} cap`,
    window: "lifetime" as const,
    amount,
  };
  return (await (await gateway.root()).call(createBudget, { body: given })).data;
};
const errorOf = ({ body: reply }: { body: { error?: unknown } }) =>
  reply.error as Record<string, unknown>;

test("the wallet of the team pays, and the words say whose ran dry, whatever the member has", async () => {
  const { key } = await keyOf(ben);
  const refused = await gateway.chat(key, body);
  expect(refused.status).toBe(403);
  expect(errorOf(refused)).toMatchObject({
    code: "insufficient_team_quota",
    message: expect.stringContaining('The team "Search"'),
  });
  expect(refused.headers.get("x-should-retry")).toBe("false");
  await give(10 * defaultHold);
  expect((await gateway.chat(key, body)).status).toBe(200);
  await gateway.settled();
  expect(await shown()).toMatchObject({ balance: 10 * defaultHold - defaultCharge, held: 0 });
  // What the person may see of the own wallet is as it was.
  expect(
    await gateway.rows(
      "select balance from wallets join users on users.wallet_id = wallets.id where username = 'ben'",
    ),
  ).toEqual([{ balance: 1_000_000 }]);
  expect(
    (await gateway.chat((await person(ben).token({ unlimited_quota: true })).key, body)).status,
  ).toBe(200);
  await gateway.settled();
  const own = await person(ben).data<unknown[]>("GET", "/api/log/self?type=2");
  expect(own).toHaveLength(1);
});

test("the models of the team bind its keys, and a disabled team none of whose keys works", async () => {
  const { key } = await keyOf(ada);
  await gateway.api("PUT", "/api/team/", { id: team.id, models: "other" });
  await eventually(async () => expect((await gateway.chat(key, body)).status).toBe(403));
  await gateway.api("PUT", "/api/team/", { id: team.id, models: "", status: 2 });
  await eventually(async () =>
    expect(errorOf(await gateway.chat(key, body))).toMatchObject({ code: "team_disabled" }),
  );
  await gateway.api("PUT", "/api/team/", { id: team.id, status: 1 });
  await eventually(async () => expect((await gateway.chat(key, body)).status).toBe(200));
  await gateway.settled();
});

test("calls of many members at once pass neither the cap of the team nor that of a member by a unit, and none is refused falsely", async () => {
  await give(1_000 * defaultHold);
  const root = await gateway.root();
  const { data: members } = await root.call(listTeamMembers, { params: { id: team.id } });
  const membership = members.find(({ user_id }) => user_id === person(ada).id)?.id ?? 0;
  const [teamCap, memberCap] = [
    await limit("team", team.id, 12 * defaultHold),
    await limit("member", membership, 3 * defaultHold),
  ];
  onTestFinished(async () => {
    for (const { id } of [teamCap, memberCap]) await gateway.api("DELETE", `/api/budget/${id}`);
  });
  const own = [await keyOf(ada), await keyOf(ada)];
  const others = [await keyOf(ben), await keyOf(ben)];
  /** How often each level refused, and how many calls were answered, of ten with each key. */
  const race = async (keys: readonly { key: string }[]) => {
    const replies = await Promise.all(
      keys.flatMap(({ key }) => Array.from({ length: 10 }, () => gateway.chat(key, body))),
    );
    await gateway.settled();
    const refused = replies.filter(({ status }) => status !== 200);
    for (const reply of refused) expect(errorOf(reply)).toMatchObject({ code: "budget_exceeded" });
    const levels = refused.map((reply) => (errorOf(reply).budget as { level: string }).level);
    return { levels: [...new Set(levels)].sort(), answered: replies.length - refused.length };
  };
  const counted = async (id: number) => {
    const rows = await gateway.rows<{ spent: number; held: number }>(
      `select spent, held from budget_counters where budget_id = ${id}`,
    );
    return rows[0] ?? { spent: 0, held: 0 };
  };
  // The member alone, so that the cap of the team has room: whichever of the calls end first, three
  // fit, for a call that has ended leaves less than another one holds.
  const alone = await race(own);
  expect(alone).toEqual({ levels: ["member"], answered: 3 });
  expect(await counted(memberCap.id)).toEqual({ spent: 3 * defaultCharge, held: 0 });
  // All of them. Both caps may be full for the member, and the first of them refuses.
  const all = await race([...own, ...others]);
  expect(all.levels).toContain("team");
  const { spent, held } = await counted(teamCap.id);
  expect({ spent, held }).toEqual({ spent: (3 + all.answered) * defaultCharge, held: 0 });
  expect(spent).toBeLessThanOrEqual(12 * defaultHold);
  // Twelve fit even if none has ended: whoever is refused had no room left for one more hold.
  expect(spent).toBeGreaterThanOrEqual(12 * defaultCharge);
  expect(await counted(memberCap.id)).toEqual({ spent: 3 * defaultCharge, held: 0 });
});

test("the limits of the team bind all its keys together from the next call on", async () => {
  const [one, other] = [await keyOf(ada), await keyOf(ben)];
  await gateway.api("PUT", "/api/team/", { id: team.id, rpm_limit: 1 });
  expect(await shown()).toMatchObject({ rpm_limit: 1, tpm_limit: 0, max_parallel_requests: 0 });
  await eventually(async () => {
    const replies = [await gateway.chat(one.key, body), await gateway.chat(other.key, body)];
    expect(replies.map(({ status }) => status)).toContain(429);
    expect(errorOf(replies.find(({ status }) => status === 429) ?? { body: {} }).message).toContain(
      'The keys of the team "Search" together may make 1 call per minute',
    );
  });
  await gateway.api("PUT", "/api/team/", { id: team.id, rpm_limit: 0 });
  await eventually(async () => expect((await gateway.chat(one.key, body)).status).toBe(200));
  await gateway.settled();
});

test("the budget of a user counts keys of teams where it says so, and saying so begins a new counter", async () => {
  const { key } = await keyOf(ben);
  const budget = await gateway.api<{ id: number }>("POST", "/api/budget/", {
    ...{
      subject: "user",
      subject_id: person(ben).id,
      name: "Ben",
      window: "lifetime",
      amount: 10 * defaultHold,
    },
  });
  const spent = async () =>
    (await gateway.api<{ spent: number }>("GET", `/api/budget/${budget.id}`)).spent;
  expect((await gateway.chat(key, body)).status).toBe(200);
  await gateway.settled();
  expect(await spent()).toBe(0);
  await gateway.api("PUT", "/api/budget/", { id: budget.id, counts_team_keys: true });
  await eventually(async () => {
    expect((await gateway.chat(key, body)).status).toBe(200);
    await gateway.settled();
    expect(await spent()).toBeGreaterThan(0);
  });
  await gateway.api("PUT", "/api/budget/", { id: budget.id, counts_team_keys: false });
  expect(await spent()).toBe(0);
  await gateway.api("DELETE", `/api/budget/${budget.id}`);
});

test("a service calls on as nobody, and a member who was removed no more", async () => {
  const root = await gateway.root();
  const owner = await root.call(createTeamToken, {
    params: { id: team.id },
    body: { name: "ci", unlimited_quota: true, service: true } as never,
  });
  const { key } = owner.data;
  const mine = await keyOf(ada);
  for (const one of [key, mine.key])
    await eventually(async () => expect((await gateway.chat(one, body)).status).toBe(200));
  await gateway.settled();
  expect(
    await gateway.rows("select distinct user_id, team_id from logs where username = 'service:ci'"),
  ).toEqual([{ user_id: 0, team_id: team.id }]);
  await root.call(removeTeamMember, { params: { id: team.id }, body: { user_id: person(ada).id } });
  await eventually(async () => expect((await gateway.chat(mine.key, body)).status).toBe(401));
  await eventually(async () => expect((await gateway.chat(key, body)).status).toBe(200));
  await gateway.settled();
  const { data } = await root.call(listTeamTokens, { params: { id: team.id }, query: {} });
  expect(data.filter(({ service }) => service)).toHaveLength(1);
});

test("each run that the team pays for has its part of the team's budget of runs, which parallel calls do not pass", async () => {
  await give(1_000_000);
  const given = {
    subject: "team_run" as const,
    subject_id: team.id,
    name: "each run",
    window: "lifetime" as const,
  };
  const amount = 2 * defaultCharge + defaultHold;
  const { data } = await (await gateway.root()).call(createBudget, { body: { ...given, amount } });
  expect(data).toMatchObject({ subject: "team_run", subject_name: "Search" });
  const { key } = await keyOf(ben);
  const ask = async (run: string) => {
    const response = await gateway.send(key, chatBody(body), {
      headers: { "x-tollgate-run": run },
    });
    return {
      status: response.status,
      code: errorOf({ body: (await response.json()) as object })?.code,
    };
  };
  const calls = await Promise.all(Array.from({ length: 20 }, () => ask("first")));
  await gateway.settled();
  let paid = calls.filter(({ status }) => status === 200).length;
  while ((await ask("first")).status === 200) paid += 1;
  expect(paid).toBe(3);
  expect(await ask("first")).toEqual({ status: 403, code: "budget_exceeded" });
  expect((await ask("second")).status).toBe(200);
  // The member's own wallet pays for runs of its own.
  const { key: own } = await person(ben).token();
  const response = await gateway.send(own, chatBody(body), {
    headers: { "x-tollgate-run": "first" },
  });
  expect(response.status).toBe(200);
  await response.text();
});

test.each(databaseKinds)(
  "a key that moves into the team while its calls run on %s: those are paid by the wallet that holds for them, the next ones by the team",
  { timeout: 60_000 },
  async (store) => {
    const own = await startTestGateway({ store, env: { API_RATE_LIMIT: "0" } });
    onTestFinished(async () => void (await own.close()));
    // Many at once, so that on SQLite they share a pool of holds.
    const parallel = 16;
    await own.given.channel({ key: "sim-slow-2000", models: "plain" });
    await own.given.channel({ key: "sim-ok", models: "other" });
    const root = await own.root();
    const { id } = await own.api<Team>("POST", "/api/team/", { name: "Movers" });
    const params = { id };
    await root.call(transferToTeam, { params, body: { source: "issuance", amount: 1_000_000 } });
    const mover = await own.given.user("mover", { quota: 1_000_000 });
    await root.call(setTeamMember, { params, body: { user_id: mover.id, role: "admin" } });
    const { key, id: token_id } = await mover.token({ unlimited_quota: true });
    const balances = async () => {
      const [wallet] = await own.rows<{ balance: number; held: number }>(
        "select balance, held from wallets join users on users.wallet_id = wallets.id where username = 'mover'",
      );
      const { balance, held } = (await root.call(getTeam, { params })).data;
      return { own: Number(wallet?.balance), team: balance, held: [Number(wallet?.held), held] };
    };

    const running = Array.from({ length: parallel }, () => own.chat(key, body));
    await eventually(async () => {
      const [held] = await own.rows<{ held: number }>(
        "select held from wallets join users on users.wallet_id = wallets.id where username = 'mover'",
      );
      expect(Number(held?.held)).toBeGreaterThanOrEqual(parallel * defaultHold);
    });
    const moved = await mover.call(offerKeyToTeam, { params, body: { token_id } });
    expect(moved.data.is_moved).toBe(true);
    // What is paid follows the move at once, while the calls of before still run.
    const after = { model: "other", max_tokens: 12 };
    const next = await Promise.all(Array.from({ length: parallel }, () => own.chat(key, after)));
    expect(next.map(({ status }) => status)).toEqual(next.map(() => 200));
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(
      running.map(() => 200),
    );
    await own.settled();
    const charged = parallel * defaultCharge;
    await eventually(async () =>
      expect(await balances()).toEqual({
        ...{ own: 1_000_000 - charged, team: 1_000_000 - charged, held: [0, 0] },
      }),
    );
    await root.call(releaseTeamKey, { params, body: { token_id } });
    expect((await own.chat(key, after)).status).toBe(200);
    await own.settled();
    expect((await balances()).own).toBe(1_000_000 - charged - defaultCharge);
    expect(await own.audit()).toBe("The books agree.");
  },
);
