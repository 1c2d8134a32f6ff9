// GitHub Copilot through the gateway. GitHub publishes no reference: modelled on what public
// clients of it do.
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  defaultCharge,
  question,
  startTestGateway,
  type TestGateway,
} from "../harness/test-gateway.ts";
import { type CannedProvider, completion, startCannedProvider, whole } from "./canned-provider.ts";

const copilot = 53;
const usage = { prompt_tokens: 6, completion_tokens: 12, total_tokens: 18 };
let upstream: CannedProvider;
let gateway: TestGateway;
let openai: OpenAI;
let isKnown = true;

beforeAll(async () => {
  upstream = await startCannedProvider();
  upstream.answer = (response, request) => {
    if (request.url !== "/copilot_internal/v2/token")
      return whole(completion("Hello", usage))(response);
    const isRight =
      request.method === "GET" && request.headers.authorization === "token gho_stored";
    if (isKnown && isRight) {
      const expires_at = Math.floor(Date.now() / 1000) + 1800;
      return whole({ token: "tid=1;exp=2:sig", expires_at, refresh_in: 1500 })(response);
    }
    response.writeHead(404, { "content-type": "application/json" }).end('{"message":"Not Found"}');
  };
  gateway = await startTestGateway({ upstreams: [upstream.url] });
  const channel = (models: string) =>
    gateway.given.channel({ type: copilot, key: "gho_stored", base_url: upstream.url, models });
  await channel("gpt-4.1");
  await channel("gpt-none");
  const { key } = await gateway.given.token();
  openai = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: key, maxRetries: 0 });
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

test("the stored token is exchanged once, and calls come from an editor with the other one", async () => {
  const ask = () =>
    openai.chat.completions.create({
      model: "gpt-4.1",
      messages: [{ role: "user", content: question }],
    });
  for (const { choices } of await Promise.all([ask(), ask()]))
    expect(choices[0]?.message.content).toBe("Hello");
  await ask();
  expect(upstream.requests.map(({ url }) => url).toSorted()).toEqual([
    "/chat/completions",
    "/chat/completions",
    "/chat/completions",
    "/copilot_internal/v2/token",
  ]);
  expect(upstream.requests.at(-1)?.headers).toMatchObject({
    authorization: "Bearer tid=1;exp=2:sig",
    "copilot-integration-id": "vscode-chat",
    "editor-version": expect.stringMatching(/^vscode\//),
    "editor-plugin-version": expect.stringMatching(/^copilot-chat\//),
  });
  expect(await gateway.lastLog()).toMatchObject({ quota: defaultCharge, outcome: "success" });
});

test("an account without Copilot is an error for the operator to fix", async () => {
  isKnown = false;
  const asked = { model: "gpt-none", messages: [{ role: "user" as const, content: question }] };
  const error: unknown = await openai.chat.completions
    .create(asked)
    .catch((cause: unknown) => cause);
  expect(error).toMatchObject({ status: 502, code: "upstream_credentials" });
  const { id, quota } = await gateway.lastLog();
  expect(quota).toBe(0);
  expect((await gateway.trace(id)).attempts).toMatchObject([
    { status: 404, error: expect.stringContaining("signing in: ") },
  ]);
});
