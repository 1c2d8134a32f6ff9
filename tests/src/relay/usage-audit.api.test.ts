// `tollgate audit --usage` on the rows of real calls.
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSql } from "../harness/postgres-cluster.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ store: "postgres" });
});
afterAll(() => gateway.close());

test("the command compares charges with reports, lists estimates by reason, and fails where a call was charged for less", async () => {
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
  expect(await gateway.audit("--usage", "--to=2025-01-01", "--from=2024-12-01")).toContain("0 calls with usage");
  expect(await gateway.audit("--usage", "--from=yesterday")).toMatch(/^exit code 1: .*--from=YYYY-MM-DD/s);

  await runSql(gateway.databaseUrl ?? "", `update logs set completion_tokens = 3 where channel_id = ${counting.id}`);
  const less = await gateway.audit("--usage");
  expect(less).toMatch(/^exit code 1: /);
  expect(less).toContain("2 calls were charged for less than their provider's final count.");
});
