// The console's own key on a real call: charged like any other, and for one person alone.
import { afterAll, beforeAll, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import {
  chatBody,
  defaultCharge,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.given.channel({ key: "sim-as-play" });
});
afterAll(() => gateway.close());

test("a call with it is answered and charged, one dearer than its cap is not, and after signing out none is", async () => {
  const { token } = await gateway.api<{ token: string }>("POST", "/api/user/playground_token");
  const ask = async (body = chatBody()) => readReply(await gateway.send(token, body));
  expect((await ask()).status).toBe(200);
  await gateway.settled();
  expect((await gateway.logs()).map(({ token_name, quota }) => [token_name, quota])).toEqual([
    ["Playground", defaultCharge],
  ]);
  const dear = await ask(chatBody({ max_tokens: 130_000 }));
  expect(dear.status).toBe(403);
  const management = await fetch(`${gateway.url}/api/user/self`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(management.status).toBe(401);
  await management.text();
  await gateway.api("POST", "/api/user/logout");
  expect((await ask()).status).toBe(401);
});
