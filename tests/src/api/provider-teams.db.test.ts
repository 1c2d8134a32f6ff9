// Teams that the groups of a sign-in provider give: who comes in and goes, with which role and budget,
// and that what came so is changed there alone.
import type { TeamBudget } from "@tollgate/contract/accounts/team-caps.ts";
import type { Team, TeamMember } from "@tollgate/contract/accounts/teams.ts";
import { createInvitationStore } from "@tollgate/gateway/accounts/teams/invitation-store.ts";
import { passOnTeams } from "@tollgate/gateway/accounts/teams/pass-on-teams.ts";
import { createTeamStore } from "@tollgate/gateway/accounts/teams/team-store.ts";
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import {
  type OidcIssuer,
  type OidcPerson,
  oidcCredentials,
  startOidcIssuer,
} from "../harness/oidc-issuer.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { buildCompanyProvider, makeOidcBrowsers } from "./oidc-browser.ts";

const weekly = (amount: number) => ({ amount, window: "week" as const });

describeVariants(testDatabases)("teams by the groups of a provider on $name", (database) => {
  let gateway: ManagementGateway;
  let issuer: OidcIssuer;
  let root: TestApiClient;
  let openBrowser: ReturnType<typeof makeOidcBrowsers>;
  let providerId: number;
  let lastPerson = 0;
  let lastTeam = 0;
  let search: Team;
  let ads: Team;
  let ownerId: number;

  beforeAll(async () => {
    issuer = await startOidcIssuer();
    gateway = await startManagementGateway(
      database,
      Date.UTC(2026, 10, 20, 12),
      issuer.url,
      "http://gateway.example",
    );
    openBrowser = makeOidcBrowsers(gateway, issuer);
    root = await gateway.signIn("root");
    ownerId = (await gateway.addUser("owner")).id;
    const body = buildCompanyProvider(issuer);
    providerId = (await root("POST", "/api/oidc_provider/", { body })).body.data.id;
  });
  afterAll(async () => {
    expect(gateway.problems).toEqual([]);
    expect(await auditBooks(gateway.db)).toEqual([]);
    await gateway.close();
    await issuer.close();
  });
  beforeEach(async () => {
    // Changes of a provider need a recent sign-in.
    root = await gateway.signIn("root");
    await setUp({ enabled: true, refuses_unmatched: false });
    [search, ads] = [await makeTeam(), await makeTeam()];
    await setUp({
      rules: [
        rule("leads", search, "admin", weekly(900)),
        rule("staff", search, "member", weekly(500)),
        rule("finance", search, "viewer"),
        rule("staff", ads, "viewer"),
      ],
    });
  });

  const setUp = async (change: object) => {
    const reply = await root("PUT", "/api/oidc_provider/", { body: { id: providerId, ...change } });
    expect(reply.body).toMatchObject({ success: true });
  };
  const makeTeam = async (owner = ownerId): Promise<Team> => {
    lastTeam += 1;
    const body = { name: `Team ${lastTeam}`, owner_id: owner };
    return (await root("POST", "/api/team/", { body })).body.data;
  };
  const rule = (
    value: string,
    team: Team,
    team_role: string,
    team_budget: object | null = null,
  ) => ({
    ...{ claim: "groups", value, role: null, group: "" },
    ...{ team: team.uuid, team_role, team_budget },
  });
  const newPerson = (): { sub: string; preferred_username: string } => {
    lastPerson += 1;
    return { sub: `subject-${lastPerson}`, preferred_username: `person${lastPerson}` };
  };
  /** Signs in and gives the client of that person. */
  const arrive = async (person: OidcPerson, ...groups: string[]) => {
    const browser = openBrowser();
    const reply = await browser.visit({ ...person, groups });
    return { ...browser, reply, id: Number(reply.body.data?.id) };
  };
  const membersOf = async (team: Team): Promise<TeamMember[]> =>
    (await root("GET", `/api/team/${team.id}/members`)).body.data;
  const findMember = async (team: Team, userId: number) =>
    (await membersOf(team)).find(({ user_id }) => user_id === userId);
  const budgetsOf = async (team: Team, userId: number): Promise<TeamBudget[]> =>
    (await root("GET", `/api/team/${team.id}/budgets?user_id=${userId}`)).body.data;
  const findGiven = async (team: Team, userId: number) =>
    (await budgetsOf(team, userId)).find(({ by_provider }) => by_provider !== null);
  const auditsOf = async (team: Team): Promise<string[]> => {
    const found = gateway.db.sql.selectFrom("audit_entries").select("action").orderBy("id");
    return (await gateway.db.read(found.where("target", "=", team.uuid))).map((row) => row.action);
  };
  const act = (client: TestApiClient, method: string, team: Team, path: string, body: object) =>
    client(method, `/api/team/${team.id}/${path}`, { body }).then((reply) => reply.body);

  test("groups bring a person into teams, each with its role, and with a budget beside those of the team", async () => {
    await act(root, "POST", search, "cap", { name: "all", window: "month", amount: 7_000 });
    const { id } = await arrive(newPerson(), "staff");
    const company = { slug: "company", name: "Company" };
    expect(await findMember(search, id)).toMatchObject({ role: "member", by_provider: company });
    expect(await findMember(ads, id)).toMatchObject({ role: "viewer", by_provider: company });
    expect(await findMember(search, ownerId)).toMatchObject({ role: "admin", by_provider: null });
    expect(await budgetsOf(search, id)).toMatchObject([
      { name: "all", amount: 7_000, window: "month", by_provider: null },
      { name: "Company", amount: 500, window: "week", spent: 0, by_provider: company },
    ]);
    expect(await budgetsOf(ads, id)).toEqual([]);
  });

  test("a repeated sign-in writes nothing, and another group changes role and budget in place", async () => {
    const person = newPerson();
    const { id } = await arrive(person, "staff");
    const [member, budget] = [await findMember(search, id), await findGiven(search, id)];
    const told = await auditsOf(search);
    expect(told.slice(-2)).toEqual(["team.set_member", "team.create_member_cap"]);
    await arrive(person, "staff");
    expect(await auditsOf(search)).toEqual(told);

    await arrive(person, "staff", "leads");
    expect(await findMember(search, id)).toMatchObject({ id: member?.id, role: "admin" });
    expect(await findGiven(search, id)).toMatchObject({ id: budget?.id, amount: 900 });
    await arrive(person, "finance");
    expect(await findMember(search, id)).toMatchObject({ id: member?.id, role: "viewer" });
    expect(await findGiven(search, id)).toBeUndefined();
    expect(await findMember(ads, id)).toBeUndefined();
  });

  test("a lost group ends the membership with all that hung on it, and the group again begins the same one", async () => {
    const person = newPerson();
    const { id, ask } = await arrive(person, "leads");
    const key = (await act(ask, "POST", search, "token", { name: "k", unlimited_quota: true }))
      .data;
    const invited = await act(ask, "POST", search, "invite", { to: "stranger", role: "member" });
    expect(invited).toMatchObject({ success: true });
    const made = await ask("POST", "/api/management_key/", {
      body: { name: "m", scopes: ["teams:read"], lifetime_days: 30, team_id: search.id },
    });
    expect(made.body).toMatchObject({ success: true });
    const before = await findMember(search, id);
    const countInvitations = async () =>
      (await gateway.db.read(gateway.db.sql.selectFrom("team_invitations").select("id"))).length;
    const invitations = await countInvitations();

    const later = await arrive(person);
    expect(later.reply.body).toMatchObject({ success: true });
    expect(await findMember(search, id)).toBeUndefined();
    expect((await later.ask("GET", `/api/team/${search.id}`)).body.code).toBe("team_not_found");
    expect(await countInvitations()).toBe(invitations - 1);
    const { sql, read } = gateway.db;
    const stored = async () => ({
      key: (await read(sql.selectFrom("tokens").select("status").where("id", "=", key.id)))[0],
      managing: (
        await read(sql.selectFrom("management_keys").select("disabled").where("user_id", "=", id))
      )[0],
    });
    expect(await stored()).toEqual({ key: { status: 2 }, managing: { disabled: 1 } });

    await arrive(person, "leads");
    expect(await findMember(search, id)).toMatchObject({ id: before?.id, role: "admin" });
    expect(await stored()).toEqual({ key: { status: 2 }, managing: { disabled: 1 } });
  });

  test("what was given by hand, or came by another provider, stays", async () => {
    const person = newPerson();
    const { id } = await arrive(person);
    await act(root, "PUT", search, "member", { user_id: id, role: "member" });
    await act(root, "PUT", ads, "member", { user_id: id, role: "member" });
    await gateway.db.write([
      {
        query: gateway.db.sql
          .updateTable("team_members")
          .set({ by_provider: "oidc:https://other.example" })
          .where("user_id", "=", id)
          .where("team_id", "=", ads.id),
      },
    ]);
    for (const groups of [["leads", "staff"], []]) {
      await arrive(person, ...groups);
      for (const team of [search, ads])
        expect(await findMember(team, id)).toMatchObject({ role: "member", by_provider: null });
      expect(await budgetsOf(search, id)).toEqual([]);
    }
  });

  test("nobody changes by hand what the provider gave, as long as people sign in with it", async () => {
    const { id, ask } = await arrive(newPerson(), "staff");
    const lead = await arrive(newPerson(), "leads");
    const budget = await findGiven(search, id);
    const attempts = [
      ["PUT", "member", { user_id: id, role: "admin" }],
      ["POST", "remove_member", { user_id: id }],
      ["PUT", "member_cap", { budget_id: budget?.id, amount: 1_000_000 }],
      ["POST", "remove_member_cap", { budget_id: budget?.id }],
    ] as const;
    for (const client of [root, lead.ask])
      for (const [method, path, body] of attempts)
        expect(await act(client, method, search, path, body), path).toMatchObject({
          success: false,
          code: "team_member_by_provider",
          message: "A sign-in provider decides on this. Change it there (Company)",
        });
    const self = { user_id: id };
    expect((await act(ask, "POST", search, "remove_member", self)).code).toBe(
      "team_member_by_provider",
    );
    for (const [method, path, body] of [
      ["PUT", "/api/budget/", { id: budget?.id, enabled: false }],
      ["DELETE", `/api/budget/${budget?.id}`, undefined],
    ] as const)
      expect((await root(method, path, body ? { body } : {})).body.code, path).toBe(
        "team_member_by_provider",
      );
    expect(await findMember(search, id)).toMatchObject({ role: "member" });
    expect(await findGiven(search, id)).toMatchObject({ amount: 500, enabled: true });

    await setUp({ enabled: false });
    expect(await findMember(search, id)).toMatchObject({ by_provider: null });
    expect(await act(root, "PUT", search, "member", { user_id: id, role: "viewer" })).toMatchObject(
      {
        success: true,
      },
    );
    // From now on it is by hand.
    await setUp({ enabled: true });
    expect(await findMember(search, id)).toMatchObject({ role: "viewer", by_provider: null });
  });

  test("an invitation gives no other role to whom the provider brought, and one by hand follows after", async () => {
    const person = newPerson();
    const { id, ask } = await arrive(person);
    await act(root, "POST", search, "invite", { to: person.preferred_username, role: "admin" });
    await arrive(person, "finance");
    const [invitation] = (await ask("GET", "/api/user/invitations")).body.data;
    const body = { id: invitation.id, accept: true };
    await ask("POST", "/api/user/invitation/answer", { body });
    expect(await findMember(search, id)).toMatchObject({
      role: "viewer",
      by_provider: { slug: "company" },
    });
    await arrive(person);
    await act(root, "PUT", search, "member", { user_id: id, role: "member" });
    await arrive(person);
    expect(await findMember(search, id)).toMatchObject({ role: "member", by_provider: null });
  });

  test("an owner whom the provider takes away is followed by the oldest other admin, and the team runs on without one", async () => {
    const person = newPerson();
    const { id, ask } = await arrive(person, "leads");
    await act(root, "PUT", search, "member", { user_id: id, role: "admin" });
    const give = (team: Team) => root("PUT", "/api/team/", { body: { id: team.id, owner_id: id } });
    expect((await give(search)).body).toMatchObject({ data: { owner_id: id } });
    const { db, clock } = gateway;
    const stores = { teams: createTeamStore(db), invitations: createInvitationStore(db) };
    const alone = await makeTeam();
    await setUp({ rules: [rule("leads", search, "admin"), rule("leads", alone, "admin")] });
    await arrive(person, "leads");
    await give(alone);
    await act(root, "POST", alone, "remove_member", { user_id: ownerId });
    await arrive(person);
    // The rights of an owner end at once.
    expect((await ask("GET", `/api/team/${search.id}`)).body.code).toBe("team_not_found");
    await passOnTeams({ db, ...stores }, clock.now);
    const owner = async (team: Team) =>
      (await root("GET", `/api/team/${team.id}`)).body.data.owner_id;
    expect([await owner(search), await owner(alone)]).toEqual([ownerId, id]);
    await act(root, "PUT", alone, "member", { user_id: ownerId, role: "admin" });
    await passOnTeams({ db, ...stores }, clock.now);
    expect(await owner(alone)).toBe(ownerId);
  });

  test("an owner whom the provider makes a member has the rights of a member alone", async () => {
    const person = newPerson();
    const { id, ask } = await arrive(person, "leads");
    await root("PUT", "/api/team/", { body: { id: search.id, owner_id: id } });
    await arrive(person, "staff");
    const note = await ask("PUT", "/api/team/", { body: { id: search.id, note: "mine" } });
    expect(note.body.code).toBe("team_role_insufficient");
    expect((await ask("DELETE", `/api/team/${search.id}`)).body.code).toBe("team_owner_only");
  });

  test("whom the rules no longer admit is refused, and loses what they gave", async () => {
    const person = newPerson();
    const { id } = await arrive(person, "staff");
    await setUp({ refuses_unmatched: true });
    const { reply } = await arrive(person, "others");
    expect(reply.body).toMatchObject({ success: false, code: "external_not_entitled" });
    expect(await findMember(search, id)).toBeUndefined();
  });

  test("groups that the provider left out because there are too many change nothing", async () => {
    const person = newPerson();
    const { id } = await arrive(person, "staff");
    await openBrowser().visit({ ...person, hasgroups: true });
    expect(await findMember(search, id)).toMatchObject({ role: "member" });
  });

  test("who unbinds the account there keeps neither team nor role of the provider", async () => {
    const admins = { ...rule("staff", search, "member"), role: 10 };
    await setUp({ rules: [admins] });
    const person = newPerson();
    const { id, ask } = await arrive(person, "staff");
    const self = async () => (await ask("GET", "/api/user/self")).body.data;
    expect(await self()).toMatchObject({ role: 10 });
    const provider = `oidc:${issuer.url}`;
    // Another way in remains.
    await ask("PUT", "/api/user/self", { body: { password: "correct horse" } });
    const unbound = await ask("POST", "/api/user/external/unbind", { body: { provider } });
    expect(unbound.body).toMatchObject({ success: true });
    expect(await self()).toMatchObject({ role: 1 });
    expect(await findMember(search, id)).toBeUndefined();
  });

  test("people stay where the issuer gets or loses its last slash", async () => {
    const { id } = await arrive(newPerson(), "staff");
    const { clientSecret: client_secret } = oidcCredentials;
    await setUp({ issuer: `${issuer.url}/`, client_secret });
    expect(await findMember(search, id)).toMatchObject({ by_provider: { slug: "company" } });
    expect(await findGiven(search, id)).toMatchObject({ amount: 500 });
    await setUp({ issuer: issuer.url, client_secret });
    expect(await findMember(search, id)).toMatchObject({ by_provider: { slug: "company" } });
  });

  test("a rule names a team that there is; one that is deleted later gives nothing and stops nothing", async () => {
    const [provider] = (await root("GET", "/api/oidc_provider/")).body.data;
    const lost = { ...search, uuid: "01940000-0000-7000-8000-000000000000" };
    const set = (rules: object[]) =>
      root("PUT", "/api/oidc_provider/", { body: { id: providerId, rules } });
    expect((await set([rule("staff", lost, "member")])).body.code).toBe("team_not_found");
    expect((await set([{ ...rule("staff", search, "member"), team: "" }])).body).toMatchObject({
      code: "invalid_request",
    });
    const dangling = { ...rule("staff", search, "member", weekly(5)), team: "", role: 1 };
    expect((await set([dangling])).body).toMatchObject({ code: "invalid_request" });
    expect((await root("DELETE", `/api/team/${search.id}`)).body).toMatchObject({ success: true });
    const { id, reply } = await arrive(newPerson(), "staff");
    expect(reply.body).toMatchObject({ success: true });
    expect(await findMember(ads, id)).toMatchObject({ role: "viewer" });
    expect((await set(provider.rules)).body).toMatchObject({ success: true });
  });

  test("two sign-ins of one person at the same moment give one membership and one budget", async () => {
    const person = newPerson();
    const { id } = await arrive(person);
    const both = await Promise.all(Array.from({ length: 4 }, () => arrive(person, "staff")));
    expect(both.map(({ reply }) => reply.body.success)).toContain(true);
    await arrive(person, "staff");
    expect((await membersOf(search)).filter(({ user_id }) => user_id === id)).toHaveLength(1);
    expect(await budgetsOf(search, id)).toHaveLength(1);
  });

  test("the budget binds also a member who has as many as a member may have", async () => {
    const person = newPerson();
    const { id } = await arrive(person);
    await act(root, "PUT", search, "member", { user_id: id, role: "member" });
    for (let count = 0; count < 8; count += 1)
      await act(root, "POST", search, "member_cap", {
        ...{ user_id: id, name: `own ${count}`, window: "day", amount: 9 },
      });
    await act(root, "POST", search, "remove_member", { user_id: id });
    await arrive(person, "staff");
    const all = await budgetsOf(search, id);
    expect(all).toHaveLength(9);
    expect(all.filter(({ by_provider }) => by_provider !== null)).toMatchObject([{ amount: 500 }]);
  });

  test("trying claims tells the teams, and stores nothing", async () => {
    const rules = [rule("staff", search, "member", weekly(500)), rule("leads", search, "admin")];
    const claims = JSON.stringify({ groups: ["leads", "staff"] });
    const body = { rules, refuses_unmatched: true, claims };
    expect((await root("POST", "/api/oidc_provider/try", { body })).body.data).toMatchObject({
      teams: [{ team: search.uuid, role: "member", budget: weekly(500) }],
      matched: [0, 1],
    });
  });
});
