// Attacks on grants and requests for more of a budget: by those who are limited, who were in a team,
// who are in another, who only read, and by programs; and races of those who may decide.

import type { BudgetRequest } from "@tollgate/contract/accounts/budget-grants.ts";
import { teamScopes } from "@tollgate/contract/accounts/grantable-scopes.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  password,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const people = ["lead", "mira", "former", "rival"] as const;
type GrantAttacker = (typeof people)[number];
const racers = 12;

describeVariants(testDatabases)("attacks on grants of budgets on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let auditor: TestApiClient;
  const ids = {} as Record<GrantAttacker, number>;
  const as = {} as Record<GrantAttacker, TestApiClient>;
  let team: { id: number };
  let rivals: { id: number };
  /** The cap of mira, which she may ask more of. */
  let cap: { id: number };

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    for (const person of people) {
      ids[person] = (await gateway.addUser(person)).id;
      as[person] = await gateway.signIn(person);
    }
    const { id } = await gateway.addUser("auditor", { role: roles.admin });
    await root("PUT", "/api/user/", { body: { id, read_only: true } });
    auditor = await gateway.signIn("auditor");
    const make = async (name: string, owner_id: number) =>
      (await root("POST", "/api/team/", { body: { name, owner_id } })).body.data;
    [team, rivals] = [await make("Search", ids.lead), await make("Rivals", ids.rival)];
    for (const [person, role] of [
      ["mira", "member"],
      ["former", "admin"],
    ] as const)
      await root("PUT", `/api/team/${team.id}/member`, { body: { user_id: ids[person], role } });
    cap = await makeCap();
    await root("POST", `/api/team/${team.id}/remove_member`, { body: { user_id: ids.former } });
  });
  afterAll(() => gateway.close());

  const makeCap = async (): Promise<{ id: number }> => {
    const body = {
      ...{ user_id: ids.mira, name: "own", window: "month", amount: 500, on_reached: "ask" },
    };
    const reply = await as.lead("POST", `/api/team/${team.id}/member_cap`, { body });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data;
  };
  const grantCap = async (client: TestApiClient, of: { id: number }, amount = 50) =>
    (
      await client("POST", `/api/team/${of.id}/grant_member_cap`, {
        body: { budget_id: cap.id, amount },
      })
    ).body;
  const granted = async (): Promise<number> =>
    (await root("GET", `/api/budget/${cap.id}`)).body.data.granted;
  const ask = async (client: TestApiClient, id = cap.id, amount = 70) =>
    (await client("POST", `/api/budget/${id}/request`, { body: { amount } })).body;
  const decide = async (client: TestApiClient, id: number) =>
    (await client("POST", `/api/budget_request/${id}/grant`, { body: {} })).body;
  const withKey =
    (key: string): TestApiClient =>
    (method, path, request) =>
      gateway.visitor(method, path, {
        ...request,
        headers: { authorization: `Bearer ${key}`, ...request?.headers },
      });

  test("nobody but those who manage the cap grants it, by whatever address", async () => {
    expect(await grantCap(as.mira, team)).toMatchObject({ code: "team_role_insufficient" });
    expect(await grantCap(as.former, team)).toMatchObject({ code: "team_not_found" });
    expect(await grantCap(as.rival, team)).toMatchObject({ code: "team_not_found" });
    // A team of one's own opens no cap of another.
    expect(await grantCap(as.rival, rivals)).toMatchObject({ code: "budget_not_found" });
    expect(await grantCap(auditor, team)).toMatchObject({ code: "account_read_only" });
    for (const person of people) {
      const { body } = await as[person]("POST", `/api/budget/${cap.id}/grant`, {
        body: { amount: 5 },
      });
      expect(body).toMatchObject({ success: false });
    }
    const whole = (
      await root("POST", "/api/budget/", {
        body: { subject: "team", subject_id: team.id, name: "all", window: "day", amount: 5 },
      })
    ).body.data;
    const body = { budget_id: whole.id, amount: 9_000 };
    expect(
      (await as.lead("POST", `/api/team/${team.id}/grant_member_cap`, { body })).body,
    ).toMatchObject({ code: "budget_not_found" });
    expect(await granted()).toBe(0);
  });

  test("a management key grants within its scopes and its team alone, and decides no request", async () => {
    const keyOf = async (client: TestApiClient, body: object) => {
      const given = { name: "ci", lifetime_days: 30, current_password: password, ...body };
      const reply = await client("POST", "/api/management_key/", { body: given });
      expect(reply.body, reply.body.message).toMatchObject({ success: true });
      return withKey(reply.body.data.key);
    };
    const ofTeam = await keyOf(as.lead, { scopes: teamScopes, team_id: team.id });
    const reading = await keyOf(as.lead, { scopes: ["teams:read"], team_id: team.id });
    expect(await grantCap(reading, team)).toMatchObject({ code: "management_key_scope" });
    expect(await grantCap(ofTeam, rivals)).toMatchObject({ success: false });
    expect(await grantCap(ofTeam, team, 10)).toMatchObject({ data: { granted: 10 } });
    expect(await grantCap(ofTeam, team, -10)).toMatchObject({ data: { granted: 0 } });
    const { id } = (await ask(as.mira)).data;
    expect(await decide(ofTeam, id)).toMatchObject({ success: false });
    expect((await ofTeam("GET", "/api/budget_request/")).body).toMatchObject({ success: false });
    expect(await granted()).toBe(0);
  });

  test("a request is seen by its asker, those who decide and auditors, and decided by none but these", async () => {
    const { id } = (await ask(as.mira)).data;
    const seen = async (client: TestApiClient): Promise<BudgetRequest[]> =>
      (await client("GET", "/api/budget_request/")).body.data;
    expect(await seen(as.lead)).toMatchObject([{ id, may_decide: true }]);
    expect(await seen(as.mira)).toMatchObject([{ id, may_decide: false }]);
    expect(await seen(auditor)).toMatchObject([{ id, may_decide: false }]);
    for (const person of ["former", "rival"] as const) {
      expect(await seen(as[person])).toEqual([]);
      expect(await decide(as[person], id)).toMatchObject({ code: "budget_request_not_found" });
      const declined = await as[person]("DELETE", `/api/budget_request/${id}`);
      expect(declined.body).toMatchObject({ code: "budget_request_not_found" });
    }
    expect(await decide(as.mira, id)).toMatchObject({ code: "insufficient_role" });
    expect(await decide(auditor, id)).toMatchObject({ code: "account_read_only" });
    expect((await gateway.visitor("GET", "/api/budget_request/")).status).toBe(401);
    expect(await granted()).toBe(0);
  });

  test("who left the team asks for nothing, and what was asked before ends with the place in it", async () => {
    const own = await root("PUT", `/api/team/${team.id}/member`, {
      body: { user_id: ids.former, role: "member" },
    });
    expect(own.body).toMatchObject({ success: true });
    const given = { user_id: ids.former, name: "late", window: "month", amount: 5 };
    const late = (
      await as.lead("POST", `/api/team/${team.id}/member_cap`, {
        body: { ...given, on_reached: "ask" },
      })
    ).body.data;
    const { id } = (await ask(as.former, late.id)).data;
    await root("POST", `/api/team/${team.id}/remove_member`, { body: { user_id: ids.former } });
    expect(await ask(as.former, late.id)).toMatchObject({ code: "budget_not_found" });
    expect(await decide(as.lead, id)).toMatchObject({ code: "budget_request_not_found" });
  });

  test("a hostile amount or reason is refused, and changes nothing", async () => {
    for (const body of [
      { amount: 0 },
      { amount: -5 },
      { amount: 1.5 },
      { amount: "5" },
      { amount: Number.MAX_SAFE_INTEGER + 1 },
      { amount: 5, reason: "x".repeat(501) },
      { amount: 5, reason: "two\nlines" },
      {},
    ]) {
      const reply = await as.mira("POST", `/api/budget/${cap.id}/request`, { body });
      expect(reply.body, JSON.stringify(body)).toMatchObject({ code: "invalid_request" });
    }
    const { id } = (await ask(as.mira, cap.id, 8_999_999_999_999_999)).data;
    expect(await decide(as.lead, id)).toMatchObject({ code: "budget_grant_out_of_range" });
    expect(await granted()).toBe(0);
  });

  test("of many who decide at once one decides, and the grant is counted once", async () => {
    const { id } = (await ask(as.mira)).data;
    const answers = await Promise.all(
      Array.from({ length: racers }, (_, n) => decide(n % 2 === 0 ? as.lead : root, id)),
    );
    expect(answers.filter(({ success }) => success === true)).toHaveLength(1);
    expect(await granted()).toBe(70);

    await ask(as.mira);
    const withdraw = async () =>
      (await as.mira("DELETE", `/api/budget_request/${id}`)).body as { success?: boolean };
    const mixed = await Promise.all(
      Array.from({ length: 2 * racers }, (_, n) =>
        n % 2 === 0 ? decide(as.lead, id) : withdraw(),
      ),
    );
    expect(mixed.filter(({ success }) => success === true)).toHaveLength(1);
    expect([70, 140]).toContain(await granted());
  });

  test("many grants and takings-back at once leave what plain arithmetic says, and never less than nothing", async () => {
    const before = await granted();
    const amounts = Array.from({ length: 2 * racers }, (_, n) => (n % 2 === 0 ? 30 : -30));
    const answers = await Promise.all(
      amounts.map(async (amount) => ({ amount, ...(await grantCap(as.lead, team, amount)) })),
    );
    const sum = answers.reduce((all, { amount, success }) => all + (success ? amount : 0), before);
    expect(await granted()).toBe(sum);
    for (const { success, code } of answers)
      if (!success) expect(code).toBe("budget_grant_out_of_range");
    await grantCap(as.lead, team, -(await granted()));
    expect(await grantCap(as.lead, team, -1)).toMatchObject({ code: "budget_grant_out_of_range" });
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
