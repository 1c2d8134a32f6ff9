// The limits on calls of the management API, as clients of any make see them.
import { getStatus } from "@tollgate/contract/site/status.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ApiSession, sendTo, signInSession } from "../harness/api-session.ts";
import { type GatewayProcess, startGatewayProcess } from "../harness/gateway-process.ts";

const password = "a password for tests";

describe("a limit of three calls", () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      env: { API_RATE_LIMIT: "3", TRUSTED_PROXIES: "127.0.0.1" },
    });
  });
  afterAll(() => gateway.stop());

  const ask = (from: string, path: string = getStatus.path) =>
    fetch(gateway.url + path, { headers: { "x-forwarded-for": from } });
  const statuses = async (from: string, paths: string[]) => {
    const found = [];
    for (const path of paths) found.push((await ask(from, path)).status);
    return found;
  };

  test("an address that calls too often is refused and learns how long to wait; others and the pages are served", {
    tags: ["F-125"],
  }, async () => {
    expect(await statuses("10.0.0.1", Array(3).fill(getStatus.path))).toEqual([200, 200, 200]);
    const refused = await ask("10.0.0.1");
    expect(refused.status).toBe(429);
    const wait = Number(refused.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(180);
    const limitHeader = (name: string) => refused.headers.get(`ratelimit-${name}`);
    expect([limitHeader("limit"), limitHeader("remaining"), limitHeader("reset")]).toEqual([
      "3",
      "0",
      String(wait),
    ]);
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

  test("every requested route counts towards the limit, whether it exists or not", async () => {
    const paths = ["/api/status", "/api/user/self", "/api/nothing", "/api/token/"];
    const asked = Array.from({ length: 3 }, () => paths).flat();
    expect(new Set(await statuses("10.0.1.1", asked))).toEqual(new Set([200, 401, 404]));
    const refused = await ask("10.0.1.1", "/api/group/");
    expect([refused.status, refused.headers.get("ratelimit-limit")]).toEqual([429, "12"]);
    expect((await ask("10.0.1.2", "/api/group/")).status).toBe(401);
  });
});

describe("the usual limits", () => {
  let gateway: GatewayProcess;
  let root: ApiSession["request"];
  let other: ApiSession["request"];
  beforeAll(async () => {
    gateway = await startGatewayProcess({
      env: { API_RATE_LIMIT: "480", INITIAL_ROOT_PASSWORD: password },
    });
    root = (await signInSession(sendTo(gateway.url), "root", password)).request;
    const username = "colleague";
    await root("POST", "/api/user/", { username, password, quota: 0 });
    other = (await signInSession(sendTo(gateway.url), username, password)).request;
  });
  afterAll(() => gateway.stop());

  test("F-125 500 calls of one cheap route leave the rest of the page, and other users, what they need", {
    tags: ["F-125"],
  }, async () => {
    const statuses: number[] = [];
    for (let batch = 0; batch < 20; batch += 1) {
      const replies = await Promise.all(
        Array.from({ length: 25 }, () => root("GET", "/api/status")),
      );
      statuses.push(...replies.map(({ status }) => status));
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(480);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
    for (const path of [
      "/api/user/self",
      "/api/token/",
      "/api/channel/",
      "/api/log/",
      "/api/user/dashboard",
    ])
      expect((await root("GET", path)).status, path).toBe(200);
    // At the same address.
    expect((await other("GET", "/api/status")).status).toBe(200);
    expect((await fetch(gateway.url + getStatus.path)).status).toBe(200);
  });

  test("searches and downloads have few calls of their own, each user for themselves", {
    tags: ["F-125"],
  }, async () => {
    const rows = [
      {
        most: 30,
        paths: ["/api/token/search?keyword=x", "/api/log/self/search?keyword=x"],
        what: "searches",
      },
      { most: 5, paths: ["/api/log/self/export"], what: "downloads" },
    ];
    for (const { most, paths, what } of rows) {
      const asked = Array.from({ length: most }, (_, index) => paths[index % paths.length] ?? "");
      for (const path of asked) expect((await root("GET", path)).status, what).toBe(200);
      const refused = await root("GET", paths[0] ?? "");
      expect([refused.status, refused.headers.get("ratelimit-limit")], what).toEqual([
        429,
        String(most),
      ]);
      expect(Number(refused.headers.get("retry-after")), what).toBeLessThanOrEqual(63);
      expect((await other("GET", paths[0] ?? "")).status, what).toBe(200);
    }
    expect((await root("GET", "/api/token/")).status).toBe(200);
  });
});
