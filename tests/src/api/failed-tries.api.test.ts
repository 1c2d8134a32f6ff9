// A newcomer's first attempts: the gateway says what the client did wrong.

import { createToken, tokenStatus, updateTokenStatus } from "@tollgate/contract/accounts/tokens.ts";
import { listFailedTries } from "@tollgate/contract/figures/failed-calls.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let root: ApiSession;
let key: string;
const password = "correct horse battery";

beforeAll(async () => {
  gateway = await startTestGateway({ env: { INITIAL_ROOT_PASSWORD: password } });
  root = await gateway.signIn("root", password);
  key = (await root.call(createToken, { body: { name: "first", unlimited_quota: true } })).data.key;
});
afterAll(() => gateway.close());

const post = async (path: string, headers: Record<string, string>, model = "gpt-5") => {
  const body = JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] });
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  };
  await (await fetch(gateway.url + path, init)).text();
};
const tries = async () => (await root.call(listFailedTries, { query: { since: 0 } })).data;

test("each mistake of a client is named, newest first", async () => {
  const bearer = { authorization: `Bearer ${key}` };
  await post("/v1/v1/chat/completions", bearer);
  await post("/openai/chat/completions", bearer);
  await post("/v1/chat/completions", {});
  await post("/v1/chat/completions", { apikey: key });
  await post("/v1/chat/completions", { authorization: 'Bearer "sk-quoted"' });
  await post("/v1/chat/completions", { authorization: "Bearer sk-unknown" });
  await post("/v1/chat/completions", bearer, "gtp-5");
  const seen = await tries();
  expect(seen.map(({ finding }) => finding)).toEqual([
    "unknown_model",
    "unknown_key",
    "malformed_key",
    "wrong_header",
    "no_key",
    "missing_version",
    "doubled_version",
  ]);
  expect(seen[0]).toMatchObject({ model: "gtp-5", message: expect.stringContaining("gtp-5") });
  expect(JSON.stringify(seen)).not.toContain(key);

  // A key that is disabled is no unknown one.
  const { data: stopped } = await root.call(createToken, {
    body: { name: "stopped", unlimited_quota: true },
  });
  await root.call(updateTokenStatus, {
    body: { id: stopped.id, status: tokenStatus.disabled },
    query: { status_only: "1" },
  });
  await post("/v1/chat/completions", { authorization: `Bearer ${stopped.key}` });
  const [newest] = await tries();
  expect(newest).toMatchObject({
    finding: "refused",
    message: expect.stringContaining("is disabled"),
  });
});
