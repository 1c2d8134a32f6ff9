// Many people come into a team in one step, each with a key: a preview first, then all of them or
// nobody.
import type { JoinedPerson } from "@tollgate/contract/accounts/team-people.ts";
import type { Team } from "@tollgate/contract/accounts/teams.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const names = Array.from({ length: 12 }, (_, place) => `person${place}`);
const key = { name: "laptop", unlimited_quota: true };

describeVariants(testDatabases)("many people in one step on $name", (database) => {
  let gateway: ManagementGateway;
  let site: TestApiClient;
  let ids: number[];
  let ownerId: number;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("site", { role: 10 });
    site = await gateway.signIn("site");
    ownerId = (await gateway.addUser("owner")).id;
    ids = [];
    for (const name of names) ids.push((await gateway.addUser(name)).id);
  });
  afterAll(() => gateway.close());

  const made = async (name: string): Promise<Team> =>
    (await site("POST", "/api/team/", { body: { name, owner_id: ownerId } })).body.data;
  const add = async (team: Team, body: object, headers = {}, client = site) =>
    (await client("POST", `/api/team/${team.id}/people`, { body, headers })).body;
  const create = async (body: object, headers = {}) =>
    (await site("POST", "/api/team/of_people", { body, headers })).body;
  const table = async (name: "teams" | "team_members" | "tokens" | "budgets" | "wallets") =>
    (await gateway.db.read(gateway.db.sql.selectFrom(name).selectAll())).length;
  const counts = async () =>
    Promise.all((["teams", "team_members", "tokens", "budgets", "wallets"] as const).map(table));

  test("a preview changes nothing, and then each of them is in the team with a key and the budget of each member", async () => {
    const team = await made("Search");
    await site("POST", `/api/team/${team.id}/cap`, {
      body: { name: "each", window: "week", amount: 500 },
    });
    const input = { usernames: names.slice(0, 10), role: "member", key };
    const before = await counts();
    const shown = (await add(team, { ...input, preview: true })).data.people as JoinedPerson[];
    expect(await counts()).toEqual(before);
    expect(
      shown.map(({ username, is_member, problem, key: secret }) => [
        username,
        is_member,
        problem,
        secret,
      ]),
    ).toEqual(names.slice(0, 10).map((name) => [name, false, null, ""]));
    const once = { "idempotency-key": "ten-at-once" };
    const { people } = (await add(team, input, once)).data as { people: JoinedPerson[] };
    expect(new Set(people.map(({ key: secret }) => secret)).size).toBe(10);
    for (const { key: secret, is_member } of people) {
      expect(secret).toMatch(/^sk-/);
      expect(is_member).toBe(true);
    }
    const [teams, members, tokens, budgets, wallets] = await counts();
    expect([teams, members, tokens, budgets, wallets]).toEqual([
      ...[
        before[0],
        (before[1] ?? 0) + 10,
        (before[2] ?? 0) + 10,
        (before[3] ?? 0) + 10,
        before[4],
      ],
    ]);
    // A reply that was lost is asked for again.
    expect((await add(team, input, once)).data.people).toEqual(people);
    gateway.clock.now += 11 * 60_000;
    site = await gateway.signIn("site");
    expect(
      (await add(team, input, once)).data.people.map((person: JoinedPerson) => person.key),
    ).toEqual(names.slice(0, 10).map(() => ""));
    const mine = await gateway.signIn("person3");
    const keys = (await mine("GET", `/api/team/${team.id}/tokens`)).body.data;
    expect(keys).toMatchObject([{ name: "laptop", username: "person3", service: false }]);
  });

  test("who is in the team already keeps the role and gets the key alone", async () => {
    const team = await made("Some");
    await site("PUT", `/api/team/${team.id}/member`, { body: { user_id: ids[0], role: "admin" } });
    const { people } = (
      await add(team, { ids: [ids[0], ids[1]], usernames: ["person1", "owner"], key })
    ).data;
    const told = people.map(({ username, role }: JoinedPerson) => [username, role]);
    expect(told.sort()).toEqual([
      ["owner", "admin"],
      ["person0", "admin"],
      ["person1", "member"],
    ]);
    const members = (await site("GET", `/api/team/${team.id}/members`)).body.data;
    expect(members.map(({ keys }: { keys: number }) => keys)).toEqual([1, 1, 1]);
  });

  test("one of them who cannot be added is named, and nobody is", async () => {
    const team = await made("Nobody");
    const off = await gateway.addUser("gone", { status: 2 });
    await gateway.addUser("peer", { role: 10 });
    await site("PUT", `/api/team/${team.id}/member`, { body: { user_id: ids[2], role: "viewer" } });
    const cases: readonly [body: object, name: string, code: string][] = [
      [{ usernames: ["person0", "stranger"] }, "stranger", "user_not_found"],
      [{ ids: [ids[0], off.id] }, String(off.id), "account_disabled"],
      [{ usernames: ["person0", "peer"], key }, "peer", "user_out_of_reach"],
      [{ usernames: ["person0", "person2"], key }, "person2", "team_viewer_without_key"],
      [{ usernames: ["person0"], role: "viewer", key }, "person0", "team_viewer_without_key"],
    ];
    const before = await counts();
    for (const [body, name, code] of cases) {
      const shown = (await add(team, { ...body, preview: true })).data.people as JoinedPerson[];
      const problems = shown.filter(({ problem }) => problem !== null);
      expect(
        problems.map(({ problem }) => problem?.code),
        name,
      ).toEqual([code]);
      const refused = await add(team, body);
      expect(refused).toMatchObject({ success: false, code });
      expect(refused.message).toContain(`${name}: `);
      expect(await create({ name: `Of ${name}`, owner_id: ownerId, ...body }), name).toMatchObject({
        // A new team has no viewer yet.
        success: name === "person2",
      });
    }
    const after = await counts();
    expect(after[0]).toBe((before[0] ?? 0) + 1);
    expect(await add(team, { usernames: [] })).toMatchObject({ code: "invalid_request" });
    const lead = await gateway.signIn("owner");
    // Whether a name belongs to an account is not for the admins of a team to find out.
    expect(
      (await lead("POST", `/api/team/${team.id}/people`, { body: { usernames: ["person0"] } }))
        .status,
    ).toBe(403);
  });

  test("a team of these people is made once, with all of them, or not at all", async () => {
    const before = await counts();
    const input = {
      name: "Class",
      group: "default",
      owner_id: ownerId,
      ids: ids.slice(0, 5),
      role: "member",
      key,
    };
    const shown = await create({ ...input, preview: true });
    expect(shown.data).toMatchObject({ team: null });
    expect(shown.data.people).toHaveLength(5);
    expect(await counts()).toEqual(before);
    const once = { "idempotency-key": "a-class" };
    const [one, other] = await Promise.all([create(input, once), create(input, once)]);
    expect(one.data.team).toMatchObject({
      name: "Class",
      members: 6,
      keys: 5,
      owner_id: ownerId,
      balance: 0,
    });
    expect(other.data.people).toEqual(one.data.people);
    const taken = await counts();
    expect(await create({ ...input, name: "cLASS" })).toMatchObject({ code: "team_name_taken" });
    expect(await counts()).toEqual(taken);
    const entries =
      (await (await gateway.signIn("root"))("GET", "/api/audit/?size=20")).body.data ?? [];
    const added = entries.find(({ action }: { action: string }) => action === "team.add_people");
    expect(added).toBeDefined();
  });
});
