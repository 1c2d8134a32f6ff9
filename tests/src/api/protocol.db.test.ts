import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

describe.each(testDatabases.slice(0, 1))("the HTTP layer", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
  });
  afterAll(() => gateway.close());

  /** The first line and the body of whatever comes back on a bare socket. */
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1", () =>
        socket.end(text),
      );
      let reply = "";
      socket.on("data", (chunk) => {
        reply += chunk;
      });
      socket.on("close", () => resolve(reply));
      socket.on("error", reject);
    });

  test("unknown routes are 404 in the envelope, whatever the method", async () => {
    for (const [method, path] of [
      ["GET", "/api/nothing"],
      ["PATCH", "/api/token/"],
      ["POST", "/api/status"],
      ["GET", "/api/TOKEN/"],
      ["GET", "/api/token/1/2"],
    ] as const) {
      const reply = await root(method, path);
      expect([reply.status, reply.body.code, reply.body.success], path).toEqual([
        404,
        "route_not_found",
        false,
      ]);
      expect(reply.headers.get("x-oneapi-request-id")).toMatch(/^\d{21}$/);
    }
  });

  test("collections answer with and without the slash", async () => {
    for (const path of [
      "/api/token",
      "/api/token/",
      "/api/channel",
      "/api/log",
      "/api/group",
      "/api/models/",
      "/api/user/self/",
    ])
      expect((await root("GET", path)).body.success, path).toBe(true);
  });

  test("every reply carries the headers that tell browsers how to treat it", {
    tags: ["F-97"],
  }, async () => {
    const { headers } = await gateway.visitor("GET", "/api/status");
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("x-frame-options")).toBe("DENY");
    expect(headers.get("access-control-allow-origin")).toBeNull();
  });

  test("bodies are JSON objects of bounded size and depth", async () => {
    const post = (text: string, headers: Record<string, string> = {}) =>
      root("POST", "/api/token/", { text, headers });
    const codes = async (text: string, headers?: Record<string, string>) => {
      const { status, body } = await post(text, headers);
      return [status, body.code];
    };
    expect(await codes("{")).toEqual([400, "malformed_json"]);
    expect(await codes("")).toEqual([400, "malformed_json"]);
    expect(await codes(`{"name":${"[".repeat(200)}${"]".repeat(200)}}`)).toEqual([
      400,
      "malformed_json",
    ]);
    expect(await codes(`{"name":[${"0,".repeat(100_000)}0]}`)).toEqual([413, "body_too_large"]);
    expect(await codes(`{"name":"${"x".repeat(1024 * 1024)}"}`)).toEqual([413, "body_too_large"]);
    expect(await codes('{"name":"a"}', { "content-type": "text/plain" })).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(await codes("name=a", { "content-type": "application/x-www-form-urlencoded" })).toEqual([
      415,
      "unsupported_media_type",
    ]);
    expect(
      await codes('{"name":"a","name":"b","__proto__":{"admin":true}}', {
        "content-type": "application/json;charset=utf-8",
      }),
    ).toEqual([200, undefined]);
    expect(await codes('{"name":"a","remain_quota":1e400}')).toEqual([400, "invalid_request"]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test("a body without a length is counted while it arrives", async () => {
    const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
    const reply = await raw(
      `POST /api/user/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${chunk.repeat(4)}0\r\n\r\n`,
    );
    expect(reply).toMatch(/^HTTP\/1.1 413/);
  });

  test("no spelling of a path or Host reaches a protected route without a session", {
    tags: ["F-02"],
  }, async () => {
    const paths = [
      "//api/channel/",
      "/api/./channel/",
      "/api/%2e/channel/",
      "/API/CHANNEL/",
      "/api/channel/;x",
      "/api/channel/%00",
    ];
    for (const path of [
      ...paths,
      "/api%2fchannel/",
      "/x/../api/channel/",
      "http://evil/api/channel/",
      "/api/channel/?/api/status",
    ]) {
      const reply = await raw(`GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
      expect(reply, path).toMatch(/^HTTP\/1.1 (400|401|404)/);
    }
    for (const host of ["x/api/status?", "x#", "x/..", "", "a\r\nHost: b"]) {
      const reply = await raw(
        `GET /api/channel/ HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
      );
      expect(reply, host).toMatch(/^HTTP\/1.1 (400|401|404)/);
    }
  });

  test("status says what the console needs before a sign-in", async () => {
    const { body } = await gateway.visitor("GET", "/api/status");
    expect(body.data).toMatchObject({
      version: "1.0.0",
      quota_per_unit: 500_000,
      display_in_currency: true,
      password_login: true,
    });
    const set = gateway.db.sql
      .insertInto("options")
      .values({ key: "SystemName", value: "Acme", updated_at: 1 });
    await gateway.db.write([{ query: set }], { changes: ["options"] });
    await expect
      .poll(async () => (await gateway.visitor("GET", "/api/status")).body.data.system_name)
      .toBe("Acme");
  });

  test("every call is one event, without its content", async () => {
    await root("GET", "/api/token/0");
    expect(gateway.events.at(-1)).toMatchObject({
      event: "api",
      method: "GET",
      route: "/api/token/:id",
      status: 400,
      code: "invalid_request",
      user_id: 1,
      address: "127.0.0.1",
      request_id: expect.stringMatching(/^\d{21}$/),
    });
    await gateway.visitor("POST", "/api/user/login", {
      body: { username: "canary-name", password: "canary-password" },
    });
    expect(JSON.stringify(gateway.events)).not.toContain("canary");
  });

  test("the API describes itself", async () => {
    const response = await fetch(`${gateway.url}/api/openapi.json`);
    const document = (await response.json()) as {
      openapi: string;
      paths: Record<string, Record<string, { security: unknown[] }>>;
    };
    expect(document.openapi).toBe("3.1.0");
    expect(Object.keys(document.paths)).toContain("/api/token/{id}");
    expect(document.paths["/api/token/"]?.put).toMatchObject({ requestBody: { required: true } });
    expect(document.paths["/api/user/login"]?.post?.security).toEqual([]);
  });

  test("nothing went wrong inside", () => expect(gateway.problems).toEqual([]));
});
