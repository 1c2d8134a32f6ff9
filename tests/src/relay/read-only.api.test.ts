import { listTokens } from "@tollgate/contract/accounts/tokens.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { defaultCharge, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.close());

test("on a read-only server calls of API keys are answered and charged, and keys cannot be made", async () => {
  await gateway.given.channel({ key: "sim-ok" });
  const { key } = await gateway.given.token();
  await gateway.restart("SIGTERM", { READ_ONLY: "true" });
  expect((await gateway.chat(key, {})).status).toBe(200);
  expect(await gateway.settled()).toMatchObject({ charged: defaultCharge, rows: 1 });
  const root = await gateway.root();
  expect((await root.call(listTokens, { query: {} })).data).toHaveLength(1);
  await expect(gateway.given.token()).rejects.toThrow("This server is read-only at the moment");

  await gateway.restart();
  await gateway.given.token();
  expect(await gateway.audit()).toBe("The books agree.");
});
