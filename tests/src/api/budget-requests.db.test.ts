// More of a budget for one window: who grants it, who asks for it, and who decides.
import type { BudgetRequest } from "@tollgate/contract/accounts/budget-grants.ts";
import type { Budget } from "@tollgate/contract/accounts/budgets.ts";
import type { TeamBudget } from "@tollgate/contract/accounts/team-caps.ts";
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

const people = ["lead", "mira", "noor", "outsider"] as const;
type AskingPerson = (typeof people)[number];

describeVariants(testDatabases)("more of a budget on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let admin: TestApiClient;
  const ids = {} as Record<AskingPerson | "admin", number>;
  const as = {} as Record<AskingPerson, TestApiClient>;
  let team: { id: number };

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    ids.admin = (await gateway.addUser("ada", { role: 10 })).id;
    admin = await gateway.signIn("ada");
    for (const person of people) {
      ids[person] = (await gateway.addUser(person)).id;
      as[person] = await gateway.signIn(person);
    }
    team = (await root("POST", "/api/team/", { body: { name: "Search", owner_id: ids.lead } })).body
      .data;
    for (const person of ["mira", "noor"] as const)
      await root("PUT", `/api/team/${team.id}/member`, {
        body: { user_id: ids[person], role: "member" },
      });
  });
  afterAll(() => gateway.close());

  const make = async (body: object): Promise<Budget> => {
    const given = { name: "month", window: "month", amount: 500, on_reached: "ask", ...body };
    const reply = await root("POST", "/api/budget/", { body: given });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data;
  };
  const capOf = async (person: AskingPerson, on_reached = "ask"): Promise<TeamBudget> => {
    const body = { user_id: ids[person], name: "own", window: "month", amount: 500, on_reached };
    const reply = await as.lead("POST", `/api/team/${team.id}/member_cap`, { body });
    expect(reply.body).toMatchObject({ success: true });
    return reply.body.data;
  };
  const ask = async (client: TestApiClient, { id }: { id: number }, amount = 70, reason = "") =>
    (await client("POST", `/api/budget/${id}/request`, { body: { amount, reason } })).body;
  const list = async (client: TestApiClient): Promise<BudgetRequest[]> =>
    (await client("GET", "/api/budget_request/")).body.data;
  const decide = async (client: TestApiClient, id: number, amount?: number) =>
    (
      await client("POST", `/api/budget_request/${id}/grant`, {
        body: amount === undefined ? {} : { amount },
      })
    ).body;
  const decline = async (client: TestApiClient, id: number) =>
    (await client("DELETE", `/api/budget_request/${id}`)).body;
  const shown = async ({ id }: { id: number }): Promise<Budget> =>
    (await root("GET", `/api/budget/${id}`)).body.data;
  const grant = async (client: TestApiClient, { id }: { id: number }, body: object, key?: string) =>
    (
      await client("POST", `/api/budget/${id}/grant`, {
        body,
        ...(key !== undefined && { headers: { "idempotency-key": key } }),
      })
    ).body;

  test("is granted by those who manage it, counted once, and taken back as far as it was granted", async () => {
    const budget = await make({ subject: "user", subject_id: ids.mira, on_reached: "refuse" });
    expect(await grant(as.mira, budget, { amount: 50 })).toMatchObject({ success: false });
    expect(await grant(admin, budget, { amount: 50 }, "once")).toMatchObject({
      data: { amount: 500, granted: 50, updated_at: budget.updated_at },
    });
    await grant(admin, budget, { amount: 50 }, "once");
    expect(await shown(budget)).toMatchObject({ granted: 50 });
    expect(await grant(admin, budget, { amount: -51 })).toMatchObject({
      code: "budget_grant_out_of_range",
    });
    expect(await grant(admin, budget, { amount: -20 })).toMatchObject({ data: { granted: 30 } });
    expect(await grant(admin, budget, { amount: 0 })).toMatchObject({ code: "invalid_request" });
    expect(await grant(admin, budget, { amount: 1, run: "a".repeat(22) })).toMatchObject({
      code: "invalid_request",
    });
    expect(await grant(admin, budget, { amount: 1, window_start: 7 })).toMatchObject({
      code: "changed_meanwhile",
    });
    const ofRoot = await make({ subject: "user", subject_id: 1, on_reached: "refuse" });
    expect(await grant(admin, ofRoot, { amount: 50 })).toMatchObject({ code: "user_out_of_reach" });
  });

  test("of a member is granted by an admin of the team alone", async () => {
    const cap = await capOf("mira");
    const path = `/api/team/${team.id}/grant_member_cap`;
    const body = { budget_id: cap.id, amount: 40, window_start: cap.window_start };
    for (const person of ["mira", "noor", "outsider"] as const)
      expect((await as[person]("POST", path, { body })).body).toMatchObject({ success: false });
    expect((await as.lead("POST", path, { body })).body).toMatchObject({
      data: { granted: 40, amount: 500, user_id: ids.mira },
    });
  });

  test("is asked for by whom the budget limits alone, where it is set to that", async () => {
    const own = await make({ subject: "user", subject_id: ids.mira });
    expect(await ask(as.outsider, own)).toMatchObject({ code: "budget_not_found" });
    expect(await ask(admin, own)).toMatchObject({ code: "budget_takes_no_requests" });
    const silent = await make({ subject: "user", subject_id: ids.mira, on_reached: "refuse" });
    expect(await ask(as.mira, silent)).toMatchObject({ code: "budget_takes_no_requests" });
    const soft = await make({ subject: "user", subject_id: ids.mira, hard: false });
    expect(await ask(as.mira, soft)).toMatchObject({ code: "budget_takes_no_requests" });

    expect(await ask(as.mira, own, 70, "a demo on Friday")).toMatchObject({
      data: {
        ...{ budget_id: own.id, budget_name: "month", subject: "user", subject_name: "mira" },
        ...{ amount: 70, reason: "a demo on Friday", username: "mira", status: "waiting" },
        ...{ window_start: own.window_start, resets_at: own.resets_at, may_decide: false },
      },
    });
    // The later one replaces it.
    await ask(as.mira, own, 80);
    const seen = (await list(as.mira)).filter(({ budget_id }) => budget_id === own.id);
    expect(seen).toMatchObject([{ amount: 80, reason: "" }]);
    expect(await list(as.noor)).toEqual([]);
    const site = await root("POST", "/api/budget/", {
      body: { name: "s", window: "day", amount: 5, subject: "site", on_reached: "ask" },
    });
    expect(site.body.fields).toHaveProperty("on_reached");
  });

  test("is decided once, in the window in which it was asked for, and the asker reads what came of it", async () => {
    const own = await make({ subject: "user", subject_id: ids.noor });
    const { id } = (await ask(as.noor, own)).data;
    expect(await list(admin)).toContainEqual(
      expect.objectContaining({ id, may_decide: true, username: "noor" }),
    );
    expect(await decide(as.noor, id)).toMatchObject({ code: "insufficient_role" });
    expect(await decide(as.mira, id)).toMatchObject({ code: "budget_request_not_found" });
    const asking = async (): Promise<string[]> => {
      // Causes are looked for every 15 seconds.
      gateway.clock.now += 15_000;
      await gateway.alerts.fold();
      const { data } = (await root("GET", "/api/alert/?state=firing")).body;
      return data
        .filter(({ rule }: { rule: string }) => rule === "budget.asked")
        .map(({ subject_name }: { subject_name: string }) => subject_name);
    };
    expect(await asking()).toContain("noor");
    expect(await decide(admin, id, 60)).toMatchObject({ success: true });
    expect(await shown(own)).toMatchObject({ granted: 60, amount: 500 });
    expect(await decide(admin, id)).toMatchObject({ code: "budget_request_not_found" });
    expect(await list(as.noor)).toMatchObject([{ id, status: "granted", granted: 60 }]);
    expect(await list(admin)).not.toContainEqual(expect.objectContaining({ id }));

    await ask(as.noor, own, 5);
    expect(await decline(admin, id)).toMatchObject({ success: true });
    expect(await list(as.noor)).toMatchObject([{ id, status: "declined", granted: 0 }]);
    expect(await shown(own)).toMatchObject({ granted: 60 });

    await ask(as.noor, own, 5);
    expect(await decline(as.noor, id)).toMatchObject({ success: true });
    expect(await list(as.noor)).toMatchObject([{ id, status: "withdrawn" }]);

    // A budget with other windows has another window now.
    await ask(as.noor, own, 5);
    expect(await asking()).toContain("noor");
    await root("PUT", "/api/budget/", { body: { id: own.id, window: "week" } });
    expect(await decide(admin, id)).toMatchObject({ code: "changed_meanwhile" });
    expect(await list(as.noor)).toEqual([]);
    expect(await asking()).not.toContain("noor");

    // Nobody can decide what a disabled account asked for.
    const gone = await gateway.addUser("gone");
    const theirs = await make({ subject: "user", subject_id: gone.id });
    await ask(await gateway.signIn("gone"), theirs);
    expect(await asking()).toContain("gone");
    await root("POST", "/api/user/manage", { body: { username: "gone", action: "disable" } });
    expect(await list(root)).not.toContainEqual(expect.objectContaining({ username: "gone" }));
    expect(await asking()).not.toContain("gone");
  });

  test("of a member is decided in the team, and of a whole team by the site", async () => {
    const cap = await capOf("noor");
    const { id } = (await ask(as.noor, cap)).data;
    expect(await list(as.lead)).toMatchObject([
      { id, subject: "member", subject_name: "noor", team_name: "Search", may_decide: true },
    ]);
    expect(await list(as.mira)).not.toContainEqual(expect.objectContaining({ id }));
    expect(await decide(as.lead, id)).toMatchObject({ success: true });
    expect(await shown(cap)).toMatchObject({ granted: 70 });

    const whole = await make({ subject: "team", subject_id: team.id });
    expect(await ask(as.outsider, whole)).toMatchObject({ code: "budget_not_found" });
    const ofTeam = (await ask(as.noor, whole)).data;
    expect(await decide(as.lead, ofTeam.id)).toMatchObject({ code: "budget_request_not_found" });
    expect(await decide(admin, ofTeam.id)).toMatchObject({ success: true });
    expect(await shown(whole)).toMatchObject({ granted: 70 });
  });

  test("of an administrator is decided by root or the administrator, not by a peer", async () => {
    const peer = await gateway.addUser("bela", { role: 10 });
    const bela = await gateway.signIn("bela");
    const own = await make({ subject: "user", subject_id: peer.id });
    const { id } = (await ask(bela, own)).data;
    expect(await list(admin)).not.toContainEqual(expect.objectContaining({ id }));
    expect(await decide(admin, id)).toMatchObject({ code: "budget_request_not_found" });
    expect(await decide(root, id)).toMatchObject({ success: true });
  });

  test("stands in the record of changes, and is purged with its budget", async () => {
    const own = await make({ subject: "user", subject_id: ids.mira, name: "to purge" });
    const { id } = (await ask(as.mira, own)).data;
    await decide(admin, id);
    const { data } = (await root("GET", "/api/audit/?size=5")).body;
    expect(data).toContainEqual(
      expect.objectContaining({
        action: "budget.grant",
        change: expect.stringMatching(/"name":"to purge","granted":70,.*"asked_by":"mira"/),
      }),
    );
    await root("DELETE", `/api/budget/${own.id}`);
    await purgeExpired(gateway.db, createSessionStore(gateway.db), gateway.clock.now);
    const left = await gateway.db.read(
      gateway.db.sql.selectFrom("budget_requests").select("id").where("id", "=", id),
    );
    expect(left).toEqual([]);
  });
});
