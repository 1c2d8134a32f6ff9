// Invitations into teams: by name and by mail, answered once by whom they are for, and what they
// tell nobody.
import type { Team, TeamMember } from "@tollgate/contract/accounts/teams.ts";
import { createInvitationStore } from "@tollgate/gateway/accounts/teams/invitation-store.ts";
import { passOnTeams } from "@tollgate/gateway/accounts/teams/pass-on-teams.ts";
import { createTeamStore } from "@tollgate/gateway/accounts/teams/team-store.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { type MailGateway, serverAddress, startMailGateway } from "./mail-gateway.ts";
import type { TestApiClient } from "./management-gateway.ts";

const guests = ["owner", "admin", "member", "ada", "ben", "cleo"] as const;
type Guest = (typeof guests)[number];

describeVariants(testDatabases)("invitations into teams on $name", (database) => {
  let gateway: MailGateway;
  const ids = {} as Record<Guest, number>;
  const as = {} as Record<Guest, TestApiClient>;
  let teams = 0;

  beforeAll(async () => {
    gateway = await startMailGateway(database);
    for (const guest of guests) {
      ids[guest] = (await gateway.addUser(guest)).id;
      as[guest] = await gateway.signIn(guest);
    }
  });
  afterAll(() => gateway.close());

  const make = async (): Promise<Team> => {
    teams += 1;
    const made = await gateway.root("POST", "/api/team/", {
      body: { name: `Team ${teams}`, owner_id: ids.owner },
    });
    const { id } = made.body.data;
    for (const role of ["admin", "member"] as const)
      await gateway.root("PUT", `/api/team/${id}/member`, { body: { user_id: ids[role], role } });
    return made.body.data;
  };
  const invite = async (client: TestApiClient, { id }: Team, to: string, role = "member") =>
    (await client("POST", `/api/team/${id}/invite`, { body: { to, role } })).body;
  const received = async (guest: Guest) =>
    (await as[guest]("GET", "/api/user/invitations")).body.data;
  const answer = async (guest: Guest, body: object) =>
    (await as[guest]("POST", "/api/user/invitation/answer", { body: { accept: true, ...body } }))
      .body;
  const membersOf = async ({ id }: Team): Promise<Record<string, string>> => {
    const { data } = (await gateway.root("GET", `/api/team/${id}/members`)).body;
    return Object.fromEntries(data.map(({ username, role }: TeamMember) => [username, role]));
  };
  const withdraw = async (client: TestApiClient, { id }: Team, invitation_id: number) =>
    (await client("POST", `/api/team/${id}/withdraw_invitation`, { body: { invitation_id } })).body;
  const resend = async (client: TestApiClient, { id }: Team, invitation_id: number) =>
    (await client("POST", `/api/team/${id}/resend_invitation`, { body: { invitation_id } })).body;
  const open = async (client: TestApiClient, { id }: Team) =>
    (await client("GET", `/api/team/${id}/invitations`)).body;
  const verify = (guest: Guest, at: number | null) =>
    gateway.db.write([
      {
        query: gateway.db.sql
          .updateTable("users")
          .set({ email_verified_at: at })
          .where("id", "=", ids[guest]),
      },
    ]);
  const mailedCode = async (address: string): Promise<string> => {
    const mail = await gateway.mailbox.take(address, "Invitation to the team");
    return /\/invitation#([\w-]+)/.exec(mail.text)?.[1] ?? "no code";
  };

  test("an account that is invited by name finds it, accepts once, and is in the team", async () => {
    const team = await make();
    const made = await invite(as.admin, team, "ada", "viewer");
    expect(made).toMatchObject({
      success: true,
      data: { to: "ada", role: "viewer", invited_by: "admin", link: "" },
    });
    expect(await received("ben")).toEqual([]);
    const [found] = await received("ada");
    expect(found).toMatchObject({
      id: made.data.id,
      team_name: team.name,
      role: "viewer",
      invited_by: "admin",
    });
    expect(await answer("ben", { id: found.id })).toMatchObject({ code: "invitation_not_found" });
    const answers = await Promise.all([
      answer("ada", { id: found.id }),
      answer("ada", { id: found.id }),
    ]);
    expect(answers.map(({ success }) => success).sort()).toEqual([false, true]);
    expect(await membersOf(team)).toMatchObject({ ada: "viewer" });
    expect(await received("ada")).toEqual([]);
  });

  test("a name without an account is answered as one with an account, and who takes it later was not meant", async () => {
    const team = await make();
    const shape = ({ data, ...reply }: Awaited<ReturnType<typeof invite>>) => ({
      ...reply,
      ...data,
      id: 0,
      to: "",
    });
    const known = shape(await invite(as.owner, team, "ben"));
    expect(shape(await invite(as.owner, team, "nobody"))).toEqual(known);
    expect((await open(as.owner, team)).data.map(({ to }: { to: string }) => to)).toEqual([
      "ben",
      "nobody",
    ]);
    await gateway.addUser("nobody");
    const late = await gateway.signIn("nobody");
    expect((await late("GET", "/api/user/invitations")).body.data).toEqual([]);
  });

  test("a mailed link works once, for the account with its address alone", async () => {
    const team = await make();
    const { data } = await invite(as.admin, team, "Ada@Example.org");
    expect(data.link).toBe("");
    const code = await mailedCode("ada@example.org");
    expect(await answer("ben", { code })).toMatchObject({ code: "invitation_for_other_address" });
    const shown = await as.ada("POST", "/api/user/invitation", { body: { code } });
    expect(shown.body.data).toMatchObject({ team_name: team.name, role: "member" });
    expect(await answer("ada", { code: `${code}x` })).toMatchObject({
      code: "invitation_not_found",
    });
    expect(await answer("ada", { code })).toMatchObject({ data: { team_id: team.id } });
    expect(await answer("ada", { code })).toMatchObject({ code: "invitation_not_found" });
    expect(await membersOf(team)).toMatchObject({ ada: "member" });
  });

  test("only an address that the account has proved finds its invitations without a link", async () => {
    gateway.clock.now += 120_000;
    const team = await make();
    await invite(as.admin, team, "ben@example.org");
    await mailedCode("ben@example.org");
    const names = async () =>
      (await received("ben")).map(({ team_name }: { team_name: string }) => team_name);
    expect(await names()).not.toContain(team.name);
    await verify("ben", 1);
    expect(await names()).toContain(team.name);
    await verify("ben", null);
  });

  test("without mail, the link is shown once and works for whom it is given", async () => {
    await gateway.set({ SMTPServer: "" });
    const team = await make();
    const { data } = await invite(as.admin, team, "someone@example.org");
    expect(data.link).toMatch(new RegExp(`^${serverAddress}/invitation#[\\w-]{43}$`));
    expect(JSON.stringify(await open(as.admin, team))).not.toContain("#");
    const [, code = ""] = data.link.split("#");
    expect(await answer("cleo", { code })).toMatchObject({ success: true });
    expect(await answer("ben", { code })).toMatchObject({ code: "invitation_not_found" });
    expect(await membersOf(team)).toMatchObject({ cleo: "member" });
    await gateway.resetSettings();
  });

  test("a declined, withdrawn, renewed, old or deleted team's invitation opens nothing", async () => {
    await gateway.set({ SMTPServer: "" });
    const team = await make();
    const first = await invite(as.admin, team, "ben");
    expect(await answer("ben", { id: first.data.id, accept: false })).toMatchObject({
      data: { team_id: null },
    });
    const second = await invite(as.admin, team, "ben");
    expect(await withdraw(as.member, team, second.data.id)).toMatchObject({
      code: "team_role_insufficient",
    });
    expect(await withdraw(as.ada, team, second.data.id)).toMatchObject({ code: "team_not_found" });
    expect(await withdraw(as.admin, await make(), second.data.id)).toMatchObject({
      code: "invitation_not_found",
    });
    expect(await withdraw(as.admin, team, second.data.id)).toMatchObject({ success: true });
    expect(await answer("ben", { id: second.data.id })).toMatchObject({
      code: "invitation_not_found",
    });
    const third = await invite(as.admin, team, "x@example.org");
    const renewed = await resend(as.admin, team, third.data.id);
    const codeOf = ({ data }: typeof third): string => data.link.split("#")[1];
    expect(await answer("ben", { code: codeOf(third) })).toMatchObject({
      code: "invitation_not_found",
    });
    const { sql, write } = gateway.db;
    const weekAgo = { expires_at: gateway.clock.now };
    await write([
      { query: sql.updateTable("team_invitations").set(weekAgo).where("team_id", "=", team.id) },
    ]);
    expect(await answer("ben", { code: codeOf(renewed) })).toMatchObject({
      code: "invitation_not_found",
    });
    expect((await open(as.admin, team)).data).toEqual([]);
    const gone = await make();
    const last = await invite(as.admin, gone, "ben");
    await as.owner("DELETE", `/api/team/${gone.id}`);
    expect(await answer("ben", { id: last.data.id })).toMatchObject({
      code: "invitation_not_found",
    });
    expect(await membersOf(team)).not.toHaveProperty("ben");
    await gateway.resetSettings();
  });

  test("what an admin offered ends with the admin's rights, and nobody is invited twice or into a place they have", async () => {
    const team = await make();
    const { data } = await invite(as.admin, team, "ben", "admin");
    expect(await invite(as.admin, team, "member", "admin")).toMatchObject({
      code: "team_member_exists",
    });
    for (const client of [as.member, as.ada])
      expect((await invite(client, team, "cleo")).success).toBe(false);
    await as.owner("POST", `/api/team/${team.id}/remove_member`, { body: { user_id: ids.admin } });
    expect(await answer("ben", { id: data.id })).toMatchObject({ code: "invitation_not_found" });
    for (const to of ["ben", "ben"]) await invite(as.owner, team, to);
    expect((await open(as.owner, team)).data).toHaveLength(1);
  });

  test("a team changes hands when the admin to whom its owner offers it accepts", async () => {
    const team = await make();
    expect(await invite(as.admin, team, "admin", "owner")).toMatchObject({
      code: "team_owner_only",
    });
    expect(await invite(as.owner, team, "member", "owner")).toMatchObject({
      code: "team_member_not_found",
    });
    const offer = await invite(as.owner, team, "admin", "owner");
    const ownerOf = async () =>
      (await gateway.root("GET", `/api/team/${team.id}`)).body.data.owner_id;
    expect(await ownerOf()).toBe(ids.owner);
    // Who is no admin any more cannot accept.
    await gateway.root("PUT", `/api/team/${team.id}/member`, {
      body: { user_id: ids.admin, role: "viewer" },
    });
    expect(await answer("admin", { id: offer.data.id })).toMatchObject({
      code: "invitation_not_found",
    });
    await gateway.root("PUT", `/api/team/${team.id}/member`, {
      body: { user_id: ids.admin, role: "admin" },
    });
    expect(await answer("admin", { id: offer.data.id })).toMatchObject({
      data: { team_id: team.id },
    });
    expect(await ownerOf()).toBe(ids.admin);
    expect(await membersOf(team)).toMatchObject({ owner: "admin", admin: "admin" });
  });

  test("a link opens the registration that is off, for one account, which then has the invitation", async () => {
    const setOption = (key: string, value: string) =>
      gateway.root("PUT", "/api/option/", { body: { key, value } });
    let strangers = 0;
    const register = async (body: object, headers = {}) => {
      strangers += 1;
      const from = gateway.from(`2001:4860:9${strangers}::1`);
      return (await from("POST", "/api/user/register", { body, headers })).body;
    };
    const account = (username: string, email: string) => ({
      ...{ username, email, password: "a password of a newcomer" },
    });
    const team = await make();
    await invite(as.admin, team, "Dora@Example.com", "viewer");
    const team_invitation = await mailedCode("dora@example.com");
    const dora = { ...account("dora", "dora@example.com"), team_invitation };
    await setOption("RegisterEnabled", "false");
    expect((await register(dora)).code).toBe("registration_off");
    await setOption("InvitesMayRegister", "true");
    expect((await gateway.visitor("GET", "/api/status")).body.data).toMatchObject({
      ...{ password_register: false, invites_register: true },
    });
    expect((await register(account("eve", "eve@example.com"))).code).toBe("registration_off");
    for (const [body, code] of [
      [{ ...dora, team_invitation: "x".repeat(43) }, "invitation_not_found"],
      [{ ...dora, email: "eve@example.com" }, "invitation_for_other_address"],
    ] as const)
      expect((await register(body)).code).toBe(code);
    const raced = await Promise.all([
      register(dora),
      register({ ...dora, username: "dora2" }),
      register({ ...dora, username: "dora3" }),
    ]);
    expect(raced.filter(({ success }) => success)).toHaveLength(1);
    expect(await register({ ...dora, username: "later" })).toMatchObject({
      code: "invitation_not_found",
    });
    const [made] = await gateway.db.read(
      gateway.db.sql.selectFrom("users").select("username").where("username", "like", "dora%"),
    );
    const own = await gateway.signIn(made?.username ?? "", dora.password);
    const [invitation] = (await own("GET", "/api/user/invitations")).body.data;
    expect(invitation).toMatchObject({ team_name: team.name, role: "viewer" });
    const answered = await own("POST", "/api/user/invitation/answer", {
      body: { id: invitation.id, accept: true },
    });
    expect(answered.body).toMatchObject({ success: true });
    expect((await membersOf(team))[made?.username ?? ""]).toBe("viewer");
    // A newcomer whose reply was lost sends the same again.
    await invite(as.admin, team, "fay@example.com");
    const fay = {
      ...account("fay", "fay@example.com"),
      team_invitation: await mailedCode("fay@example.com"),
    };
    const once = { "idempotency-key": "a-key-of-the-form-of-fay" };
    for (let attempt = 0; attempt < 2; attempt += 1)
      expect(await register(fay, once), `attempt ${attempt}`).toMatchObject({ success: true });
    await setOption("RegisterEnabled", "true");
    await setOption("InvitesMayRegister", "false");
  });

  test("a team whose owner is disabled goes to its oldest enabled admin, and stays where there is none", async () => {
    const [team, alone] = [await make(), await make()];
    await gateway.root("POST", `/api/team/${alone.id}/remove_member`, {
      body: { user_id: ids.admin },
    });
    const status = async (id: number, value: number) =>
      gateway.root("PUT", "/api/user/?status_only=1", { body: { id, status: value } });
    const owners = async () =>
      Promise.all(
        [team, alone].map(
          async ({ id }) => (await gateway.root("GET", `/api/team/${id}`)).body.data.owner_id,
        ),
      );
    const { db, clock } = gateway;
    const stores = { teams: createTeamStore(db), invitations: createInvitationStore(db) };
    const passOn = () => passOnTeams({ db, ...stores }, clock.now);
    await passOn();
    expect(await owners()).toEqual([ids.owner, ids.owner]);
    /** What operators are told of these two, from the moment on at which they look next. */
    const told = async () => {
      clock.now += 60_000;
      await gateway.alerts.fold();
      const found = db.sql.selectFrom("alerts").select(["subject_id", "state"]);
      const rows = await db.read(found.where("rule", "=", "team.without_admin"));
      return rows
        .filter(({ subject_id }) => [String(team.id), String(alone.id)].includes(subject_id))
        .map(({ subject_id, state }) => `${subject_id} ${state}`);
    };
    expect(await told()).toEqual([]);
    await status(ids.owner, 2);
    await passOn();
    expect(await owners()).toEqual([ids.admin, ids.owner]);
    expect(await told()).toEqual([`${alone.id} firing`]);
    await status(ids.owner, 1);
    expect(await told()).toEqual([`${alone.id} resolved`]);
  });
});
