/**
 * Attacks on teams by people who are in one, were in one or are in another: on quota that moves,
 * keys that move, rights, links and ids. Many race, since what is checked before a write decides
 * nothing.
 */
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type MailGateway, startMailGateway } from "./mail-gateway.ts";
import { password, type TestApiClient, type TestApiReply } from "./management-gateway.ts";

const people = ["site", "owner", "admin", "member", "viewer", "former", "rival"] as const;
type TeamAttacker = (typeof people)[number];
type AttackAnswer = TestApiReply["body"];

const opening = 1_000;
const racers = 12;

describeVariants(testDatabases)("attacks on teams on $name", (database) => {
  let gateway: MailGateway;
  let root: TestApiClient;
  const ids = {} as Record<TeamAttacker, number>;
  const as = {} as Record<TeamAttacker, TestApiClient>;
  let made = 0;

  beforeAll(async () => {
    gateway = await startMailGateway(database);
    root = gateway.root;
    await gateway.set({ SMTPServer: "" });
    for (const person of people) {
      ids[person] = (await gateway.addUser(person, person === "site" ? { role: 10 } : {})).id;
      as[person] = await gateway.signIn(person);
    }
  });
  afterAll(async () => {
    // No attack has made a unit, or lost one.
    expect(await auditBooks(gateway.db)).toEqual([]);
    await gateway.close();
  });

  interface AttackedTeam {
    id: number;
    uuid: string;
    name: string;
  }

  /** A team of the owner, with an admin, a member, a viewer, one who left, and quota. */
  const makeTeam = async (quota = opening): Promise<AttackedTeam> => {
    made += 1;
    const body = { name: `Attacked ${made}`, owner_id: ids.owner };
    const { data } = (await as.site("POST", "/api/team/", { body })).body;
    for (const role of ["admin", "member", "viewer"] as const) await seat(data, ids[role], role);
    await seat(data, ids.former, "admin");
    await ask(as.site, data, "remove_member", { user_id: ids.former });
    if (quota > 0) await ask(root, data, "transfer", { source: "issuance", amount: quota });
    return data;
  };
  /** That of the rival, who is nothing to the other teams. */
  const makeRivals = async (): Promise<AttackedTeam> => {
    made += 1;
    const body = { name: `Rival ${made}`, owner_id: ids.rival };
    return (await as.site("POST", "/api/team/", { body })).body.data;
  };
  const seat = ({ id }: AttackedTeam, user_id: number, role: string) =>
    as.site("PUT", `/api/team/${id}/member`, { body: { user_id, role } });
  const ask = async (
    client: TestApiClient,
    { id }: AttackedTeam,
    verb: string,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<AttackAnswer> =>
    (await client("POST", `/api/team/${id}/${verb}`, { body, headers })).body;
  const put = async (
    client: TestApiClient,
    { id }: AttackedTeam,
    verb: string,
    body: object,
  ): Promise<AttackAnswer> => (await client("PUT", `/api/team/${id}/${verb}`, { body })).body;
  const shown = async ({ id }: AttackedTeam): Promise<AttackAnswer["data"]> =>
    (await root("GET", `/api/team/${id}`)).body.data;
  const balanceOf = async (person: TeamAttacker): Promise<number> =>
    (await root("GET", `/api/user/${ids[person]}`)).body.data.quota;
  const give = async (person: TeamAttacker, quota: number) =>
    root("PUT", "/api/user/", { body: { id: ids[person], quota } });
  const rolesOf = async ({ id }: AttackedTeam): Promise<Record<string, string>> => {
    const { data } = (await root("GET", `/api/team/${id}/members`)).body;
    return Object.fromEntries(
      data.map(({ username, role }: { username: string; role: string }) => [username, role]),
    );
  };
  const keyOf = async (client: TestApiClient, team: AttackedTeam, more: object = {}) =>
    (await ask(client, team, "token", { name: "k", ...more })).data;
  const ownKey = async (client: TestApiClient): Promise<number> =>
    (await client("POST", "/api/token/", { body: { name: "own" } })).body.data.id;
  const stored = async (id: number) => {
    const { sql, read } = gateway.db;
    return (await read(sql.selectFrom("tokens").selectAll().where("id", "=", id)))[0];
  };
  const walletOf = async ({ id }: AttackedTeam) => {
    const { sql, read } = gateway.db;
    const found = sql
      .selectFrom("teams")
      .innerJoin("wallets", "wallets.id", "teams.wallet_id")
      .where("teams.id", "=", id);
    return (await read(found.select(["balance", "debt", "status"])))[0];
  };
  const invite = async (
    client: TestApiClient,
    team: AttackedTeam,
    to = "someone@example.org",
    role = "member",
  ) => ask(client, team, "invite", { to, role });
  const codeIn = ({ data }: AttackAnswer): string => String(data.link).split("#")[1] ?? "";
  const accept = async (person: TeamAttacker, body: object): Promise<AttackAnswer> =>
    (await as[person]("POST", "/api/user/invitation/answer", { body: { accept: true, ...body } }))
      .body;
  const all = <Result>(act: (turn: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: racers }, (_, turn) => act(turn)));
  const successes = (answers: readonly AttackAnswer[]): number =>
    answers.filter(({ success }) => success).length;
  const expectCode = (answer: AttackAnswer, code: string) => expect(answer).toMatchObject({ code });

  /** Each ends with what the attacker must not have. */
  const attacks: Readonly<Record<string, () => Promise<void>>> = {
    "quota out of the team by its owner and its admin": async () => {
      const team = await makeTeam();
      for (const person of ["owner", "admin"] as const)
        expectCode(
          await ask(as[person], team, "transfer", {
            ...{ source: "team", amount: 1, user_id: ids[person] },
          }),
          "insufficient_role",
        );
      expect(await shown(team)).toMatchObject({ balance: opening });
    },
    "quota out of the account of somebody else": async () => {
      const team = await makeTeam();
      await give("member", 500);
      expectCode(
        await ask(as.admin, team, "transfer", {
          ...{ source: "own", amount: 500, user_id: ids.member },
        }),
        "invalid_request",
      );
      expect(await balanceOf("member")).toBe(500);
    },
    "amounts that are none": async () => {
      const team = await makeTeam();
      await give("admin", 500);
      for (const amount of [0, -1, 0.5, -500, 2 ** 53, Number.MAX_SAFE_INTEGER, "1", null, [1]])
        expectCode(
          await ask(as.admin, team, "transfer", { source: "own", amount }),
          "invalid_request",
        );
      expect([await balanceOf("admin"), (await shown(team)).balance]).toEqual([500, opening]);
    },
    "new quota by the site's administrator, who may not issue it": async () => {
      const team = await makeTeam();
      expectCode(
        await ask(as.site, team, "transfer", { source: "issuance", amount: 5 }),
        "insufficient_role",
      );
    },
    "one balance moved in many times at once": async () => {
      const team = await makeTeam(0);
      await give("owner", 300);
      const answers = await all(() =>
        ask(as.owner, team, "transfer", { source: "own", amount: 300 }),
      );
      expect(successes(answers)).toBe(1);
      expect([await balanceOf("owner"), (await shown(team)).balance]).toEqual([0, 300]);
    },
    "one balance taken out many times at once": async () => {
      const team = await makeTeam();
      await give("member", 0);
      const answers = await all(() =>
        ask(as.site, team, "transfer", {
          ...{ source: "team", amount: opening, user_id: ids.member },
        }),
      );
      expect(successes(answers)).toBe(1);
      expect([await balanceOf("member"), (await shown(team)).balance]).toEqual([opening, 0]);
    },
    "quota sent in a circle at once": async () => {
      const team = await makeTeam(600);
      await give("admin", 600);
      await all((turn) =>
        turn % 2 === 0
          ? ask(as.admin, team, "transfer", { source: "own", amount: 400 })
          : ask(as.site, team, "transfer", {
              ...{ source: "team", amount: 400, user_id: ids.admin },
            }),
      );
      expect((await balanceOf("admin")) + (await shown(team)).balance).toBe(1_200);
    },
    "the idempotency key of an earlier transfer with another amount": async () => {
      const team = await makeTeam(0);
      await give("admin", 500);
      const once = { "idempotency-key": `used-${team.id}` };
      await ask(as.admin, team, "transfer", { source: "own", amount: 1 }, once);
      expectCode(
        await ask(as.admin, team, "transfer", { source: "own", amount: 499 }, once),
        "idempotency_key_reused",
      );
      expect(await shown(team)).toMatchObject({ balance: 1 });
    },
    "the idempotency key of a transfer into another team": async () => {
      const [team, other] = [await makeTeam(0), await makeTeam(0)];
      await give("admin", 500);
      const once = { "idempotency-key": `other-${team.id}` };
      await ask(as.admin, team, "transfer", { source: "own", amount: 5 }, once);
      expectCode(
        await ask(as.admin, other, "transfer", { source: "own", amount: 5 }, once),
        "idempotency_key_reused",
      );
    },
    "the idempotency key of somebody else": async () => {
      const team = await makeTeam(0);
      await give("admin", 500);
      await give("owner", 500);
      const once = { "idempotency-key": `shared-${team.id}` };
      await ask(as.admin, team, "transfer", { source: "own", amount: 5 }, once);
      await ask(as.owner, team, "transfer", { source: "own", amount: 5 }, once);
      expect(await shown(team)).toMatchObject({ balance: 10 });
      expect(await balanceOf("owner")).toBe(495);
    },
    "quota that moves into a team while it is deleted": async () => {
      for (let round = 0; round < 4; round += 1) {
        const team = await makeTeam(50);
        await give("admin", 120);
        const [deleted, ...sent] = await Promise.all([
          as.owner("DELETE", `/api/team/${team.id}`),
          ...Array.from({ length: racers }, () =>
            ask(as.admin, team, "transfer", { source: "own", amount: 10 }),
          ),
        ]);
        const arrived = 50 + 10 * successes(sent);
        const wallet = await walletOf(team);
        // Nothing is left where nobody finds it.
        expect(wallet?.balance).toBe(deleted.body.success ? 0 : arrived);
        expect(await balanceOf("admin")).toBe(120 - 10 * successes(sent));
      }
    },
    "new quota for a team while it is deleted": async () => {
      for (let round = 0; round < 4; round += 1) {
        const team = await makeTeam(0);
        const [deleted, ...sent] = await Promise.all([
          as.owner("DELETE", `/api/team/${team.id}`),
          ...Array.from({ length: racers }, () =>
            ask(root, team, "transfer", { source: "issuance", amount: 10 }),
          ),
        ]);
        expect((await walletOf(team))?.balance).toBe(
          deleted.body.success ? 0 : 10 * successes(sent),
        );
      }
    },
    "a debt written off by the owner": async () => {
      const team = await makeTeam();
      const { body } = await as.owner("DELETE", `/api/team/${team.id}?write_off=true`);
      expectCode(body, "insufficient_role");
      expect((await walletOf(team))?.status).toBe(1);
    },
    "the deletion by an admin who does not own it": async () => {
      const team = await makeTeam();
      expectCode((await as.admin("DELETE", `/api/team/${team.id}`)).body, "team_owner_only");
    },
    "the key of somebody else offered": async () => {
      const team = await makeTeam();
      const id = await ownKey(as.member);
      expectCode(await ask(as.admin, team, "offer_key", { token_id: id }), "token_not_found");
      expect((await stored(id))?.team_id).toBeNull();
    },
    "an offer that another team takes": async () => {
      const [team, rivals] = [await makeTeam(), await makeRivals()];
      const id = await ownKey(as.member);
      await ask(as.member, team, "offer_key", { token_id: id });
      expectCode(
        await ask(as.rival, rivals, "answer_key", { token_id: id, accept: true }),
        "key_offer_not_found",
      );
      expect((await stored(id))?.team_id).toBeNull();
    },
    "an own offer taken by a member": async () => {
      const team = await makeTeam();
      const id = await ownKey(as.member);
      await ask(as.member, team, "offer_key", { token_id: id });
      expectCode(
        await ask(as.member, team, "answer_key", { token_id: id, accept: true }),
        "team_role_insufficient",
      );
    },
    "one key taken by two teams at once": async () => {
      const teams = [await makeTeam(), await makeTeam()] as const;
      const id = await ownKey(as.admin);
      const answers = await all((turn) =>
        ask(as.admin, turn % 2 === 0 ? teams[0] : teams[1], "offer_key", { token_id: id }),
      );
      expect(successes(answers)).toBe(1);
      expect(teams.map((team) => team.id)).toContain((await stored(id))?.team_id);
    },
    "a key of one team carried into another by its member": async () => {
      const [team, other] = [await makeTeam(), await makeTeam()];
      const { id } = await keyOf(as.admin, team);
      expectCode(await ask(as.admin, other, "offer_key", { token_id: id }), "token_not_found");
      expect((await stored(id))?.team_id).toBe(team.id);
    },
    "a key given back by the owner of the team": async () => {
      const team = await makeTeam();
      const { id } = await keyOf(as.member, team);
      const answer = await ask(as.owner, team, "release_key", { token_id: id });
      expectCode(answer, "insufficient_role");
      expect((await stored(id))?.team_id).toBe(team.id);
    },
    "a key taken while the team is deleted": async () => {
      for (let round = 0; round < 4; round += 1) {
        const team = await makeTeam(0);
        const id = await ownKey(as.admin);
        const [moved, deleted] = await Promise.all([
          ask(as.admin, team, "offer_key", { token_id: id }),
          as.owner("DELETE", `/api/team/${team.id}`),
        ]);
        const key = await stored(id);
        // A key of an ended team works no more; one that stayed is its owner's.
        if (key?.team_id === team.id && deleted.body.success) expect(key.status).toBe(2);
        else expect(key?.team_id ?? undefined).toBe(moved.success ? team.id : undefined);
      }
    },
    "the key of a service taken by a member": async () => {
      const team = await makeTeam();
      const { id } = await keyOf(as.admin, team, { service: true });
      expectCode(
        await put(as.member, team, "token", { token_id: id, status: 2 }),
        "token_not_found",
      );
      expectCode((await as.member("GET", `/api/token/${id}`)).body, "token_not_found");
    },
    "a key of the team deleted by another member": async () => {
      const team = await makeTeam();
      const { id } = await keyOf(as.admin, team);
      expectCode((await as.member("DELETE", `/api/token/${id}`)).body, "token_not_found");
      expect(await stored(id)).toBeDefined();
    },
    "a key for somebody else, or with what a team's key may not have": async () => {
      const team = await makeTeam();
      const key = await keyOf(as.member, team, { user_id: ids.owner, made_by: ids.owner });
      expect(await stored(key.id)).toMatchObject({ user_id: ids.member, made_by: ids.member });
      expectCode(await ask(as.member, team, "token", { name: "k", bodies: "full" }), "bodies_off");
    },
    "a service made by a member": async () => {
      const team = await makeTeam();
      expectCode(
        await ask(as.member, team, "token", { name: "k", service: true }),
        "team_role_insufficient",
      );
    },
    "more keys than the settings allow, made at once": async () => {
      await gateway.set({ TokensPerUserMax: "3" });
      const team = await makeTeam();
      for (const service of [false, true]) {
        const answers = await all(() => ask(as.admin, team, "token", { name: "k", service }));
        expect(successes(answers)).toBe(3);
        expectCode(await ask(as.admin, team, "token", { name: "k", service }), "too_many_tokens");
      }
      await gateway.set({ TokensPerUserMax: "500" });
    },
    "keys made while their maker is removed": async () => {
      for (let round = 0; round < 4; round += 1) {
        const team = await makeTeam();
        const [, ...keys] = await Promise.all([
          ask(as.owner, team, "remove_member", { user_id: ids.member }),
          ...Array.from({ length: racers }, () => ask(as.member, team, "token", { name: "k" })),
        ]);
        // Who joins again finds none of them enabled.
        for (const { success, data } of keys)
          if (success) expect((await stored(data.id))?.status).toBe(2);
      }
    },
    "a key enabled while its holder is removed": async () => {
      for (let round = 0; round < 4; round += 1) {
        const team = await makeTeam();
        const { id } = await keyOf(as.member, team);
        await put(as.member, team, "token", { token_id: id, status: 2 });
        await Promise.all([
          ask(as.owner, team, "remove_member", { user_id: ids.member }),
          ...Array.from({ length: racers }, () =>
            put(as.member, team, "token", { token_id: id, status: 1 }),
          ),
        ]);
        expect((await stored(id))?.status).toBe(2);
      }
    },
    "a management key made while its maker is removed": async () => {
      for (let round = 0; round < 3; round += 1) {
        gateway.clock.now += 10 * 60_000;
        const team = await makeTeam();
        const body = {
          ...{ name: "kept", scopes: ["teams:write"], lifetime_days: 30, team_id: team.id },
          current_password: password,
        };
        await Promise.all([
          ...Array.from({ length: 3 }, () => as.admin("POST", "/api/management_key/", { body })),
          ask(as.owner, team, "remove_member", { user_id: ids.admin }),
        ]);
        const { sql, read } = gateway.db;
        const kept = sql.selectFrom("management_keys").where("team_id", "=", team.id);
        expect(await read(kept.where("disabled", "=", 0).select("name"))).toEqual([]);
      }
    },
    "a way back made by an admin who is removed": async () => {
      for (let round = 0; round < 4; round += 1) {
        const team = await makeTeam();
        await Promise.all([
          ask(as.owner, team, "remove_member", { user_id: ids.admin }),
          ...Array.from({ length: racers }, (_, turn) =>
            invite(as.admin, team, `back-${turn}@example.org`, "admin"),
          ),
        ]);
        const { data } = (await as.owner("GET", `/api/team/${team.id}/invitations`)).body;
        expect(data).toEqual([]);
      }
    },
    "a way back made by an admin who is demoted": async () => {
      for (let round = 0; round < 4; round += 1) {
        const team = await makeTeam();
        await Promise.all([
          put(as.owner, team, "member", { user_id: ids.admin, role: "viewer" }),
          ...Array.from({ length: racers }, (_, turn) =>
            invite(as.admin, team, `up-${turn}@example.org`, "admin"),
          ),
        ]);
        const { data } = (await as.owner("GET", `/api/team/${team.id}/invitations`)).body;
        expect(data).toEqual([]);
      }
    },
    "a key started again by who was removed and came back": async () => {
      const team = await makeTeam();
      const { id } = await keyOf(as.member, team);
      await ask(as.owner, team, "remove_member", { user_id: ids.member });
      expect(
        (await as.member("PUT", "/api/token/?status_only=1", { body: { id, status: 1 } })).body,
      ).toMatchObject({ success: false });
      expect((await stored(id))?.status).toBe(2);
    },
    "the session of a former admin": async () => {
      const team = await makeTeam();
      const tries: Promise<TestApiReply>[] = [
        as.former("GET", `/api/team/${team.uuid}`),
        as.former("GET", `/api/team/${team.id}/members`),
        as.former("GET", `/api/team/${team.id}/tokens`),
        as.former("GET", `/api/team/${team.id}/budgets`),
        as.former("GET", `/api/team/${team.id}/statement`),
        as.former("GET", `/api/token/?team_id=${team.id}`),
        as.former("GET", `/api/log/self?team_id=${team.id}`),
        as.former("PUT", "/api/team/", { body: { id: team.id, name: "Mine" } }),
        as.former("POST", `/api/team/${team.id}/invite`, { body: { to: "former", role: "admin" } }),
        as.former("DELETE", `/api/team/${team.id}`),
      ];
      for (const { body } of await Promise.all(tries)) expectCode(body, "team_not_found");
    },
    "the rights of an administrator of the site who is one no longer": async () => {
      const team = await makeTeam();
      await gateway.addUser("demoted", { role: 10 });
      const demoted = await gateway.signIn("demoted");
      expect((await demoted("GET", `/api/team/${team.id}`)).body.success).toBe(true);
      const { id } = (await demoted("GET", "/api/user/self")).body.data;
      await root("PUT", "/api/user/", { body: { id, role: 1 } });
      const answer = await demoted("POST", `/api/team/${team.id}/transfer`, {
        body: { source: "team", amount: 1, user_id: id },
      });
      expect(answer.body.success).toBe(false);
      expect(await shown(team)).toMatchObject({ balance: opening });
    },
    "a higher role by one's own hand": async () => {
      const team = await makeTeam();
      for (const person of ["member", "viewer"] as const)
        expectCode(
          await put(as[person], team, "member", { user_id: ids[person], role: "admin" }),
          "team_role_insufficient",
        );
      expect(await rolesOf(team)).toMatchObject({ member: "member", viewer: "viewer" });
    },
    "a role that there is not": async () => {
      const team = await makeTeam();
      for (const role of ["owner", "site", "root", "", "ADMIN", 100, null, ["admin"]])
        expectCode(
          await put(as.admin, team, "member", { user_id: ids.member, role }),
          "invalid_request",
        );
    },
    "the owner demoted, removed or replaced by an admin": async () => {
      const team = await makeTeam();
      expectCode(
        await put(as.admin, team, "member", { user_id: ids.owner, role: "viewer" }),
        "team_needs_owner",
      );
      expectCode(
        await ask(as.admin, team, "remove_member", { user_id: ids.owner }),
        "team_needs_owner",
      );
      const mine = { id: team.id, owner_id: ids.admin };
      expectCode((await as.admin("PUT", "/api/team/", { body: mine })).body, "insufficient_role");
      expectCode(await invite(as.admin, team, "member", "owner"), "team_owner_only");
    },
    "accounts found out by adding them": async () => {
      const team = await makeTeam();
      const known = await put(as.admin, team, "member", { user_id: ids.rival, role: "member" });
      const unknown = await put(as.admin, team, "member", { user_id: 999_999, role: "member" });
      expect(known).toEqual(unknown);
      expectCode(known, "team_member_not_found");
    },
    "a member removed by a member": async () => {
      const team = await makeTeam();
      expectCode(
        await ask(as.member, team, "remove_member", { user_id: ids.viewer }),
        "team_role_insufficient",
      );
      expect(await rolesOf(team)).toHaveProperty("viewer");
    },
    "admins who remove each other at once": async () => {
      const team = await makeTeam();
      await seat(team, ids.member, "admin");
      await Promise.all([
        ask(as.admin, team, "remove_member", { user_id: ids.member }),
        ask(as.member, team, "remove_member", { user_id: ids.admin }),
      ]);
      // The owner is there whatever becomes of the others.
      expect(await rolesOf(team)).toMatchObject({ owner: "admin" });
    },
    "settings of the site slipped in with a name": async () => {
      const team = await makeTeam();
      const before = await shown(team);
      for (const more of [
        { group: "vip" },
        { models: "" },
        { status: 1 },
        { rpm_limit: 0 },
        { owner_id: ids.admin },
        { managed_by: "" },
      ])
        expectCode(
          (await as.admin("PUT", "/api/team/", { body: { id: team.id, name: "X", ...more } })).body,
          "insufficient_role",
        );
      const more = { balance: 9, wallet_id: 1, debt: 0, updated_at: before.updated_at };
      await as.admin("PUT", "/api/team/", { body: { id: team.id, name: "Named", ...more } });
      expect(await shown(team)).toMatchObject({ name: "Named", balance: opening, debt: 0 });
    },
    "what the members see, changed by a member": async () => {
      const team = await makeTeam();
      const body = { id: team.id, members_see_balance: true };
      expectCode((await as.member("PUT", "/api/team/", { body })).body, "team_role_insufficient");
    },
    "a team made or changed by a name of its own, by people": async () => {
      const body = { name: `By ${made}`, owner_id: ids.rival };
      for (const client of [as.rival, as.admin]) {
        const answer = await client("PUT", "/api/team/by-external/stolen", { body });
        expectCode(answer.body, "insufficient_role");
        expectCode((await client("POST", "/api/team/", { body })).body, "insufficient_role");
      }
    },
    "people added to a team, or a team made of them, by its owner": async () => {
      const team = await makeTeam();
      expectCode(
        await ask(as.owner, team, "people", { ids: [ids.rival], role: "member", key: {} }),
        "insufficient_role",
      );
      const body = { name: "Of people", usernames: ["rival"], role: "member" };
      expectCode(
        (await as.owner("POST", "/api/team/of_people", { body })).body,
        "insufficient_role",
      );
    },
    "caps and budgets of another team by their ids": async () => {
      const [team, rivals] = [await makeTeam(), await makeRivals()];
      const cap = { name: "each", window: "day", amount: 5 };
      const cap_id = (await ask(as.admin, team, "cap", cap)).data.id;
      const [own] = (await as.admin("GET", `/api/team/${team.id}/budgets?subject=member`)).body
        .data;
      const budget_id = own.id;
      expectCode(await put(as.rival, rivals, "cap", { cap_id, amount: 9 }), "team_cap_not_found");
      expectCode(await ask(as.rival, rivals, "remove_cap", { cap_id }), "team_cap_not_found");
      expectCode(
        await put(as.rival, rivals, "member_cap", { budget_id, amount: 9 }),
        "budget_not_found",
      );
      expectCode(
        await ask(as.rival, rivals, "remove_member_cap", { budget_id }),
        "budget_not_found",
      );
    },
    "the budget of the site or of a person, as if it were a cap": async () => {
      const team = await makeTeam();
      const terms = { name: "hard", window: "day", amount: 5 };
      for (const subject of [
        { subject: "site" },
        { subject: "user", subject_id: ids.admin },
        { subject: "team", subject_id: team.id },
      ]) {
        const { data } = (await root("POST", "/api/budget/", { body: { ...subject, ...terms } }))
          .body;
        const budget_id = data.id;
        expectCode(
          await put(as.admin, team, "member_cap", { budget_id, amount: 9_000 }),
          "budget_not_found",
        );
        expectCode(
          await ask(as.admin, team, "remove_member_cap", { budget_id }),
          "budget_not_found",
        );
        await root("DELETE", `/api/budget/${budget_id}`);
      }
    },
    "the own cap lifted by a member": async () => {
      const team = await makeTeam();
      await ask(as.admin, team, "cap", { name: "each", window: "day", amount: 5 });
      const [own] = (await as.member("GET", `/api/team/${team.id}/budgets`)).body.data;
      expectCode(
        await put(as.member, team, "member_cap", { budget_id: own.id, amount: 9_000 }),
        "team_role_insufficient",
      );
      expectCode(
        await ask(as.member, team, "remove_member_cap", { budget_id: own.id }),
        "team_role_insufficient",
      );
      // Nor by the addresses of the site's and of people's own budgets.
      const body = { id: own.id, amount: 9_000 };
      expect((await as.member("PUT", "/api/budget/", { body })).body.success).toBe(false);
      expect((await as.member("DELETE", `/api/budget/${own.id}`)).body.success).toBe(false);
    },
    "a cap shaken off by leaving and being invited again": async () => {
      const team = await makeTeam();
      await ask(as.admin, team, "cap", { name: "each", window: "lifetime", amount: 5 });
      const capOf = async () =>
        (await as.member("GET", `/api/team/${team.id}/budgets`)).body.data.map(
          ({ id }: { id: number }) => id,
        );
      const before = await capOf();
      await ask(as.member, team, "remove_member", { user_id: ids.member });
      await seat(team, ids.member, "member");
      expect(await capOf()).toEqual(before);
    },
    "the switch of another team's key": async () => {
      const [team, rivals] = [await makeTeam(), await makeRivals()];
      const { id } = await keyOf(as.member, team);
      expectCode(
        await put(as.rival, rivals, "token", { token_id: id, status: 2 }),
        "token_not_found",
      );
      expect((await stored(id))?.status).toBe(1);
    },
    "the statement of another team": async () => {
      const [team] = [await makeTeam(), await makeRivals()];
      for (const path of ["statement", "statement/export"])
        expectCode(
          (await as.rival("GET", `/api/team/${team.id}/${path}?month=2026-11`)).body,
          "team_not_found",
        );
    },
    "a link that is guessed, empty or too long": async () => {
      for (const code of ["", "x", "A".repeat(43), "A".repeat(10_000), "%00", "' or 1=1 --"])
        expect(await accept("rival", { code })).toMatchObject({ success: false });
    },
    "one link used by two people at once": async () => {
      const team = await makeTeam();
      const code = codeIn(await invite(as.admin, team));
      const answers = await Promise.all(
        (["rival", "former"] as const).flatMap((person) =>
          Array.from({ length: 4 }, () => accept(person, { code })),
        ),
      );
      expect(successes(answers)).toBe(1);
      const names = Object.keys(await rolesOf(team));
      expect(names.filter((name) => name === "rival" || name === "former")).toHaveLength(1);
    },
    "a link used after the team was deleted": async () => {
      const team = await makeTeam();
      const code = codeIn(await invite(as.admin, team));
      await as.owner("DELETE", `/api/team/${team.id}`);
      expectCode(await accept("rival", { code }), "invitation_not_found");
    },
    "a link of an admin who was removed": async () => {
      const team = await makeTeam();
      const code = codeIn(await invite(as.admin, team));
      await ask(as.owner, team, "remove_member", { user_id: ids.admin });
      expectCode(await accept("rival", { code }), "invitation_not_found");
    },
    "the invitation of somebody else by its id": async () => {
      const team = await makeTeam();
      const { data } = await invite(as.admin, team, "former");
      expectCode(await accept("rival", { id: data.id }), "invitation_not_found");
      const declined = { id: data.id, accept: false };
      expectCode(await accept("rival", declined), "invitation_not_found");
      expect(await accept("former", { id: data.id })).toMatchObject({ success: true });
    },
    "invitations of another team withdrawn or renewed by their ids": async () => {
      const [team, rivals] = [await makeTeam(), await makeRivals()];
      const answer = await invite(as.admin, team);
      const invitation_id = answer.data.id;
      for (const verb of ["withdraw_invitation", "resend_invitation"])
        expectCode(await ask(as.rival, rivals, verb, { invitation_id }), "invitation_not_found");
      expect(await accept("rival", { code: codeIn(answer) })).toMatchObject({ success: true });
    },
    "a link withdrawn while it is used": async () => {
      const team = await makeTeam();
      const answer = await invite(as.admin, team);
      const [used, withdrawn] = await Promise.all([
        accept("rival", { code: codeIn(answer) }),
        ask(as.admin, team, "withdraw_invitation", { invitation_id: answer.data.id }),
      ]);
      expect(Object.hasOwn(await rolesOf(team), "rival")).toBe(used.success);
      expect(used.success && withdrawn.success).toBe(false);
    },
    "a role above the offered one": async () => {
      const team = await makeTeam();
      const code = codeIn(await invite(as.admin, team, "someone@example.org", "viewer"));
      await accept("rival", { code, role: "admin" });
      expect(await rolesOf(team)).toMatchObject({ rival: "viewer" });
    },
    "a team handed over to who was not meant": async () => {
      const team = await makeTeam();
      const { data } = await invite(as.owner, team, "admin", "owner");
      expectCode(await accept("member", { id: data.id }), "invitation_not_found");
      expect(await shown(team)).toMatchObject({ owner_id: ids.owner });
    },
  };

  test("at least fifty are tried", () => {
    expect(Object.keys(attacks).length).toBeGreaterThanOrEqual(50);
  });
  test.each(Object.keys(attacks))("an attack fails: %s", async (name) => await attacks[name]?.());
});
