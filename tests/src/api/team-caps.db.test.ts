// Caps that a team gives its members: who gets them, what changes with them, and who may say so.
import type { TeamBudget, TeamCap } from "@tollgate/contract/accounts/team-caps.ts";
import type { Team } from "@tollgate/contract/accounts/teams.ts";
import { createSessionStore } from "@tollgate/gateway/accounts/identity/sessions/session-store.ts";
import { purgeExpired } from "@tollgate/gateway/start/purge-expired.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const people = ["owner", "lead", "mira", "noor", "finance", "outsider"] as const;
type CappedPerson = (typeof people)[number];
const weekly = { name: "each week", window: "week", amount: 500 };

describeVariants(testDatabases)("caps of members on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  const ids = {} as Record<CappedPerson, number>;
  const as = {} as Record<CappedPerson, TestApiClient>;
  let teams = 0;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    for (const person of people) {
      ids[person] = (await gateway.addUser(person)).id;
      as[person] = await gateway.signIn(person);
    }
  });
  afterAll(() => gateway.close());

  const put = (id: number, person: CappedPerson, role = "member") =>
    root("PUT", `/api/team/${id}/member`, { body: { user_id: ids[person], role } });
  const made = async (...members: CappedPerson[]): Promise<Team> => {
    teams += 1;
    const { body } = await root("POST", "/api/team/", {
      body: { name: `Team ${teams}`, owner_id: ids.owner },
    });
    await put(body.data.id, "lead", "admin");
    for (const person of members) await put(body.data.id, person);
    return body.data;
  };
  const ask = async (
    client: TestApiClient,
    method: string,
    { id }: Team,
    path: string,
    body?: object,
  ) =>
    (
      await client(
        method,
        `/api/team/${id}${path === "" ? "" : `/${path}`}`,
        body === undefined ? {} : { body },
      )
    ).body;
  const cap = async (team: Team, body: object = weekly): Promise<TeamCap> => {
    const reply = await ask(as.lead, "POST", team, "cap", body);
    expect(reply).toMatchObject({ success: true });
    return reply.data;
  };
  const caps = async (team: Team): Promise<TeamCap[]> =>
    (await ask(as.lead, "GET", team, "caps")).data;
  const budgets = async (team: Team, client = as.lead): Promise<TeamBudget[]> =>
    (await ask(client, "GET", team, "budgets?size=100")).data;
  const of = async (team: Team, person: CappedPerson): Promise<TeamBudget[]> =>
    (await budgets(team)).filter(({ user_id }) => user_id === ids[person]);
  const only = async (team: Team, person: CappedPerson): Promise<TeamBudget> => {
    const [first, ...more] = await of(team, person);
    if (!first || more.length > 0)
      throw new Error(`${person} has ${more.length + (first ? 1 : 0)} caps`);
    return first;
  };
  const change = (team: Team, body: object) => ask(as.lead, "PUT", team, "member_cap", body);

  test("reach everyone who is in the team and who joins it, by whatever way, once", async () => {
    const team = await made("mira");
    const { id, uuid } = await cap(team);
    expect(await caps(team)).toMatchObject([
      { id, uuid, ...weekly, hard: true, enabled: true, followers: 3, own: 0 },
    ]);
    expect(await only(team, "mira")).toMatchObject({
      ...{
        ...weekly,
        subject: "member",
        subject_name: "mira",
        template_id: id,
        cap_id: id,
        spent: 0,
      },
      ...{ on_reached: "refuse", window_start: gateway.clock.now },
    });
    await put(team.id, "noor");
    expect(await only(team, "noor")).toMatchObject({ ...weekly, cap_id: id });
    await ask(as.owner, "POST", team, "invite", { to: "finance", role: "viewer" });
    const [invitation] = (await as.finance("GET", "/api/user/invitations")).body.data;
    await as.finance("POST", "/api/user/invitation/answer", {
      body: { id: invitation.id, accept: true },
    });
    expect(await only(team, "finance")).toMatchObject({ ...weekly, cap_id: id });
    // Another role is no joining.
    const own = await only(team, "noor");
    await ask(as.lead, "POST", team, "remove_member_cap", { budget_id: own.id });
    await put(team.id, "noor", "viewer");
    expect(await of(team, "noor")).toEqual([]);
  });

  test("change with the cap of the team, but for a member whose own it is, who keeps window and counter", async () => {
    const team = await made("mira", "noor");
    const given = await cap(team);
    const { id: budget_id } = await only(team, "mira");
    const { db } = gateway;
    const counter = {
      budget_id,
      window_start: gateway.clock.now,
      window_end: null,
      spent: 40,
      held: 0,
      calls: 2,
    };
    await db.write([{ query: db.sql.insertInto("budget_counters").values(counter) }]);
    gateway.clock.now += 60_000;
    const own = (await change(team, { budget_id, amount: 900 })).data;
    expect(own).toMatchObject({ amount: 900, spent: 40, template_id: null, cap_id: given.id });
    gateway.clock.now += 60_000;
    const changed = (
      await ask(as.lead, "PUT", team, "cap", { cap_id: given.id, amount: 200, name: "small" })
    ).data;
    expect(changed).toMatchObject({ amount: 200, name: "small", followers: 3, own: 1 });
    expect(await only(team, "noor")).toMatchObject({ amount: 200, name: "small" });
    expect(await only(team, "mira")).toMatchObject({ amount: 900, name: "each week", spent: 40 });

    const stale = { budget_id, follow: true, updated_at: own.updated_at - 1 };
    expect(await change(team, stale)).toMatchObject({ code: "changed_meanwhile" });
    expect(await change(team, { budget_id, follow: true, amount: 7 })).toMatchObject({
      code: "invalid_request",
    });
    const back = (await change(team, { budget_id, follow: true, updated_at: own.updated_at })).data;
    expect(back).toMatchObject({ amount: 200, name: "small", template_id: given.id, spent: 40 });

    await change(team, { budget_id, window: "day" });
    gateway.clock.now += 60_000;
    expect((await change(team, { budget_id, follow: true })).data).toMatchObject({
      ...{ window: "week", spent: 0, window_start: gateway.clock.now },
    });
  });

  test("stay with a member who leaves and joins again, and end with the cap where they followed it", async () => {
    const team = await made("mira", "noor");
    const { id } = await cap(team);
    const mira = await only(team, "mira");
    await change(team, { budget_id: mira.id, amount: 1 });
    const leave = { user_id: ids.mira };
    expect(await ask(as.lead, "POST", team, "remove_member", leave)).toMatchObject({
      success: true,
    });
    expect(await of(team, "mira")).toEqual([]);
    expect(await change(team, { budget_id: mira.id, amount: 3 })).toMatchObject({
      code: "budget_not_found",
    });
    await put(team.id, "mira");
    expect(await only(team, "mira")).toMatchObject({ id: mira.id, amount: 1 });
    expect(await ask(as.lead, "POST", team, "remove_cap", { cap_id: id })).toMatchObject({
      success: true,
    });
    expect(await caps(team)).toEqual([]);
    expect(await budgets(team)).toMatchObject([{ id: mira.id, cap_id: null, amount: 1 }]);
    expect(await change(team, { budget_id: mira.id, follow: true })).toMatchObject({
      code: "team_cap_not_found",
    });
  });

  test("may be given to one member alone, and there are four of a team and eight of a member", async () => {
    const team = await made("mira");
    for (let n = 0; n < 4; n += 1) {
      const alone = await ask(as.lead, "POST", team, "member_cap", {
        user_id: ids.mira,
        ...weekly,
        name: `own ${n}`,
      });
      expect(alone.data).toMatchObject({
        name: `own ${n}`,
        user_id: ids.mira,
        template_id: null,
        cap_id: null,
      });
    }
    const four = [await cap(team), await cap(team), await cap(team), await cap(team)];
    expect(await ask(as.lead, "POST", team, "cap", weekly)).toMatchObject({
      code: "budget_templates_full",
    });
    expect(await of(team, "mira")).toHaveLength(8);
    const ninth = { user_id: ids.mira, ...weekly };
    expect(await ask(as.lead, "POST", team, "member_cap", ninth)).toMatchObject({
      code: "budgets_full",
    });
    const [one] = await of(team, "lead");
    await change(team, { budget_id: one?.id, amount: 2 });
    await ask(as.lead, "POST", team, "remove_cap", { cap_id: four[0]?.id });
    await ask(as.lead, "POST", team, "member_cap", ninth);
    // A cap that would not bind one of the members is none.
    expect(await ask(as.lead, "POST", team, "cap", weekly)).toMatchObject({ code: "budgets_full" });
    const stranger = { user_id: ids.outsider, ...weekly };
    expect(await ask(as.lead, "POST", team, "member_cap", stranger)).toMatchObject({
      code: "team_member_not_found",
    });
  });

  test("never pause keys, nor send calls to the one model that they count, however they are made", async () => {
    const team = await made("mira");
    const { id } = await cap(team);
    const { id: budget_id } = await only(team, "mira");
    for (const mistake of [
      { on_reached: "pause" },
      { models: ["cheap"], on_reached: "model:cheap" },
    ]) {
      const requests = [
        ["POST", "cap", { ...weekly, ...mistake }],
        ["PUT", "cap", { cap_id: id, ...mistake }],
        ["POST", "member_cap", { user_id: ids.mira, ...weekly, ...mistake }],
        ["PUT", "member_cap", { budget_id, ...mistake }],
      ] as const;
      for (const [method, name, body] of requests) {
        const reply = await ask(as.lead, method, team, name, body);
        expect(Object.keys(reply.fields ?? {}), `${method} ${name}`).toEqual(["on_reached"]);
      }
    }
    expect(await of(team, "mira")).toMatchObject([{ on_reached: "refuse" }]);
  });

  test("are for the admins of the team to change, for its viewers to read, and for each member to see the own ones", async () => {
    const team = await made("mira", "noor");
    const other = await made();
    await put(team.id, "finance", "viewer");
    const { id } = await cap(team, { ...weekly, note: "agreed in May" });
    const note = {
      subject: "team",
      subject_id: team.id,
      name: "all",
      window: "month",
      amount: 9_000,
      note: "contract",
    };
    await root("POST", "/api/budget/", { body: note });
    const { id: budget_id } = await only(team, "mira");
    const shown = async (client: TestApiClient) =>
      (await budgets(team, client)).map(({ subject_name, note: said }) => [subject_name, said]);
    const all = ["finance", "lead", "mira", "noor", "owner"];
    const agreed = all.map((name) => [name, "agreed in May"]);
    expect(await shown(root)).toEqual([[team.name, "contract"], ...agreed]);
    expect(await shown(as.lead)).toEqual([[team.name, ""], ...agreed]);
    expect(await shown(as.finance)).toEqual([[team.name, ""], ...all.map((name) => [name, ""])]);
    expect(await shown(as.mira)).toEqual([["mira", ""]]);
    const asked = `budgets?user_id=${ids.noor}`;
    expect((await ask(as.mira, "GET", team, asked)).data).toMatchObject([{ subject_name: "mira" }]);
    expect((await ask(as.lead, "GET", team, asked)).data).toMatchObject([{ subject_name: "noor" }]);
    expect((await ask(as.lead, "GET", team, "budgets?subject=team")).data).toMatchObject([
      { name: "all" },
    ]);

    const acts: readonly [method: string, path: string, body?: object][] = [
      ["GET", "caps"],
      ["POST", "cap", { ...weekly, name: "second" }],
      ["PUT", "cap", { cap_id: id, amount: 4 }],
      ["POST", "member_cap", { user_id: ids.mira, ...weekly }],
      ["PUT", "member_cap", { budget_id, amount: 5 }],
      ["POST", "remove_member_cap", { budget_id }],
      ["POST", "remove_cap", { cap_id: id }],
    ];
    for (const [method, path, body] of acts) {
      const codes: Record<string, unknown> = {};
      for (const person of ["mira", "finance", "outsider"] as const)
        codes[person] = (await ask(as[person], method, team, path, body)).code;
      const reads = method === "GET";
      expect(codes, `${method} ${path}`).toEqual({
        ...{ mira: "team_role_insufficient", outsider: "team_not_found" },
        finance: reads ? undefined : "team_role_insufficient",
      });
      // What belongs to one team is unknown in another, to its admins too.
      const isNamed = body !== undefined && ("cap_id" in body || "budget_id" in body);
      if (isNamed)
        expect((await ask(as.lead, method, other, path, body)).code).toMatch(
          /^(team_cap|budget)_not_found$/,
        );
      expect(await ask(as.owner, method, team, path, body), `${method} ${path}`).toMatchObject({
        success: true,
      });
    }
    // The templates of the site are apart from those of teams.
    expect((await root("GET", "/api/budget_template/")).body.data).toEqual([]);
  });

  test("end with their team, and with no other", async () => {
    const [gone, stays] = [await made("mira"), await made("mira")];
    for (const team of [gone, stays]) await cap(team);
    await ask(as.owner, "DELETE", gone, "");
    const { db, clock } = gateway;
    await purgeExpired(db, createSessionStore(db), clock.now);
    const left = db.sql
      .selectFrom("budget_templates")
      .select("team_id")
      .where("team_id", "in", [gone.id, stays.id]);
    expect(await db.read(left)).toEqual([{ team_id: stays.id }]);
    expect(await of(stays, "mira")).toHaveLength(1);
    const members = db.sql.selectFrom("team_members").select("id").where("team_id", "=", gone.id);
    const orphans = db.sql.selectFrom("budgets").select("id").where("subject", "=", "member");
    expect(await db.read(orphans.where("subject_id", "in", members))).toEqual([]);
    for (const person of people) as[person] = await gateway.signIn(person);
  });

  test("reach a member who joins while a cap is made, or changes", async () => {
    const team = await made();
    const first = await cap(team);
    const joiners: readonly CappedPerson[] = ["mira", "noor", "finance", "outsider"];
    await Promise.all([
      ...joiners.map((person) => put(team.id, person)),
      cap(team, { ...weekly, name: "second" }),
      ask(as.lead, "PUT", team, "cap", { cap_id: first.id, amount: 77 }),
    ]);
    for (const person of joiners)
      expect(
        (await of(team, person)).map(({ name, amount }) => [name, amount]).sort(),
        person,
      ).toEqual([
        ["each week", 77],
        ["second", 500],
      ]);
  });
});
