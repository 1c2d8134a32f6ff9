// From which networks a key is used, from the call to the list of keys to look at.
import type { ExaminedToken } from "@tollgate/contract/accounts/key-hygiene.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { chatBody, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway({ store: "sqlite", env: { TRUSTED_PROXIES: "127.0.0.1" } });
  await gateway.given.channel({ key: "sim-ok" });
});
afterAll(() => gateway.close());

test("a key that was used from more networks than the setting allows is listed, and refused calls do not count", async () => {
  const { key, id } = await gateway.given.token();
  await gateway.api("PUT", "/api/option/", { key: "KeyNetworksThreshold", value: "1" });
  const call = async (address: string, model?: string) => {
    const response = await fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        authorization: `Bearer ${key}`,
        "x-forwarded-for": address,
      },
      body: JSON.stringify(chatBody(model === undefined ? {} : { model })),
    });
    await response.text();
    return response.status;
  };
  expect(await call("192.0.2.1")).toBe(200);
  expect(await call("192.0.2.77")).toBe(200);
  expect(await call("2001:db8:7::1")).toBe(200);
  expect(await call("198.51.100.1", "no-such-model")).toBeGreaterThanOrEqual(400);
  // A node that stops writes what it has counted.
  await gateway.restart();
  const listed = await gateway.api<ExaminedToken[]>(
    "GET",
    "/api/token/findings?finding=many_networks",
  );
  expect(listed.map((one) => [one.id, one.busiest_day?.networks])).toEqual([[id, 2]]);
});
