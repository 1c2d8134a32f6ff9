// Providers that take the call and send nothing, or stop in the middle: what each interface
// answers, and what it costs.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readReply } from "../harness/api-session.ts";
import { question, startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { type CannedProvider, chunk, startCannedProvider } from "./canned-provider.ts";

const user = [{ role: "user", content: question }];
const entries: [name: string, path: string, body: object, isStreaming: boolean][] = [
  ["chat completions", "/v1/chat/completions", { messages: user }, true],
  ["completions", "/v1/completions", { prompt: question }, false],
  ["responses", "/v1/responses", { input: question }, true],
  ["messages", "/v1/messages", { messages: user, max_tokens: 20 }, true],
  [
    "Gemini",
    "/v1beta/models/MODEL:generateContent",
    { contents: [{ parts: [{ text: question }] }] },
    false,
  ],
  ["embeddings", "/v1/embeddings", { input: question }, false],
  ["moderations", "/v1/moderations", { input: question }, false],
  ["rerank", "/v1/rerank", { query: question, documents: ["one"] }, false],
  ["pictures", "/v1/images/generations", { prompt: question }, false],
  ["speech", "/v1/audio/speech", { input: question, voice: "alloy" }, false],
];
/** Images have a longer timeout, so no test waits for them here. */
const silent = entries.filter(([name]) => name !== "pictures");

let gateway: TestGateway;
let upstream: CannedProvider;
let key: string;
beforeAll(async () => {
  upstream = await startCannedProvider();
  gateway = await startTestGateway({
    upstreams: [upstream.url],
    env: { UPSTREAM_TIMEOUT_SECONDS: "1" },
  });
  key = (await gateway.given.token()).key;
});
afterAll(async () => {
  expect(await gateway.audit()).toBe("The books agree.");
  await gateway.close();
  await upstream.close();
});

const ask = async (path: string, model: string, body: object) =>
  readReply(
    await fetch(gateway.url + path.replace("MODEL", model), {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ ...(path.includes("MODEL") ? {} : { model }), ...body }),
    }),
  );

const compatible = (models: string) => ({
  type: 50,
  key: "upstream-key",
  base_url: upstream.url,
  models,
});

describe("a provider that never answers", () => {
  test.each(silent)(
    "%s: the client gets an error, the prompt is charged, the trace has the reason",
    { tags: ["FT-05", "S2-07"] },
    async (name, path, body) => {
      const model = `silent-${name.replaceAll(" ", "-")}`;
      const config = JSON.stringify({
        supported_endpoints: [
          "rerank",
          "moderations",
          "completions",
          "embeddings",
          "audio_speech",
          "chat_completions",
        ],
      });
      await gateway.given.channel({ ...compatible(model), config });
      upstream.answer = () => undefined;
      const { status, body: told } = await ask(path, model, body);
      expect(status).toBe(504);
      expect(JSON.stringify(told)).toContain("took the request and sent nothing");
      await gateway.settled();
      const row = await gateway.lastLog();
      expect(row).toMatchObject({ outcome: "cut", completion_tokens: 0 });
      expect(row.quota).toBe(row.prompt_tokens);
      expect((await gateway.trace(row.id)).attempts).toMatchObject([
        { status: 0, outcome: "failed", error: "UND_ERR_HEADERS_TIMEOUT" },
      ]);
    },
  );
});

describe("a provider that stops in the middle of a stream", () => {
  test.each(entries.filter(([, , , isStreaming]) => isStreaming))(
    "%s: the stream ends with an error event, and what was relayed is charged",
    { tags: ["FT-05"] },
    async (name, path, body) => {
      const model = `stalled-${name.replaceAll(" ", "-")}`;
      await gateway.given.channel(compatible(model));
      upstream.answer = (response) => {
        response.writeHead(200, { "content-type": "text/event-stream" });
        response.write(chunk("one ") + chunk("two ") + chunk("three"));
      };
      const { status, text } = await ask(path, model, { ...body, stream: true });
      expect(status).toBe(200);
      expect(text).toContain("one ");
      expect(text).toContain("The upstream cut the stream before it was complete");
      await gateway.settled();
      const row = await gateway.lastLog();
      expect(row).toMatchObject({
        outcome: "cut",
        completion_tokens: 3,
        content: expect.stringContaining("UND_ERR_BODY_TIMEOUT"),
      });
      expect(row.quota).toBeGreaterThan(0);
    },
  );
});
