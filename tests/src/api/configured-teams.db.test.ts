import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { applyDocument, configurationProgram } from "./configuration-program.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describeVariants(testDatabases)("teams of a configuration document on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let program: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    program = await configurationProgram(gateway, root);
    for (const name of ["anna", "bob", "cleo", "dave"])
      await ask("POST", "/api/user/", {
        body: { username: name, password: `${name}-password-1`, external_id: `hr-${name}` },
      });
  });
  afterAll(() => gateway.close());

  const apply = (document: object, more: object = {}) => applyDocument(program, document, more);
  const ask = async (...asked: Parameters<TestApiClient>) => (await root(...asked)).body;
  const findTeam = async (external_id: string) =>
    (await ask("GET", `/api/team/?external_id=${external_id}`)).data[0];
  const read = async (team: { id: number }, part: string) =>
    (await ask("GET", `/api/team/${team.id}/${part}`)).data;
  const listRoles = async (team: { id: number }) =>
    (await read(team, "members"))
      .map((member: { username: string; role: string; is_owner: boolean }) => [
        member.username,
        member.is_owner ? "owner" : member.role,
      ])
      .sort();
  const problems = (outcome: { problems: { name: string; code: string }[] }) =>
    outcome.problems.map(({ name, code }) => [name, code]);

  const search = {
    name: "Search",
    externalId: "search",
    note: "from the file",
    models: ["sim-model", "sim-other"],
    membersSeeBalance: false,
    rpmLimit: 60,
    members: [
      { user: "anna", role: "owner" },
      { externalId: "hr-bob" },
      { user: "cleo", role: "viewer" },
    ],
    budgets: [{ name: "the team", window: "month", amount: "$100" }],
    memberBudgets: [{ name: "each week", window: "week", amount: "$20", zone: "Europe/Berlin" }],
  };

  test("are made with their people, roles and budgets in one run, and the same file changes nothing", async () => {
    const plan = await apply({ teams: [search] }, { preview: true });
    expect(plan.problems).toEqual([]);
    expect(
      plan.changes.map(({ kind, name }: { kind: string; name: string }) => [kind, name]),
    ).toEqual([
      ["team", "search"],
      ["team_member", "Search: hr-bob"],
      ["team_member", "Search: cleo"],
      ["member_budget", "Search: each week"],
      ["team_budget", "Search: the team"],
    ]);
    expect(await findTeam("search")).toBeUndefined();

    expect(await apply({ teams: [search] })).toMatchObject({ problems: [] });
    const team = await findTeam("search");
    expect(team).toMatchObject({
      ...{ name: "Search", note: "from the file", group: "default", rpm_limit: 60 },
      ...{ models: "sim-model,sim-other", members_see_balance: false, balance: 0 },
      ...{ members: 3, managed_by: "site.yaml" },
    });
    expect(await listRoles(team)).toEqual([
      ["anna", "owner"],
      ["bob", "member"],
      ["cleo", "viewer"],
    ]);
    expect(await read(team, "caps")).toMatchObject([
      { name: "each week", amount: 10_000_000, followers: 3, managed_by: "site.yaml" },
    ]);
    expect((await read(team, "budgets?subject=team")).map((one: object) => one)).toMatchObject([
      { name: "the team", amount: 50_000_000, managed_by: "site.yaml" },
    ]);
    expect(await apply({ teams: [search] })).toMatchObject({ changes: [], problems: [] });
    const exported = (await program("GET", "/api/config/")).body.data.teams;
    expect(exported).toMatchObject([{ name: "Search", externalId: "search" }]);
    expect(await apply({ teams: exported })).toMatchObject({ changes: [], problems: [] });
  });

  test("change with the file: roles, the owner, budgets and the switch, and who is not named stays until it prunes", async () => {
    const team = await findTeam("search");
    const changed = {
      ...search,
      name: "Search and find",
      enabled: false,
      members: [{ user: "bob", role: "owner" }, { user: "anna", role: "admin" }, { user: "dave" }],
      budgets: [],
      memberBudgets: [{ ...search.memberBudgets[0], amount: "$30" }],
    };
    const outcome = await apply({ teams: [changed] });
    expect(outcome.problems).toEqual([]);
    expect(outcome.changes).toEqual([
      { kind: "team", name: "search", action: "update", members: ["name", "enabled", "owner"] },
      {
        ...{ kind: "team_member", name: "Search and find: bob", action: "update" },
        members: ["role"],
      },
      { kind: "team_member", name: "Search and find: dave", action: "create", members: [] },
      { kind: "team_member", name: "Search and find: cleo", action: "left", members: [] },
      {
        ...{ kind: "member_budget", name: "Search and find: each week", action: "update" },
        members: ["amount"],
      },
      { kind: "team_budget", name: "Search and find: the team", action: "left", members: [] },
    ]);
    expect(await findTeam("search")).toMatchObject({ name: "Search and find", status: 2 });
    expect(await listRoles(team)).toEqual([
      ["anna", "admin"],
      ["bob", "owner"],
      ["cleo", "viewer"],
      ["dave", "member"],
    ]);
    // Each member has the new amount, who came a moment ago too.
    expect(
      (await read(team, "budgets?subject=member")).map(({ amount }: { amount: number }) => amount),
    ).toEqual([15_000_000, 15_000_000, 15_000_000, 15_000_000]);

    const pruned = await apply({ teams: [changed] }, { prune: true });
    expect(
      pruned.changes.map(({ name, action }: Record<string, string>) => [name, action]),
    ).toEqual([
      ["Search and find: cleo", "delete"],
      ["Search and find: the team", "delete"],
    ]);
    expect((await listRoles(team)).flat()).not.toContain("cleo");
    expect(await read(team, "budgets?subject=team")).toEqual([]);
    await apply({ teams: [{ ...search, enabled: true }] }, { prune: true });
  });

  test("are kept from edits elsewhere, and taken over with their budgets", async () => {
    const team = await findTeam("search");
    const edit = (body: object) => ask("PUT", "/api/team/", { body: { id: team.id, ...body } });
    const [cap] = await read(team, "caps");
    const editCap = (body: object) =>
      ask("PUT", `/api/team/${team.id}/cap`, { body: { cap_id: cap.id, ...body } });
    expect(await edit({ note: "by hand" })).toMatchObject({ code: "managed_by_file" });
    expect(await editCap({ amount: 5 })).toMatchObject({ code: "managed_by_file" });
    expect(await ask("DELETE", `/api/team/${team.id}`)).toMatchObject({ code: "managed_by_file" });
    // Trouble does not wait for a file.
    expect((await edit({ status: 2 })).data).toMatchObject({ status: 2 });
    expect((await edit({ status: 1 })).data).toMatchObject({ status: 1 });
    expect(await apply({ teams: [search] })).toMatchObject({ changes: [] });

    expect((await edit({ managed_by: "", note: "by hand" })).data).toMatchObject({
      ...{ note: "by hand", managed_by: "" },
    });
    expect((await editCap({ amount: 5 })).data).toMatchObject({ amount: 5, managed_by: "" });
    expect(problems(await apply({ teams: [search] }))).toEqual([["search", "not_of_this_file"]]);
    expect(await apply({ teams: [search] }, { adopt: true })).toMatchObject({ problems: [] });
    expect(await findTeam("search")).toMatchObject({
      ...{ note: "from the file", managed_by: "site.yaml" },
    });
    expect(await read(team, "caps")).toMatchObject([
      { amount: 10_000_000, managed_by: "site.yaml" },
    ]);
  });

  test("are named by rules of an identity provider in the same file, and who came by them is no business of the file", async () => {
    const proof = { current_password: password };
    const maps = { name: "Maps", externalId: "maps", members: [{ user: "anna", role: "owner" }] };
    const inTeam = (value: string, gives: object) => ({ claim: "groups", value, ...gives });
    const company = {
      ...{ slug: "company", issuer: "https://login.example.com", clientId: "t", clientSecret: "" },
      enabled: false,
      rules: [
        inTeam("leads", {
          team: "maps",
          teamRole: "admin",
          teamBudget: { amount: "$5", window: "week" },
        }),
        inTeam("staff", { team: "search", role: "user" }),
      ],
    };
    const document = { teams: [search, maps], identityProviders: [company] };
    expect(problems(await apply({ ...document, teams: [search] }, proof))).toEqual([
      ["company", "team_not_found"],
    ]);
    expect(await apply(document, proof)).toMatchObject({ problems: [] });
    const stored = await ask("GET", "/api/oidc_provider/");
    expect(stored.data[0].rules).toMatchObject([
      {
        team: (await findTeam("maps")).uuid,
        team_role: "admin",
        team_budget: { amount: 2_500_000 },
      },
      { team: (await findTeam("search")).uuid, team_role: "member", team_budget: null, role: 1 },
    ]);
    expect(await apply(document, proof)).toMatchObject({ changes: [], problems: [] });
    const { teams, identityProviders } = (await program("GET", "/api/config/")).body.data;
    expect(identityProviders[0].rules).toMatchObject(company.rules);
    expect(await apply({ teams, identityProviders }, proof)).toMatchObject({
      ...{ changes: [], problems: [] },
    });

    // Dave came by the provider, which is on from here on.
    const team = await findTeam("maps");
    const dave = (await ask("GET", "/api/user/search?keyword=dave")).data[0];
    await ask("PUT", `/api/team/${team.id}/member`, { body: { user_id: dave.id, role: "viewer" } });
    const { sql, write } = gateway.db;
    const by_provider = "oidc:https://login.example.com";
    await write(
      [
        {
          query: sql
            .updateTable("team_members")
            .set({ by_provider })
            .where("user_id", "=", dave.id),
        },
        { query: sql.updateTable("oidc_providers").set({ enabled: 1, managed_by: "" }) },
      ],
      { changes: ["options", "teams"] },
    );
    expect(await apply({ teams: [search, maps] }, { prune: true, ...proof })).toMatchObject({
      ...{ changes: [], problems: [] },
    });
    const naming = { ...maps, members: [...maps.members, { user: "dave", role: "admin" }] };
    expect(problems(await apply({ teams: [search, naming] }))).toEqual([
      ["Maps: dave", "team_member_by_provider"],
    ]);
    const exported = (await program("GET", "/api/config/")).body.data.teams;
    expect(exported.find(({ name }: { name: string }) => name === "Maps").members).toEqual([
      { externalId: "hr-anna", role: "owner" },
    ]);
    await write([{ query: sql.deleteFrom("oidc_providers") }], { changes: ["options"] });
    await apply({ teams: [search] }, { prune: true });
  });

  test("are refused whole where an account or group is missing, the owner is no admin, or money and keys are named", async () => {
    const faults = await apply({
      teams: [
        { ...search, members: [...search.members, { user: "nobody" }, { user: "bob" }] },
        { ...search, externalId: "lost", name: "Lost", group: "nowhere" },
        { name: "Strangers", members: [{ externalId: "hr-nobody", role: "owner" }] },
        { ...search, name: "Again" },
      ],
    });
    expect(problems(faults)).toEqual([
      ["lost", "invalid_request"],
      ["Strangers", "user_not_found"],
      ["search", "configuration_twice"],
      ["Search: nobody", "user_not_found"],
      ["Search: bob", "configuration_twice"],
    ]);
    expect(faults.problems[1].message).toBe(
      "No account has the external id hr-nobody. A file makes no accounts",
    );
    const owner = [{ user: "anna", role: "member" }];
    expect(problems(await apply({ teams: [{ ...search, members: owner }] }))).toEqual([
      ["Search: anna", "team_needs_owner"],
    ]);
    const refusalOf = async (team: object) => {
      const document = { apiVersion: "tollgate/v1", teams: [{ ...search, ...team }] };
      const body = { file: "site.yaml", document };
      return (await program("POST", "/api/config/apply", { body })).body.message;
    };
    expect(await refusalOf({ balance: 500 })).toBe(
      "document.teams.0.balance cannot be in a file: a file moves no money. Use a transfer into the team or out of it",
    );
    expect(await refusalOf({ keys: [] })).toContain("API keys are no configuration");
    const pausing = { name: "each", window: "month", amount: "$5", onReached: "pause" };
    expect(problems(await apply({ teams: [{ ...search, memberBudgets: [pausing] }] }))).toEqual([
      ["Search: each", "invalid_request"],
    ]);
    expect(await refusalOf({ members: [{ user: "anna", externalId: "hr-anna" }] })).toContain(
      "names one account, by user or by externalId",
    );
  });

  test("with several budgets of one name are exported so that the file applies, here and elsewhere", async () => {
    const team = (
      await ask("POST", "/api/team/", { body: { name: "Twins", external_id: "twins" } })
    ).data;
    const each = { name: "twin", amount: 500_000, zone: "UTC" };
    for (const window of ["day", "week"]) {
      await ask("POST", `/api/team/${team.id}/cap`, { body: { ...each, window } });
      await ask("POST", "/api/budget/", {
        body: { ...each, window, subject: "team", subject_id: team.id },
      });
    }
    await ask("POST", "/api/budget/", {
      body: {
        ...{ ...each, window: "month", subject: "team", subject_id: team.id },
        external_id: "twin of a program",
      },
    });
    const ofTwins = { file: "twins.yaml" };
    const windows = (part: string) =>
      read(team, part).then((rows: { window: string }[]) => rows.map(({ window }) => window));
    const exported = (await program("GET", "/api/config/")).body.data.teams.filter(
      ({ name }: { name: string }) => name === "Twins",
    );
    expect(exported[0].budgets).toMatchObject([
      { name: "twin", window: "day", externalId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { name: "twin", window: "week", externalId: expect.stringMatching(/^[0-9a-f-]{36}$/) },
      { name: "twin", window: "month", externalId: "twin of a program" },
    ]);
    expect(await apply({ teams: exported }, ofTwins)).toMatchObject({ changes: [], problems: [] });

    const [day, ...rest] = exported[0].budgets;
    const changed = [{ ...exported[0], budgets: [{ ...day, amount: "$9" }, ...rest] }];
    const outcome = await apply({ teams: changed }, { ...ofTwins, adopt: true });
    expect(outcome.problems).toEqual([]);
    expect(
      outcome.changes.filter(({ kind }: { kind: string }) => kind.endsWith("budget")),
    ).toMatchObject([
      { kind: "member_budget", action: "adopt", members: [] },
      { kind: "member_budget", action: "adopt", members: [] },
      { kind: "team_budget", action: "adopt", members: ["amount"] },
      { kind: "team_budget", action: "adopt", members: [] },
      { kind: "team_budget", action: "adopt", members: [] },
    ]);
    expect(await windows("budgets?subject=team")).toEqual(["day", "week", "month"]);
    expect(await windows("caps")).toEqual(["day", "week"]);

    // As on another site: nothing of it is there.
    const moved = exported.map((one: { externalId: string; budgets: object[] }) => ({
      ...{ ...one, name: "Twins elsewhere", externalId: "elsewhere" },
      budgets: one.budgets.slice(0, 2),
    }));
    expect((await apply({ teams: moved }, { file: "moved.yaml" })).problems).toEqual([]);
    const [elsewhere] = (await program("GET", "/api/config/")).body.data.teams.filter(
      ({ externalId }: { externalId: string }) => externalId === "elsewhere",
    );
    expect(elsewhere).toMatchObject({
      budgets: moved[0].budgets.map(({ externalId, window }: Record<string, string>) => ({
        externalId,
        window,
      })),
    });
    expect(await apply({ teams: moved }, { file: "moved.yaml" })).toMatchObject({
      changes: [],
      problems: [],
    });

    const [{ externalId: _, ...unnamed }] = exported[0].budgets;
    const ambiguous = await apply({ teams: [{ ...exported[0], budgets: [unnamed] }] }, ofTwins);
    expect(problems(ambiguous)).toEqual([["Twins: twin", "configuration_ambiguous"]]);
    const twice = await apply({ teams: [{ ...exported[0], budgets: [day, day] }] }, ofTwins);
    expect(problems(twice)).toEqual([["Twins: twin", "configuration_twice"]]);
  });

  test("are deleted by a file once nothing is in their wallet", async () => {
    const team = await findTeam("search");
    const { data: funded } = await ask("POST", `/api/team/${team.id}/transfer`, {
      body: { source: "issuance", amount: 700 },
    });
    expect(funded).toMatchObject({ balance: 700 });
    expect((await apply({ teams: [] })).changes).toEqual([
      { kind: "team", name: "search", action: "left", members: [] },
    ]);
    const refused = await apply({ teams: [] }, { prune: true });
    expect(problems(refused)).toEqual([["search", "invalid_request"]]);
    expect(refused.problems[0].message).toContain("a file moves no money");
    const users = (await ask("GET", "/api/user/search?keyword=anna")).data;
    await ask("POST", `/api/team/${team.id}/transfer`, {
      body: { source: "team", amount: 700, user_id: users[0].id },
    });
    expect((await apply({ teams: [] }, { prune: true })).changes).toEqual([
      { kind: "team", name: "search", action: "delete", members: [] },
    ]);
    expect(await findTeam("search")).toBeUndefined();
    const { actions } = await listActions();
    expect(actions).toEqual(
      expect.arrayContaining(["team.create", "team.set_member", "team.remove_member"]),
    );
    expect(actions).toContain("team.delete");
  });

  const listActions = async () => {
    const { data } = await ask("GET", "/api/audit/?size=100");
    const ofFile = data.filter(
      ({ change }: { change: string }) => JSON.parse(change || "{}").file === "site.yaml",
    );
    return { actions: ofFile.map(({ action }: { action: string }) => action) };
  };
});
