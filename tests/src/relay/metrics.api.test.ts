// What a scrape of a running gateway shows, and who may scrape it.
import { createBudget } from "@tollgate/contract/accounts/budgets.ts";
import { createManagementKey } from "@tollgate/contract/accounts/management-keys.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rootPassword } from "../harness/database-templates.ts";
import { eventually } from "../harness/eventually.ts";
import { freePort } from "../harness/free-port.ts";
import { databaseKinds } from "../harness/gateway-database.ts";
import { model, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { readPrometheusText } from "../support/prometheus-text.ts";
import { describeVariants } from "../support/variants.ts";

const token = "a-token-for-prometheus";

describeVariants(databaseKinds)("metrics on %s", (store) => {
  let gateway: TestGateway;
  let own: string;

  beforeAll(async () => {
    const port = await freePort();
    own = `http://127.0.0.1:${port}/metrics`;
    gateway = await startTestGateway({
      store,
      env: { METRICS_PORT: String(port), METRICS_TOKEN: token, METRICS_GEN_AI: "true" },
    });
    await gateway.given.channel({ key: "sim-ok" });
  });
  afterAll(() => gateway.close());

  const scrape = async () => readPrometheusText(await (await fetch(own)).text());
  const main = (authorization?: string, path = "/metrics") =>
    fetch(
      `${gateway.url}${path}`,
      authorization === undefined ? {} : { headers: { authorization } },
    );

  test("the counters of calls, tokens and charges are the sums of the logged rows", async () => {
    const { key } = await gateway.given.token();
    await gateway.given.channel({ key: "sim-fail-500", models: "broken" });
    await Promise.all(Array.from({ length: 5 }, () => gateway.chat(key)));
    await gateway.stream(key);
    await gateway.chat(key, { model: "broken" });
    await gateway.settled();
    const rows = await gateway.logs();
    const sumOf = (column: "quota" | "prompt_tokens" | "completion_tokens") =>
      rows.reduce((total, row) => total + row[column], 0);
    const { sum, samples } = await eventually(async () => {
      const read = await scrape();
      if (read.sum("tollgate_calls_total") < rows.length)
        throw new Error("a settled call is not counted");
      return read;
    });
    expect(rows).toHaveLength(7);
    expect(sum("tollgate_calls_total")).toBe(7);
    expect(sum("tollgate_calls_total", { model, outcome: "success", stream: "true" })).toBe(1);
    expect(sum("tollgate_calls_total", { model: "broken", outcome: "failed" })).toBe(1);
    expect(sum("tollgate_tokens_total", { bucket: "input" })).toBe(sumOf("prompt_tokens"));
    expect(sum("tollgate_tokens_total", { bucket: "output" })).toBe(sumOf("completion_tokens"));
    expect(sum("tollgate_charged_dollars_total") * 500_000).toBeCloseTo(sumOf("quota"), 6);
    expect(sum("tollgate_call_duration_seconds_count")).toBe(7);
    expect(sum("tollgate_first_content_seconds_count", { model })).toBe(6);
    expect(sum("tollgate_overhead_seconds_count")).toBe(7);
    expect(sum("tollgate_attempts_total", { result: "ok" })).toBe(6);
    expect(sum("tollgate_attempts_total", { result: "5xx" })).toBeGreaterThan(0);
    expect(sum("tollgate_settle_duration_seconds_count")).toBe(7);
    expect(sum("tollgate_db_duration_seconds_count", { verb: "hold" })).toBeGreaterThanOrEqual(7);
    const asked = { gen_ai_operation_name: "chat", gen_ai_provider_name: "openai" };
    expect(sum("gen_ai_client_operation_duration_seconds_count", asked)).toBe(7);
    expect(sum("gen_ai_client_token_usage_sum", { ...asked, gen_ai_token_type: "output" })).toBe(
      sumOf("completion_tokens"),
    );
    expect(sum("nodejs_heap_size_used_bytes")).toBeGreaterThan(0);
    expect(sum("tollgate_calls_in_flight")).toBe(0);
    expect(samples.find(({ name }) => name === "tollgate_channel_info")?.labels).toMatchObject({
      type: "1",
    });
    expect(samples.some(({ name }) => name === "tollgate_site_gauges_age_seconds")).toBe(true);
    expect(sum("tollgate_holds_open")).toBe(0);
  });

  test("a refused call is counted by its reason, and a model that a client invents is no label", async () => {
    const { key } = await gateway.given.token();
    const invented = "canary-of-a-client";
    await gateway.chat(key, { model: invented });
    await gateway.chat("sk-not-a-key");
    const text = await (await fetch(own)).text();
    const { sum } = readPrometheusText(text);
    expect(
      sum("tollgate_refused_total", { entry: "chat_completions", reason: "key_not_valid" }),
    ).toBe(1);
    expect(
      sum("tollgate_refused_total", { entry: "chat_completions", reason: "model_not_found" }),
    ).toBe(1);
    expect(text).not.toContain(invented);
    expect(text).not.toContain(key);
  });

  test("a budget of a model is counted by its number when it refuses, and one of a user is not", {
    tags: ["large"],
  }, async () => {
    const root = await gateway.root();
    const user = await gateway.given.user("spender", { quota: 100_000 });
    await gateway.given.channel({ key: "sim-ok", models: "dear,other-model" });
    const settings = { name: "small", window: "lifetime", amount: 1, hard: true } as const;
    const ofModel = (
      await root.call(createBudget, { body: { ...settings, subject: "model", model: "dear" } })
    ).data;
    await root.call(createBudget, { body: { ...settings, subject: "user", subject_id: user.id } });
    const { key } = await gateway.given.token();
    expect((await gateway.chat(key, { model: "dear" })).status).toBe(403);
    expect((await gateway.chat((await user.token()).key, { model: "other-model" })).status).toBe(
      403,
    );
    const { sum } = await scrape();
    expect(sum("tollgate_refused_total", { reason: "budget_exceeded" })).toBe(2);
    expect(sum("tollgate_budget_refused_total", { budget: String(ofModel.id) })).toBe(1);
    expect(sum("tollgate_budget_refused_total")).toBe(1);
  });

  test("calls of the management API are counted by the template of their address", async () => {
    await gateway.api("GET", "/api/channel/?p=0");
    await gateway.root().then((root) => root.request("GET", "/api/no/such/address"));
    const { sum } = await scrape();
    expect(
      sum("tollgate_http_requests_total", { route: "/api/channel/", status: "2xx" }),
    ).toBeGreaterThan(0);
    expect(sum("tollgate_http_requests_total", { route: "", status: "4xx" })).toBeGreaterThan(0);
  });

  test("Prometheus gets OpenMetrics if it asks for it, compressed if it can read that", async () => {
    const headers = {
      accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5",
      "accept-encoding": "gzip",
    };
    const reply = await fetch(own, { headers });
    expect(reply.headers.get("content-type")).toContain(
      "application/openmetrics-text; version=1.0.0",
    );
    expect(reply.headers.get("content-encoding")).toBe("gzip");
    expect(await reply.text()).toMatch(/# EOF\n$/);
    expect((await fetch(own.replace("/metrics", "/api/status"))).status).toBe(404);
  });

  test("on the main port, the address exists for the token and for a key with the scope alone", async () => {
    const root = await gateway.root();
    const keyWith = async (name: string, scope: "metrics:read" | "channels:read") => {
      const body = { name, scopes: [scope], lifetime_days: 1, current_password: rootPassword };
      return (await root.call(createManagementKey, { body })).data.key;
    };
    const right = await keyWith("metrics", "metrics:read");
    const wrong = await keyWith("channels", "channels:read");
    const unknown = await main("Bearer nothing", "/no-such-address");
    for (const authorization of [
      undefined,
      "Bearer nothing",
      `Bearer ${wrong}`,
      `Bearer ${token}x`,
      `Basic ${token}`,
    ]) {
      const reply = await main(authorization);
      expect(reply.status, authorization).toBe(unknown.status);
      expect(await reply.json(), authorization).toMatchObject({ error: { code: "unknown_path" } });
    }
    for (const authorization of [`Bearer ${token}`, `Bearer ${right}`]) {
      const reply = await main(authorization);
      expect(reply.status).toBe(200);
      expect(readPrometheusText(await reply.text()).sum("tollgate_build_info")).toBe(1);
    }
    expect(
      (
        await fetch(`${gateway.url}/metrics`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}` },
        })
      ).status,
    ).toBe(404);
  });

  test("more than ten scrapes a minute from one address are refused, and wrong keys use up none of them", {
    tags: ["large"],
  }, async () => {
    await gateway.restart();
    for (let at = 0; at < 20; at += 1) expect((await main("Bearer wrong")).status).toBe(404);
    const statuses: number[] = [];
    for (let at = 0; at < 11; at += 1) statuses.push((await main(`Bearer ${token}`)).status);
    expect(statuses).toEqual([...Array<number>(10).fill(200), 429]);
    expect((await main("Bearer wrong")).status).toBe(404);
  });
});
