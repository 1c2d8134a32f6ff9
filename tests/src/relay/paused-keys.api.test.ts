// Calls with a paused key over a running gateway: refused in the words of each API, by no library
// sent again, until it is resumed.

import { tokenStatus, updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { expectOneTryOfEach } from "../support/library-tries.ts";

let gateway: TestGateway;
let root: ApiSession;
beforeAll(async () => {
  gateway = await startTestGateway();
  root = await gateway.root();
  await gateway.given.channel({ key: "sim-ok", models: "plain" });
});
afterAll(() => gateway.close());

const body = { model: "plain", max_tokens: 12 };
const messages = [{ role: "user" as const, content: question }];
const setStatus = (id: number, status: number, pause_reason?: string) =>
  root.call(updateTokenStatus, {
    query: { status_only: "1" },
    body: { id, status, ...(pause_reason !== undefined && { pause_reason }) },
  });

test("a paused key is refused in the words of each API, and no library sends the call again", async () => {
  const { key, id } = await gateway.given.token();
  expect((await gateway.chat(key, body)).status).toBe(200);
  await setStatus(id, tokenStatus.paused, "it loops");

  const refused = await gateway.chat(key, body);
  expect(refused.status).toBe(403);
  expect(refused.headers.get("x-should-retry")).toBe("false");
  expect(refused.headers.get("retry-after")).toBeNull();
  expect(refused.body.error).toMatchObject({
    type: "tollgate_error",
    code: "key_paused",
    param: null,
  });
  expect(refused.body.error.message).toMatch(
    /^The API key is paused: it loops\. It works again when its owner or an administrator resumes it \(request id/,
  );

  const ask = async (path: string, sent: object) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(sent),
    });
    return {
      status: response.status,
      retry: response.headers.get("x-should-retry"),
      body: await response.json(),
    };
  };
  expect(await ask("/v1/messages", { ...body, messages })).toMatchObject({
    ...{ status: 403, retry: "false" },
    body: { type: "error", error: { type: "permission_error", code: "key_paused" } },
  });
  expect(await ask("/v1/responses", { model: "plain", input: question })).toMatchObject({
    ...{ status: 403, retry: "false" },
    body: { error: { code: "key_paused" } },
  });
  const contents = [{ parts: [{ text: question }] }];
  expect(await ask("/v1beta/models/plain:generateContent", { contents })).toMatchObject({
    ...{ status: 403, retry: "false" },
    body: { error: { status: "PERMISSION_DENIED", details: [{ reason: "key_paused" }] } },
  });

  await expectOneTryOfEach(gateway.url, key, body, 403);

  const { data } = await root.call(checkCall, { query: { token: id, ...body } });
  expect(data.refusals).toMatchObject([{ step: "key", status: 403, code: "key_paused" }]);
  await setStatus(id, tokenStatus.enabled);
  expect((await gateway.chat(key, body)).status).toBe(200);
});

test("the holder of a paused key still reads who paused it and why, and one of a disabled key does not", async () => {
  const { key, id } = await gateway.given.token();
  const read = async (path: string) => {
    const response = await fetch(gateway.url + path, {
      headers: { authorization: `Bearer ${key}` },
    });
    return { status: response.status, body: await response.json() };
  };
  expect(await read("/v1/budget")).toMatchObject({
    status: 200,
    body: { paused: null, bodies: "" },
  });
  await setStatus(id, tokenStatus.paused, "it loops");
  const paused = { by: "owner", name: "", reason: "it loops" };
  expect(await read("/v1/budget")).toMatchObject({ status: 200, body: { paused, bodies: "" } });
  expect(await read("/api/usage/token")).toMatchObject({
    status: 200,
    body: { data: { paused, bodies: "" } },
  });
  await setStatus(id, tokenStatus.disabled);
  expect((await read("/v1/budget")).status).toBe(401);
});
