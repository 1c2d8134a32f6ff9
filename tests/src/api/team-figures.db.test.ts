// What of a team each caller sees: lists, sums, traces, runs, reports and exports, all by one rule.
import type { Team, TeamToken } from "@tollgate/contract/accounts/teams.ts";
import type { ModelUsage } from "@tollgate/contract/figures/dashboard.ts";
import type { Spending } from "@tollgate/contract/figures/spending.ts";
import { formatDayText } from "@tollgate/gateway/figures/dashboard/dashboard-rules.ts";
import { computeDay } from "@tollgate/gateway/storage/rollups.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../harness/eventually.ts";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";
import { addSettledCall } from "./seed-logs.ts";

const people = ["site", "owner", "member", "colleague", "viewer", "former", "outsider"] as const;
type TeamOnlooker = (typeof people)[number];

/** What the calls of each cost: a sum tells which of them are in it. */
const costs = { member: 1, colleague: 4, service: 16, former: 64, personal: 256 };
const all = costs.member + costs.colleague + costs.service + costs.former;
/** `unknown`: the team does not exist for them. */
const seen: Readonly<Record<TeamOnlooker, number | "unknown">> = {
  site: all,
  owner: all,
  viewer: all,
  member: costs.member,
  colleague: costs.colleague,
  former: "unknown",
  outsider: "unknown",
};

describeVariants(testDatabases)("what of a team is seen, on $name", (database) => {
  let gateway: ManagementGateway;
  const users = {} as Record<TeamOnlooker, { id: number; username: string }>;
  const as = {} as Record<TeamOnlooker, TestApiClient>;
  const calls = {} as Record<keyof typeof costs, number>;
  let team: Team;
  let today: string;

  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    for (const person of people) {
      users[person] = {
        ...(await gateway.addUser(person, person === "site" ? { role: 10 } : {})),
        username: person,
      };
      as[person] = await gateway.signIn(person);
    }
    const made = await as.site("POST", "/api/team/", {
      body: { name: "Search", owner_id: users.owner.id },
    });
    team = made.body.data;
    const roles = {
      member: "member",
      colleague: "member",
      viewer: "viewer",
      former: "member",
    } as const;
    for (const [person, role] of Object.entries(roles)) {
      const body = { user_id: users[person as TeamOnlooker].id, role };
      await as.site("PUT", `/api/team/${team.id}/member`, { body });
    }
    today = formatDayText(computeDay(gateway.clock.now));
    const keyOf = async (client: TestApiClient, service = false) => {
      const body = { name: service ? "ci" : "own", unlimited_quota: true, service };
      return (await client("POST", `/api/team/${team.id}/token`, { body })).body.data.id as number;
    };
    const at = gateway.clock.now - 1_000;
    const own = (await as.member("POST", "/api/token/", { body: { name: "mine" } })).body.data.id;
    const tokens = {
      ...{
        member: await keyOf(as.member),
        colleague: await keyOf(as.colleague),
        former: await keyOf(as.former),
      },
      ...{ service: await keyOf(as.owner, true), personal: own },
    };
    for (const who of ["member", "colleague", "service", "former", "personal"] as const) {
      const user = who === "service" ? users.owner : users[who === "personal" ? "member" : who];
      const paid = who === "personal" ? {} : { team_id: team.id };
      const run = { run: who.padEnd(22, "-"), run_facts: "{}" };
      const row = { quota: costs[who], token_id: tokens[who], ...paid, ...run };
      const log = who === "service" ? { ...row, user_id: 0, username: "service:ci" } : row;
      calls[who] = await addSettledCall(gateway, user, at, log);
    }
    const body = { user_id: users.former.id };
    await as.site("POST", `/api/team/${team.id}/remove_member`, { body });
    await eventually(async () => {
      const { sql, read } = gateway.db;
      expect(await read(sql.selectFrom("rollup_day_team").selectAll())).toHaveLength(4);
      expect(await read(sql.selectFrom("runs").selectAll())).toHaveLength(5);
    });
  });
  afterAll(() => gateway.close());

  const sum = (rows: readonly { quota: number }[]): number =>
    rows.reduce((total, { quota }) => total + quota, 0);
  /** Every list and sum, with the units of the calls that it shows. */
  type Reply = Awaited<ReturnType<TestApiClient>>["body"];
  const lists: Record<string, [path: string, read: (body: Reply) => number]> = {
    "the log": ["/api/log/self?type=2", ({ data }) => sum(data)],
    "a search": ["/api/log/self/search?keyword=&type=2", ({ data }) => sum(data)],
    "the newest rows": ["/api/log/self/tail?type=2", ({ data }) => sum(data)],
    "the sum of the log": ["/api/log/self/stat?", ({ data }) => data.quota],
    "the sum of a model": ["/api/log/self/stat?model_name=small", ({ data }) => data.quota],
    runs: ["/api/run/self?", ({ data }) => sum(data)],
    keys: [
      "/api/token/?",
      ({ data }) => sum(data.map((row: TeamToken) => ({ quota: row.used_quota }))),
    ],
    "the dashboard by model": ["/api/user/dashboard?", ({ data }) => sumUsage(data.logs)],
    "the dashboard by key": ["/api/user/dashboard?", ({ data }) => sumUsage(data.token_logs)],
    "the spending by model": [
      "/api/user/dashboard/spending?by=model",
      ({ data }) => sumSeries(data),
    ],
    "the spending by key": ["/api/user/dashboard/spending?by=key", ({ data }) => sumSeries(data)],
    "the month by model": ["/api/report/?by=model", ({ data }) => sum(data.rows)],
    "the month by key": ["/api/report/?by=key", ({ data }) => sum(data.rows)],
    "the sum of a month": ["/api/report/?by=key", ({ data }) => data.total.quota],
  };
  const sumUsage = (rows: readonly ModelUsage[]): number =>
    sum(rows.map(({ Quota: quota }) => ({ quota })));
  const sumSeries = ({ series }: Spending): number =>
    sum(series.flatMap(({ quota }) => quota.map((one) => ({ quota: one }))));

  const ask = async (
    name: string,
    person: TeamOnlooker,
    query: string,
  ): Promise<number | string | undefined> => {
    const [path = "", read] = lists[name] ?? [];
    const month = path.startsWith("/api/report") ? `&month=${today.slice(0, 7)}` : "";
    const { body } = await as[person]("GET", `${path}${month}&${query}`);
    return body.success ? read?.(body) : body.code;
  };
  const answers = async (name: string, query: string) => {
    const found: Record<string, unknown> = {};
    for (const person of people) found[person] = await ask(name, person, query);
    return found;
  };
  const expected = Object.fromEntries(
    people.map((person) => [person, seen[person] === "unknown" ? "team_not_found" : seen[person]]),
  );

  test.each(Object.keys(lists))("%s", async (name) => {
    expect(await answers(name, `team_id=${team.id}`)).toEqual(expected);
    expect(await answers(name, `team_id=${team.uuid}`)).toEqual(expected);
    // Without a team, it is what the own wallet paid.
    expect(await ask(name, "member", "")).toBe(costs.personal);
    expect(await ask(name, "colleague", "")).toBe(0);
  });

  /** What each may see of each call. */
  const sight: Readonly<Record<TeamOnlooker, readonly (keyof typeof costs)[]>> = {
    site: ["member", "colleague", "service", "former", "personal"],
    owner: ["member", "colleague", "service", "former"],
    viewer: ["member", "colleague", "service", "former"],
    member: ["member", "personal"],
    colleague: ["colleague"],
    former: [],
    outsider: [],
  };
  const reached = async (path: (call: keyof typeof costs) => string) => {
    const found = {} as Record<TeamOnlooker, string[]>;
    for (const person of people) {
      found[person] = [];
      for (const call of Object.keys(costs) as (keyof typeof costs)[])
        if ((await as[person]("GET", path(call))).body.success) found[person].push(call);
    }
    return found;
  };

  test("a trace", async () => {
    expect(await reached((call) => `/api/trace/log/${calls[call]}`)).toEqual(sight);
  });

  test("a run, which viewers cannot stop", async () => {
    expect(await reached((call) => `/api/run/${call.padEnd(22, "-")}`)).toEqual(sight);
    const stop = async (person: TeamOnlooker, call: string) =>
      (await as[person]("POST", `/api/run/${call.padEnd(22, "-")}/stop`)).body.code ?? "stopped";
    expect(await stop("viewer", "member")).toBe("run_not_found");
    expect(await stop("colleague", "member")).toBe("run_not_found");
    expect(await stop("former", "former")).toBe("run_not_found");
    for (const person of ["member", "owner", "site"] as const)
      expect(await stop(person, "member")).toBe("stopped");
  });

  test("the exports", async () => {
    const lines = async (person: TeamOnlooker, path: string) => {
      const { body } = await as[person]("GET", `${path}team_id=${team.id}`);
      return body.success ? body.data.trim().split("\n").length - 1 : body.code;
    };
    const csv = async (path: string) =>
      Object.fromEntries(
        await Promise.all(people.map(async (person) => [person, await lines(person, path)])),
      );
    const counted = (own: number, whole: number) =>
      Object.fromEntries(
        people.map((person) => [
          person,
          seen[person] === "unknown" ? "team_not_found" : seen[person] === all ? whole : own,
        ]),
      );
    expect(await csv("/api/log/self/export?type=2&")).toEqual(counted(1, 4));
    expect(await csv(`/api/report/export?month=${today.slice(0, 7)}&by=key&`)).toEqual(
      counted(1, 4),
    );
    const focus = counted(1, 4);
    expect(await csv(`/api/usage/focus?from=${today}&to=${today}&`)).toEqual(focus);
  });

  test("the balance, where the team shows it to its members", async () => {
    const total = async (person: TeamOnlooker) =>
      (await as[person]("GET", `/api/user/dashboard?team_id=${team.id}`)).body.data.total_quota;
    expect([await total("member"), await total("viewer")]).toEqual([0, 0]);
    await as.owner("PUT", "/api/team/", { body: { id: team.id, members_see_balance: false } });
    expect([await total("member"), await total("viewer")]).toEqual([null, 0]);
  });

  test("nobody names a team and an account at once, nor channels and tags of a team", async () => {
    const code = async (path: string) =>
      (await as.site("GET", `${path}&team_id=${team.id}`)).body.code;
    expect(await code(`/api/user/dashboard?user_id=${users.member.id}`)).toBe("invalid_request");
    expect(await code("/api/user/dashboard/spending?by=channel")).toBe("invalid_request");
    expect(await code(`/api/report/?month=${today.slice(0, 7)}&by=channel`)).toBe(
      "invalid_request",
    );
  });

  test("keys in the list of a team are masked, and name their member", async () => {
    const { data } = (await as.owner("GET", `/api/token/?team_id=${team.id}`)).body;
    const names = data.map(({ username }: TeamToken) => username).sort();
    expect(names).toEqual(["", "colleague", "former", "member"]);
    for (const { key } of data) expect(key).toMatch(/\*\*/);
  });
});
