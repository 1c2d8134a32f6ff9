// `tollgate audit --usage` on the rows of real calls.
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSql } from "../harness/postgres-cluster.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ store: "postgres" });
});
afterAll(() => gateway.close());

test("the command sets costs that were read from a provider beside ours, and fails where they differ", async () => {
  const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10);
  const channel = await gateway.given.channel({ key: "sim-ok", models: "billed", type: 1 });
  expect(await gateway.audit("--usage")).toContain("No channel has a report key");
  const costs = [{ day, model: "billed", requests: 1, input: 10, output: 5, dollars: 1.5 }];
  await gateway.simulator.script("sim-report", { costs });
  await gateway.api("PUT", `/api/cost_report/${channel.id}`, { key: "sim-report" });
  await gateway.api("POST", `/api/cost_report/${channel.id}/read`);

  const differs = await gateway.audit("--usage", `--channel=${channel.id}`);
  expect(differs).toMatch(/^exit code 1: /);
  expect(differs).toContain(
    `costs of channel ${channel.id} (${channel.name}), ${day}, billed: charged nothing, reported 10 + 5 tokens for $1.500000, difference $1.500000 (100 %)`,
  );
  expect(differs).toContain("differs by more than 1 %.");
  const tolerated = await gateway.audit("--usage", `--channel=${channel.id}`, "--threshold=100");
  expect(tolerated).not.toMatch(/^exit code/);
  expect(tolerated).toContain("within 100 %.");
  await gateway.api("DELETE", `/api/cost_report/${channel.id}`);
});

test("the command compares charges with reports, lists estimates by reason, and fails where a call was charged for less", {
  tags: ["large"],
}, async () => {
  const counting = await gateway.given.channel({ key: "sim-ok" });
  const silent = await gateway.given.channel({ key: "sim-ok+no-usage", models: "silent" });
  const { key } = await gateway.given.token();
  await gateway.chat(key);
  await gateway.stream(key);
  await gateway.chat(key, { model: "silent" });
  await gateway.settled();

  const whole = await gateway.audit("--usage");
  expect(whole).toContain(
    `channel ${counting.id} (${counting.name}), sim-model: 2 calls for 108 units; reported 12 prompt and 24 completion tokens, charged 12 prompt and 24 completion tokens`,
  );
  expect(whole).toMatch(/^estimated, none_reported: 1 calls for \d+ units; rows \d+$/m);
  expect(whole).toContain("No call was charged for less than its provider's final count.");
  expect(await gateway.audit("--usage", `--channel=${silent.id}`)).not.toContain("sim-model");
  expect(await gateway.audit("--usage", "--to=2025-01-01", "--from=2024-12-01")).toContain(
    "0 calls with usage",
  );
  expect(await gateway.audit("--usage", "--from=yesterday")).toMatch(
    /^exit code 64: .*--from=YYYY-MM-DD/s,
  );

  await runSql(
    gateway.databaseUrl ?? "",
    `update logs set completion_tokens = 3 where channel_id = ${counting.id}`,
  );
  const less = await gateway.audit("--usage");
  expect(less).toMatch(/^exit code 1: /);
  expect(less).toContain("2 calls were charged for less than their provider's final count.");
});
