/**
 * Attacks on runs of agents and on what they may cost: ids of others, guessed, rotated, colliding;
 * caps that many calls race; and people who have no right to a run.
 */
import type { RunDetails } from "@tollgate/contract/figures/runs.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestReply } from "../harness/api-session.ts";
import { readReply } from "../harness/api-session.ts";
import { eventually as eventuallyEvery } from "../harness/eventually.ts";
import {
  chatBody,
  defaultCharge,
  defaultHold,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

type TestPerson = Awaited<ReturnType<TestGateway["given"]["user"]>>;

let gateway: TestGateway;
let victim: TestPerson;
let stranger: TestPerson;
beforeAll(async () => {
  gateway = await startTestGateway({ env: { API_RATE_LIMIT: "0" } });
  await gateway.given.channel({ key: "sim-ok", models: "plain" });
  await gateway.given.channel({ key: "sim-slow-1500", models: "slow" });
  await gateway.given.channel({ key: "sim-fail-500", models: "failing" });
  victim = await gateway.given.user("victim", { quota: 100_000_000 });
  stranger = await gateway.given.user("stranger", { quota: 100_000_000 });
});
afterAll(async () => {
  await gateway.settled();
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
});

/** Sixty questions a minute may be asked with one key. */
const eventually = <Result>(check: () => Promise<Result>): Promise<Result> =>
  eventuallyEvery(check, { everyMs: 250 });

let names = 0;
const newName = (): string => {
  names += 1;
  return `run-${names}-${crypto.randomUUID()}`;
};
const inRun = (name: string) => ({ "x-tollgate-run": name });
const ask = async (key: string, headers: Record<string, string>, model = "plain") =>
  readReply(await gateway.send(key, chatBody({ model, max_tokens: 12 }), { headers }));
const times = (count: number, act: (turn: number) => Promise<TestReply>): Promise<TestReply[]> =>
  Promise.all(Array.from({ length: count }, (_, turn) => act(turn)));
const servedOf = (replies: readonly TestReply[]): number =>
  replies.filter(({ status }) => status === 200).length;
const costOf = async (key: string, headers: Record<string, string>) => {
  const response = await fetch(`${gateway.url}/v1/run`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
  });
  return { status: response.status, body: (await response.json()) as RunDetails };
};
/** A run of the victim with one call, as its sender and as the database name it. */
const startRun = async () => {
  const { key } = await victim.token();
  const name = newName();
  expect((await ask(key, inRun(name))).status).toBe(200);
  await gateway.settled();
  const { body } = await eventually(async () => {
    const found = await costOf(key, inRun(name));
    expect(found).toMatchObject({ status: 200, body: { calls: 1 } });
    return found;
  });
  return { key, name, run: body.run };
};
const capOf = async (subject_id: number, fields: Record<string, unknown>): Promise<number> =>
  (
    await gateway.api<{ id: number }>("POST", "/api/budget/", {
      ...{ subject: "token_run", subject_id, name: "each run", window: "lifetime", ...fields },
    })
  ).id;
const spentOf = async (budget: number) => {
  await gateway.settled();
  const [row] = await gateway.rows<{ spent: number; held: number }>(
    `select sum(spent) as spent, sum(held) as held from budget_counters where budget_id = ${budget}`,
  );
  return { spent: Number(row?.spent), held: Number(row?.held) };
};
/** What begins only after others have ended, until the cap refuses. */
const countFurther = async (act: () => Promise<TestReply>): Promise<number> => {
  let further = 0;
  while ((await act()).status === 200) further += 1;
  return further;
};
const namedBy = (name: string): Record<string, string>[] => [
  { "x-tollgate-run": name },
  { "x-tollgate-tags": `run=${name}` },
  { "x-litellm-trace-id": name },
  { "x-litellm-session-id": name },
  { "x-claude-code-session-id": name },
  { "helicone-session-id": name },
  { "x-other-session-id": name },
  { "session-id": name, "user-agent": "codex_cli_rs/1" },
  { "x-session-affinity": name },
];

/** Each ends with what the attacker must not have. */
const attacks: Readonly<Record<string, () => Promise<void>>> = {
  "the id of somebody else's run, in every header that names one": async () => {
    const { key, name } = await startRun();
    const { key: own } = await stranger.token();
    for (const headers of namedBy(name)) {
      expect((await costOf(own, headers)).status).toBe(404);
      expect((await ask(own, headers)).status).toBe(200);
    }
    await gateway.settled();
    await eventually(async () =>
      expect((await costOf(own, inRun(name))).body).toMatchObject({ calls: 1 }),
    );
    expect((await costOf(key, inRun(name))).body).toMatchObject({ calls: 1 });
  },
  "the name under which a run is stored, sent as an id": async () => {
    const { key, name, run } = await startRun();
    for (const person of [victim, stranger]) {
      const { key: own } = await person.token();
      for (const headers of namedBy(run)) expect((await costOf(own, headers)).status).toBe(404);
      // By that name a program asks for a run of its own account alone.
      const asked = await fetch(`${gateway.url}/v1/run?run=${run}`, {
        headers: { authorization: `Bearer ${own}` },
      });
      expect(asked.status).toBe(person === victim ? 200 : 404);
      expect((await ask(own, inRun(run))).status).toBe(200);
    }
    await gateway.settled();
    expect((await costOf(key, inRun(name))).body).toMatchObject({ calls: 1 });
  },
  "a run of somebody else read by its stored name, in all lists": async () => {
    const { run } = await startRun();
    expect((await stranger.request("GET", `/api/run/${run}`)).body.code).toBe("run_not_found");
    const { body } = await stranger.request("GET", `/api/log/self?run=${run}`);
    expect(body.data).toEqual([]);
    const { id } = await victim.data<{ id: number }>("GET", "/api/user/self");
    for (const path of ["/api/run/", `/api/run/?user_id=${id}`, `/api/log/?run=${run}`])
      expect((await stranger.request("GET", path)).body.code).toBe("insufficient_role");
  },
  "a run of somebody else stopped or continued": async () => {
    const { key, name, run } = await startRun();
    for (const verb of ["stop", "continue"])
      expect((await stranger.request("POST", `/api/run/${run}/${verb}`)).body.code).toBe(
        "run_not_found",
      );
    expect((await ask(key, inRun(name))).status).toBe(200);
  },
  "all runs of somebody else's key or account stopped": async () => {
    const { id, key } = await victim.token();
    const name = newName();
    await ask(key, inRun(name));
    const { id: user_id } = await victim.data<{ id: number }>("GET", "/api/user/self");
    expect((await stranger.request("POST", "/api/run/stop", { token_id: id })).body.code).toBe(
      "token_not_found",
    );
    expect((await stranger.request("POST", "/api/run/stop", { user_id })).body.code).toBe(
      "user_not_found",
    );
    for (const body of [{}, { token_id: id, user_id }, { token_id: "1 or 1=1" }, { token_id: -1 }])
      expect((await stranger.request("POST", "/api/run/stop", body)).body.code).toBe(
        "invalid_request",
      );
    expect((await ask(key, inRun(name))).status).toBe(200);
  },
  "names of runs that are none": async () => {
    for (const run of [
      "x",
      "'%20or%201=1%20--",
      "A".repeat(22),
      "A".repeat(5_000),
      "%00",
      "..%2fself",
    ])
      for (const [method, path] of [
        ["GET", `/api/run/${run}`],
        ["POST", `/api/run/${run}/stop`],
        ["GET", `/api/log/self?run=${run}`],
      ] as const) {
        const { status, body } = await victim.request(method, path);
        expect(status, path).toBeLessThan(500);
        expect(body?.data ?? [], path).toEqual([]);
      }
  },
  "ids that no column could hold": async () => {
    const { key } = await victim.token();
    const ids = ["__proto__", "constructor", "' or 1=1 --", "%00%0d%0a", "é".repeat(200), " ", "-"];
    for (const id of [...ids, "A".repeat(7_000)]) {
      const { status } = await ask(key, { "x-tollgate-run": encodeURIComponent(id) });
      expect(status, id.slice(0, 20)).toBeLessThan(500);
    }
    await gateway.settled();
    const rows = await gateway.rows<{ run: string }>("select run from runs");
    for (const { run } of rows) expect(run).toMatch(/^[\w-]{22}$/);
  },
  "one id under two headers, so that sums of two runs would mix": async () => {
    const { key } = await victim.token();
    const name = newName();
    const headers = namedBy(name).slice(2, 7);
    for (const one of headers) expect((await ask(key, one)).status).toBe(200);
    await gateway.settled();
    await eventually(async () => {
      const found = await Promise.all(headers.map((one) => costOf(key, one)));
      expect(found.map(({ body }) => body.calls)).toEqual(headers.map(() => 1));
    });
  },
  "a second id beside that of a run whose cap is reached": async () => {
    const { id, key } = await victim.token();
    await capOf(id, { measure: "calls", amount: 1 });
    const name = newName();
    expect((await ask(key, inRun(name))).status).toBe(200);
    await gateway.settled();
    for (const beside of namedBy(newName()).slice(1))
      expect((await ask(key, { ...beside, ...inRun(name) })).status).toBe(403);
  },
  "a new id for each call: the budget of the key holds": async () => {
    const { id, key } = await victim.token();
    const amount = 4 * defaultCharge + defaultHold;
    const budget = await capOf(id, { subject: "token", amount });
    const replies = await times(60, () => ask(key, inRun(newName())));
    await gateway.settled();
    const served = servedOf(replies) + (await countFurther(() => ask(key, inRun(newName()))));
    expect(served).toBe(5);
    expect(await spentOf(budget)).toEqual({ spent: 5 * defaultCharge, held: 0 });
  },
  "a cap of calls raced by calls that fail": async () => {
    const { id, key } = await victim.token();
    const budget = await capOf(id, { measure: "calls", amount: 10 });
    const name = newName();
    const replies = await times(60, () => ask(key, inRun(name), "failing"));
    expect(replies.filter(({ status }) => status === 403)).toHaveLength(50);
    expect(await spentOf(budget)).toEqual({ spent: 10, held: 0 });
    expect((await ask(key, inRun(name))).status).toBe(403);
  },
  "a cap of calls raced by refused requests, which count for nothing": async () => {
    const { id, key } = await victim.token();
    const budget = await capOf(id, { measure: "calls", amount: 3 });
    const name = newName();
    await times(20, () => ask(key, inRun(name), "nobody-has-this"));
    const replies = await times(20, () => ask(key, inRun(name)));
    expect(servedOf(replies)).toBe(3);
    expect(await spentOf(budget)).toEqual({ spent: 3, held: 0 });
  },
  "a cap of minutes raced": async () => {
    const { id, key } = await victim.token();
    await capOf(id, { measure: "minutes", amount: 2 });
    const name = newName();
    // None ends before all are decided.
    const replies = await times(30, () => ask(key, inRun(name), "slow"));
    expect(servedOf(replies)).toBe(2);
  },
  "a cap of the site raced by two keys of one account": async () => {
    const keys = [(await victim.token()).key, (await victim.token()).key] as const;
    const amount = 9 * defaultCharge + defaultHold;
    const budget = await gateway.api<{ id: number }>("POST", "/api/budget/", {
      ...{ subject: "run", name: "every run", window: "lifetime", amount },
    });
    const name = newName();
    const act = (turn: number) => ask(turn % 2 === 0 ? keys[0] : keys[1], inRun(name));
    const served = servedOf(await times(200, act));
    await gateway.settled();
    expect(served + (await countFurther(() => act(0)))).toBe(10);
    // The same id of another account is another run.
    const { key: other } = await stranger.token();
    expect((await ask(other, inRun(name))).status).toBe(200);
    await gateway.settled();
    await gateway.api("DELETE", `/api/budget/${budget.id}`);
  },
  "a cap that is lowered while calls race": async () => {
    const { id, key } = await victim.token();
    const budget = await capOf(id, { measure: "calls", amount: 100 });
    const name = newName();
    const running = times(30, () => ask(key, inRun(name), "slow"));
    await gateway.api("PUT", "/api/budget/", { id: budget, amount: 1 });
    await running;
    expect((await ask(key, inRun(name))).status).toBe(403);
  },
  "caps of one's own key raised or removed by its owner": async () => {
    const { id } = await victim.token();
    const budget = await capOf(id, { measure: "calls", amount: 1 });
    const act = (method: string, path: string, body?: unknown) =>
      victim.request(method, path, body);
    const raised = { id: budget, amount: 1_000 };
    expect((await act("PUT", "/api/budget/", raised)).body.code).toBe("insufficient_role");
    expect((await act("DELETE", `/api/budget/${budget}`)).body.code).toBe("insufficient_role");
    const more = { subject: "token_run", subject_id: id, name: "x", window: "day", amount: 1 };
    expect((await act("POST", "/api/budget/", more)).body.code).toBe("insufficient_role");
  },
  "caps of amounts and measures that there are not": async () => {
    const { id } = await victim.token();
    const root = await gateway.root();
    for (const fields of [
      { amount: -1 },
      { amount: 0.5 },
      { amount: "10" },
      { amount: 2 ** 53 },
      { measure: "calls", amount: 10_000_001 },
      { measure: "hours", amount: 1 },
      { measure: "calls", amount: 1, subject: "token" },
      { measure: "minutes", amount: 1, subject: "user" },
    ]) {
      const body = { subject: "token_run", subject_id: id, name: "x", window: "day", ...fields };
      const { body: answer } = await root.request("POST", "/api/budget/", body);
      expect(answer.code, JSON.stringify(fields)).toBe("invalid_request");
    }
  },
  "the measure of a cap changed into another": async () => {
    const { id, key } = await victim.token();
    const budget = await capOf(id, { measure: "calls", amount: 1 });
    const root = await gateway.root();
    await root.request("PUT", "/api/budget/", { id: budget, measure: "quota", amount: 1 });
    const name = newName();
    expect((await ask(key, inRun(name))).status).toBe(200);
    await gateway.settled();
    expect((await ask(key, inRun(name))).status).toBe(403);
  },
  "a call without a run, by a key that demands one": async () => {
    const { key } = await victim.token({ required_tags: "run" });
    for (const headers of [{}, { "x-tollgate-run": "" }, { "x-tollgate-run": "   " }])
      expect(await ask(key, headers)).toMatchObject({
        status: 400,
        body: { error: { code: "run_required" } },
      });
  },
  "a stopped run carried on by another key of its owner": async () => {
    const { key, name, run } = await startRun();
    const { key: other } = await victim.token();
    await victim.request("POST", `/api/run/${run}/stop`);
    await eventually(async () => expect((await ask(key, inRun(name))).status).toBe(403));
    expect((await ask(other, inRun(name))).status).toBe(403);
    const later = servedOf(await times(20, () => ask(other, inRun(name))));
    expect(later).toBe(0);
  },
  "the cost of a run by a key that is stopped, deleted or made up": async () => {
    const { name, key: kept } = await startRun();
    const { id, key } = await victim.token();
    expect((await costOf(key, inRun(name))).status).toBe(200);
    await victim.request("PUT", "/api/token/?status_only=1", { id, status: 2 });
    await eventually(async () => expect((await costOf(key, inRun(name))).status).toBe(401));
    await victim.request("DELETE", `/api/token/${id}`);
    expect((await costOf(key, inRun(name))).status).toBe(401);
    expect((await costOf("sk-made-up", inRun(name))).status).toBe(401);
    expect((await costOf(kept, inRun(name))).status).toBe(200);
  },
  "the run that a team pays for, by its caller's own key, and the reverse": async () => {
    const team = await gateway.api<{ id: number }>("POST", "/api/team/", { name: newName() });
    const { id: user_id } = await victim.data<{ id: number }>("GET", "/api/user/self");
    await gateway.api("PUT", `/api/team/${team.id}/member`, { user_id, role: "member" });
    const source = { source: "issuance", amount: 1_000_000 };
    await gateway.api("POST", `/api/team/${team.id}/transfer`, source);
    const fields = { name: "k", unlimited_quota: true };
    const made = await victim.data<{ key: string }>("POST", `/api/team/${team.id}/token`, fields);
    const { key: own } = await victim.token();
    const name = newName();
    expect((await ask(made.key, inRun(name))).status).toBe(200);
    await gateway.settled();
    await eventually(async () => expect((await costOf(made.key, inRun(name))).status).toBe(200));
    expect((await costOf(own, inRun(name))).status).toBe(404);
    const { body } = await costOf(made.key, inRun(name));
    // Who has left the team reads it no more, and neither does the key.
    expect((await victim.request("GET", `/api/run/${body.run}`)).body.success).toBe(true);
    await gateway.api("POST", `/api/team/${team.id}/remove_member`, { user_id });
    expect((await victim.request("GET", `/api/run/${body.run}`)).body.code).toBe("run_not_found");
    await eventually(async () => expect((await costOf(made.key, inRun(name))).status).toBe(401));
  },
  "an answer whose client names one run and whose body another": async () => {
    const { id, key } = await victim.token();
    await capOf(id, { measure: "calls", amount: 1 });
    const name = newName();
    const both = () =>
      gateway.send(
        key,
        { ...chatBody({ model: "plain", max_tokens: 12 }), metadata: { session_id: newName() } },
        { headers: inRun(name) },
      );
    expect((await readReply(await both())).status).toBe(200);
    await gateway.settled();
    expect((await readReply(await both())).status).toBe(403);
  },
};

test.each(Object.keys(attacks))("an attack fails: %s", async (name) => await attacks[name]?.());
