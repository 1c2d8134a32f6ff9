// Teams over the management API: who may do what, what moves where, and what ends with a member or
// a team.
import type { Team, TeamMember, TeamToken } from "@tollgate/contract/accounts/teams.ts";
import type { Log } from "@tollgate/contract/figures/logs.ts";
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const people = ["site", "owner", "admin", "member", "viewer", "former", "outsider"] as const;
type TeamPerson = (typeof people)[number];

describeVariants(testDatabases)("teams on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  const ids = {} as Record<TeamPerson, number>;
  const as = {} as Record<TeamPerson, TestApiClient>;
  let team: Team;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    for (const person of people) {
      ids[person] = (await gateway.addUser(person, person === "site" ? { role: 10 } : {})).id;
      as[person] = await gateway.signIn(person);
    }
    team = await made("Search");
  });
  afterAll(async () => {
    expect(await auditBooks(gateway.db)).toEqual([]);
    await gateway.close();
  });

  const made = async (name: string): Promise<Team> => {
    const reply = await as.site("POST", "/api/team/", { body: { name, owner_id: ids.owner } });
    expect(reply.body).toMatchObject({ success: true });
    const { id } = reply.body.data;
    for (const role of ["admin", "member", "viewer"] as const)
      await put(as.site, id, ids[role], role);
    await put(as.site, id, ids.former, "member");
    await as.site("POST", `/api/team/${id}/remove_member`, { body: { user_id: ids.former } });
    return reply.body.data;
  };
  const put = async (client: TestApiClient, id: number, user_id: number, role: string) =>
    (await client("PUT", `/api/team/${id}/member`, { body: { user_id, role } })).body;
  const transfer = async (client: TestApiClient, id: number, body: object, headers = {}) =>
    (await client("POST", `/api/team/${id}/transfer`, { body, headers })).body;
  const shown = async (id: number): Promise<Team> =>
    (await root("GET", `/api/team/${id}`)).body.data;
  const balanceOf = async (id: number): Promise<number> =>
    (await root("GET", `/api/user/${id}`)).body.data.quota;
  const makeKey = async (client: TestApiClient, id: number, body: object) =>
    (
      await client("POST", `/api/team/${id}/token`, {
        body: { name: "k", unlimited_quota: true, ...body },
      })
    ).body;
  const stored = async (tokenId: number) => {
    const { sql, read } = gateway.db;
    return (await read(sql.selectFrom("tokens").selectAll().where("id", "=", tokenId)))[0];
  };

  /** Every act of the API with what it answers to each person: `true`, or the code. */
  const know = { former: "team_not_found", outsider: "team_not_found" } as const;
  const forAdmins = {
    ...know,
    member: "team_role_insufficient",
    viewer: "team_role_insufficient",
  } as const;
  const forSite = {
    ...forAdmins,
    ...{ member: "insufficient_role", viewer: "insufficient_role" },
  } as const;
  const acts: Record<
    string,
    [ask: (client: TestApiClient) => ReturnType<TestApiClient>, refused: object]
  > = {
    "read it": [(client) => client("GET", `/api/team/${team.id}`), know],
    "read it by uuid": [(client) => client("GET", `/api/team/${team.uuid}`), know],
    "list its members": [(client) => client("GET", `/api/team/${team.id}/members`), know],
    "list its keys": [(client) => client("GET", `/api/team/${team.id}/tokens`), know],
    rename: [
      (client) => client("PUT", "/api/team/", { body: { id: team.id, name: "Search" } }),
      forAdmins,
    ],
    "change its group": [
      (client) => client("PUT", "/api/team/", { body: { id: team.id, group: "default" } }),
      { ...forSite, owner: "insufficient_role", admin: "insufficient_role" },
    ],
    "disable it": [
      (client) => client("PUT", "/api/team/", { body: { id: team.id, status: 1 } }),
      { ...forSite, owner: "insufficient_role", admin: "insufficient_role" },
    ],
    "hand it over": [
      (client) => client("PUT", "/api/team/", { body: { id: team.id, owner_id: ids.owner } }),
      { ...forSite, owner: "insufficient_role", admin: "insufficient_role" },
    ],
    "offer it": [
      (client) =>
        client("POST", `/api/team/${team.id}/invite`, { body: { to: "admin", role: "owner" } }),
      { ...know, admin: "team_owner_only", member: "team_owner_only", viewer: "team_owner_only" },
    ],
    "invite into it": [
      (client) =>
        client("POST", `/api/team/${team.id}/invite`, {
          body: { to: "someone else", role: "member" },
        }),
      forAdmins,
    ],
    "list its invitations": [
      (client) => client("GET", `/api/team/${team.id}/invitations`),
      forAdmins,
    ],
    "change a role": [
      (client) =>
        client("PUT", `/api/team/${team.id}/member`, {
          body: { user_id: ids.member, role: "member" },
        }),
      forAdmins,
    ],
    "add an account": [
      (client) =>
        client("PUT", `/api/team/${team.id}/member`, {
          body: { user_id: ids.site, role: "viewer" },
        }),
      { ...forAdmins, owner: "team_member_not_found", admin: "team_member_not_found" },
    ],
    "take its quota": [
      (client) =>
        client("POST", `/api/team/${team.id}/transfer`, {
          body: { source: "team", amount: 1, user_id: ids.site },
        }),
      {
        ...forSite,
        owner: "insufficient_role",
        admin: "insufficient_role",
        site: "transfer_not_covered",
      },
    ],
    "create quota for it": [
      (client) =>
        client("POST", `/api/team/${team.id}/transfer`, {
          body: { source: "issuance", amount: 1 },
        }),
      {
        ...forSite,
        owner: "insufficient_role",
        admin: "insufficient_role",
        site: "insufficient_role",
      },
    ],
    "pay into it": [
      (client) =>
        client("POST", `/api/team/${team.id}/transfer`, {
          body: { source: "own", amount: 9_000_000 },
        }),
      {
        ...know,
        ...{
          site: "transfer_not_covered",
          owner: "transfer_not_covered",
          admin: "transfer_not_covered",
        },
        ...{ member: "transfer_not_allowed", viewer: "transfer_not_allowed" },
      },
    ],
    "make a key": [
      (client) => client("POST", `/api/team/${team.id}/token`, { body: { name: "own" } }),
      { ...know, viewer: "team_role_insufficient", site: "team_role_insufficient" },
    ],
    "make a service": [
      (client) =>
        client("POST", `/api/team/${team.id}/token`, { body: { name: "ci", service: true } }),
      forAdmins,
    ],
    "delete one that does not exist": [
      (client) => client("DELETE", "/api/team/99999"),
      Object.fromEntries(people.map((person) => [person, "team_not_found"])),
    ],
  };
  test.each(Object.keys(acts))("only those may %s who should", async (name) => {
    const [ask, refused] = acts[name] ?? [];
    const answers: Record<string, unknown> = {};
    for (const person of people) {
      // The account that was added stays out of the other rows.
      if (name === "add an account" && person === "site") continue;
      const reply = await ask?.(as[person]);
      answers[person] = reply?.body.success === true ? true : reply?.body.code;
    }
    const all = Object.fromEntries(people.map((person) => [person, true]));
    const expected = { ...all, ...refused };
    expect(answers).toEqual(
      Object.fromEntries(Object.keys(answers).map((person) => [person, expected[person]])),
    );
  });

  test("lists show each caller the own teams, members and keys, and administrators all", async () => {
    const other = await made("Other");
    await as.site("POST", `/api/team/${other.id}/remove_member`, { body: { user_id: ids.viewer } });
    const names = async (client: TestApiClient) =>
      (await client("GET", "/api/team/")).body.data.map(({ name }: Team) => name).sort();
    expect(await names(as.member)).toEqual(["Other", "Search"]);
    expect(await names(as.viewer)).toEqual(["Search"]);
    for (const person of ["former", "outsider"] as const)
      expect(await names(as[person])).toEqual([]);
    expect(await names(as.site)).toEqual(["Other", "Search"]);
    const members = async (client: TestApiClient) =>
      (await client("GET", `/api/team/${other.id}/members`)).body.data.map(
        ({ username }: TeamMember) => username,
      );
    expect(await members(as.member)).toEqual(["member"]);
    expect(await members(as.admin)).toEqual(["owner", "admin", "member"]);
    await makeKey(as.member, other.id, { name: "mine" });
    await makeKey(as.admin, other.id, { name: "theirs" });
    await makeKey(as.admin, other.id, { name: "ci", service: true });
    const keys = async (client: TestApiClient, path: string) =>
      (await client("GET", path)).body.data.map(({ name }: TeamToken) => name).sort();
    expect(await keys(as.member, `/api/team/${other.id}/tokens`)).toEqual(["mine"]);
    expect(await keys(as.admin, `/api/team/${other.id}/tokens`)).toEqual(["ci", "mine", "theirs"]);
    // Clients that know no teams see what they saw.
    expect(await keys(as.member, "/api/token/")).toEqual([]);
    const listed = JSON.stringify((await as.admin("GET", `/api/team/${other.id}/tokens`)).body);
    expect(listed).not.toContain("sk-");
    expect(listed).not.toContain("key_hash");
  });

  test("quota moves once for a key, out of an own balance, out of the team and from root, and all of it comes back at the end", async () => {
    const moved = await made("Moved");
    await root("POST", "/api/topup", { body: { user_id: ids.admin, quota: 1_000 } });
    const before = await balanceOf(ids.admin);
    const once = { "idempotency-key": "moved-once" };
    for (let times = 0; times < 2; times += 1)
      expect(
        await transfer(as.admin, moved.id, { source: "own", amount: 300 }, once),
      ).toMatchObject({
        success: true,
        data: { balance: 300 },
      });
    expect(await balanceOf(ids.admin)).toBe(before - 300);
    await transfer(as.site, moved.id, { source: "team", amount: 100, user_id: ids.member });
    await transfer(root, moved.id, { source: "issuance", amount: 50 });
    // The log tells each of them as a code with its facts, and in words for programs of before.
    const logged = (await as.admin("GET", `/api/log/self?type=3&team_id=${moved.id}`)).body.data;
    const facts = { team: "Moved", by: "root" };
    expect(logged.map(({ code, params }: Log) => ({ code, ...params }))).toEqual([
      { code: "quota_for_team", ...facts, quota: 50, user: "" },
      { code: "transfer_from_team", ...facts, quota: 100, user: "member", by: "site" },
      { code: "transfer_to_team", ...facts, quota: 300, user: "admin", by: "admin" },
    ]);
    expect(logged.at(-1)?.content).toContain("from admin to the team Moved, by admin");
    const [own] = (await as.admin("GET", "/api/log/self?type=3")).body.data;
    expect(own).toMatchObject({ code: "transfer_to_team", params: { quota: 300 } });
    expect((await shown(moved.id)).balance).toBe(250);
    expect(await transfer(as.admin, moved.id, { source: "own", amount: before })).toMatchObject({
      code: "transfer_not_covered",
    });
    const key = await makeKey(as.admin, moved.id, { service: true });
    expect(key.data.key).toMatch(/^sk-/);
    expect((await as.owner("DELETE", `/api/team/${moved.id}`)).body).toMatchObject({
      success: true,
    });
    expect((await stored(key.data.id))?.status).toBe(2);
    expect((await root("GET", `/api/team/${moved.id}`)).body).toMatchObject({
      code: "team_not_found",
    });
    // The name is free again.
    await made("Moved");
  });

  test("a transfer that is repeated at once moves quota once, and no repetition is refused for what the first one took", async () => {
    const raced = await made("Raced");
    await root("POST", "/api/topup", { body: { user_id: ids.owner, quota: 900 } });
    const all = await balanceOf(ids.owner);
    const once = { "idempotency-key": "raced-once" };
    const replies = await Promise.all(
      Array.from({ length: 8 }, () =>
        transfer(as.owner, raced.id, { source: "own", amount: all }, once),
      ),
    );
    for (const reply of replies) expect(reply).toMatchObject({ success: true });
    expect([(await shown(raced.id)).balance, await balanceOf(ids.owner)]).toEqual([all, 0]);
    // Another key is another transfer, which nothing covers.
    expect(await transfer(as.owner, raced.id, { source: "own", amount: all })).toMatchObject({
      code: "transfer_not_covered",
    });
  });

  test("whoever leaves loses the keys for good, and only the owner's seat cannot be taken away", async () => {
    const left = await made("Left");
    const own = (await makeKey(as.member, left.id, {})).data;
    const service = (await makeKey(as.admin, left.id, { service: true })).data;
    expect(await stored(service.id)).toMatchObject({
      user_id: 0,
      made_by: ids.admin,
      service: 1,
      team_id: left.id,
    });
    for (const user_id of [ids.member, ids.admin])
      expect(
        (await as.owner("POST", `/api/team/${left.id}/remove_member`, { body: { user_id } })).body
          .success,
      ).toBe(true);
    expect([(await stored(own.id))?.status, (await stored(service.id))?.status]).toEqual([2, 1]);
    await put(as.site, left.id, ids.member, "member");
    expect((await stored(own.id))?.status).toBe(2);
    const { sql, read } = gateway.db;
    expect(
      await read(sql.selectFrom("team_members").selectAll().where("team_id", "=", left.id)),
    ).toHaveLength(5);
    const leave = { body: { user_id: ids.owner } };
    expect(
      (await as.owner("POST", `/api/team/${left.id}/remove_member`, leave)).body,
    ).toMatchObject({
      code: "team_needs_owner",
    });
    expect(await put(as.site, left.id, ids.owner, "member")).toMatchObject({
      code: "team_needs_owner",
    });
    // Anyone else may go.
    const own2 = { body: { user_id: ids.viewer } };
    expect((await as.viewer("POST", `/api/team/${left.id}/remove_member`, own2)).body.success).toBe(
      true,
    );
  });

  test("two edits of one version do not overwrite each other, and a name is taken once", async () => {
    const edit = (body: object) =>
      as.owner("PUT", "/api/team/", { body: { id: team.id, ...body } });
    const { updated_at } = await shown(team.id);
    expect((await edit({ note: "one", updated_at })).body.success).toBe(true);
    expect((await edit({ note: "two", updated_at })).body).toMatchObject({
      code: "changed_meanwhile",
    });
    const taken = await as.site("POST", "/api/team/", { body: { name: "sEARCH" } });
    expect(taken.body).toMatchObject({ code: "team_name_taken" });
  });

  test("users make teams of their own where the site lets them, as many as it lets them and no wider than themselves", async () => {
    const setOption = (key: string, value: string) =>
      root("PUT", "/api/option/", { body: { key, value } });
    const make = async (body: object) =>
      (await as.outsider("POST", "/api/team/", { body: { name: `Own ${Math.random()}`, ...body } }))
        .body;
    expect((await make({})).code).toBe("insufficient_role");
    await setOption("TeamsByUsers", "2");
    expect((await gateway.visitor("GET", "/api/status")).body.data.makes_teams).toBe(true);
    for (const wider of [
      { group: "vip" },
      { models: "sim-model" },
      { rpm_limit: 5 },
      { owner_id: ids.member },
      { external_id: "mine" },
    ])
      expect((await make(wider)).code, JSON.stringify(wider)).toBe("insufficient_role");
    const first = await make({ note: "ours", members_see_balance: false, owner_id: ids.outsider });
    expect(first.data, first.message).toMatchObject({
      ...{ owner_id: ids.outsider, role: "admin", group: "default", note: "ours", balance: 0 },
    });
    const raced = await Promise.all(Array.from({ length: 4 }, () => make({})));
    expect(raced.filter(({ success }) => success)).toHaveLength(1);
    expect(new Set(raced.flatMap(({ code }) => code ?? []))).toEqual(new Set(["teams_full"]));
    await as.outsider("DELETE", `/api/team/${first.data.id}`);
    expect(await make({})).toMatchObject({ success: true });
    await setOption("TeamsByUsers", "0");
  });

  test("keys of a team end within the days that the site allows, however they come into it", async () => {
    const setDays = (value: string) =>
      root("PUT", "/api/option/", { body: { key: "TeamKeyMaxDays", value } });
    const inDays = (days: number) => Math.floor(gateway.clock.now / 1000) + days * 86_400;
    const { id } = await made("Ending");
    await setDays("30");
    for (const expired_time of [-1, inDays(31)])
      for (const [client, service] of [
        [as.member, false],
        [as.admin, true],
      ] as const)
        expect(await makeKey(client, id, { expired_time, service })).toMatchObject({
          code: "team_key_too_long",
          message: expect.stringContaining("(30 days)"),
        });
    expect(await makeKey(as.member, id, { expired_time: inDays(30) })).toMatchObject({
      success: true,
    });
    const people = {
      usernames: ["member"],
      role: "member",
      key: { name: "k", unlimited_quota: true },
    };
    const added = await as.site("POST", `/api/team/${id}/people`, {
      body: { ...people, key: { ...people.key, expired_time: -1 } },
    });
    expect(added.body.code).toBe("team_key_too_long");
    const own = await as.member("POST", "/api/token/", {
      body: { name: "own", unlimited_quota: true, expired_time: -1 },
    });
    const offered = await as.member("POST", `/api/team/${id}/offer_key`, {
      body: { token_id: own.body.data.id },
    });
    expect(offered.body.code).toBe("team_key_too_long");
    await setDays("0");
  });
});
