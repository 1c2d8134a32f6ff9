// The limit on calls of the management API, as clients of any make see it.
import { getStatus } from "@tollgate/contract/status.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Gateway, startGateway } from "../harness/gateway-process.ts";

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ env: { API_RATE_LIMIT: "3", TRUSTED_PROXIES: "127.0.0.1" } });
});
afterAll(() => gateway.stop());

test("an address that calls too often is told how long to wait; others and the pages go on", async () => {
  const ask = (from: string, path: string = getStatus.path) =>
    fetch(gateway.url + path, { headers: { "x-forwarded-for": from } });
  const statuses = async (from: string, paths: string[]) => {
    const found = [];
    for (const path of paths) found.push((await ask(from, path)).status);
    return found;
  };
  // Whatever is asked for counts.
  expect(await statuses("10.0.0.1", ["/api/status", "/api/user/self", "/api/nothing"])).toEqual([200, 401, 404]);
  const refused = await ask("10.0.0.1");
  expect(refused.status).toBe(429);
  const wait = Number(refused.headers.get("retry-after"));
  expect(wait).toBeGreaterThan(0);
  expect(wait).toBeLessThanOrEqual(180);
  const told = (name: string) => refused.headers.get(`ratelimit-${name}`);
  expect([told("limit"), told("remaining"), told("reset")]).toEqual(["3", "0", String(wait)]);
  const requestId = refused.headers.get("x-oneapi-request-id");
  const message = "Too many requests. Please wait a moment and try again";
  expect(await refused.json()).toEqual({
    success: false,
    message,
    code: "too_many_requests",
    retry_after: wait,
    error: { message: `${message} (request id: ${requestId})`, type: "one_api_error" },
  });
  expect((await ask("10.0.0.2")).status).toBe(200);
  expect((await ask("10.0.0.1", "/login")).status).toBe(200);
  expect((await ask("10.0.0.1", "/v1/models")).status).toBe(401);
});
