// A provider's 400 that names a member: one corrected request, of which nothing but that member has
// changed.
import type { ConversationEndpoint } from "@tollgate/tests/conformance/conversation-scenario.ts";
import { callOf } from "@tollgate/tests/conformance/in-process-relay.ts";
import { describe, expect, test } from "vitest";
import type { RelayCall } from "../formats/api-format.ts";
import { embeddings } from "../formats/openai-basic-formats.ts";
import { KnownRefusals } from "./known-refusals.ts";
import { removeCertainRefusals } from "./own-format-rules.ts";
import { correctRefused } from "./refused-members.ts";

const asWritten =
  (endpoint: ConversationEndpoint) =>
  (body: string): RelayCall => ({
    ...callOf(endpoint),
    body: Buffer.from(body),
  });
const chat = asWritten("Chat Completions");
const messages = asWritten("Messages");
const response = asWritten("Responses");
const gemini = asWritten("Gemini");

const embeddingsCall = (body: string): RelayCall => ({
  ...chat(body),
  client: embeddings,
  upstream: embeddings.upstream,
});

const corrected = (
  call: RelayCall,
  message: string,
  param?: string,
  status = 400,
): string | undefined =>
  correctRefused(call, { status, message, param }, "m", {})?.call.body.toString("utf8");

describe("a refusal that names a member", () => {
  // The spaces show that all other bytes are the client's.
  const spaced = '{ "model":"m",  "temperature" : 0.30, "user":"u" , "messages":[ ]}';

  test.each([
    ["Unsupported value: 'temperature' does not support 0.3 with this model.", "temperature"],
    ["Unsupported parameter: 'temperature' is not supported with this model.", undefined],
    ["`temperature` is deprecated for this model.", undefined],
    ["temperature: Extra inputs are not permitted", undefined],
    ["property 'temperature' is unsupported", undefined],
    ["Unrecognized request argument supplied: temperature", undefined],
    ["Model x does not support parameter temperature.", undefined],
    [
      "[{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'Extra inputs are not permitted'}]",
      undefined,
    ],
  ])("is answered without it: %s", (message, param) => {
    const sent = corrected(chat(spaced), message, param) ?? "";
    expect(JSON.parse(sent)).toEqual({ model: "m", user: "u", messages: [] });
    expect(sent).toContain('"messages":[ ]');
  });

  test("fits a value where the table has a fit for it", () => {
    const long = "x".repeat(65);
    const sent =
      corrected(chat(`{"user":"${long}","n":1.50}`), "Invalid 'user': string too long.", "user") ??
      "";
    expect(sent).toMatch(/^\{"user":"[0-9a-f]{64}","n":1\.50\}$/);
  });

  test.each([
    [
      gemini('{"contents":[],"generationConfig":{ "topK":1.0,"presencePenalty":1}}'),
      "Penalty is not enabled for models/m",
    ],
    [
      gemini('{"contents":[],"generationConfig":{ "topK":1.0,"presencePenalty":1}}'),
      "Unknown name \"presence_penalty\" at 'generation_config': Cannot find field.",
    ],
  ])("leaves out a member inside of another", (call, message) => {
    expect(corrected(call, message)).toBe('{"contents":[],"generationConfig":{"topK":1.0}}');
  });

  test("leaves out the effort for a model that does not think", () => {
    const words = '"registry.ollama.ai/library/llama3:latest" does not support thinking';
    expect(corrected(chat('{"reasoning_effort":"low","messages":[]}'), words)).toBe(
      '{"messages":[]}',
    );
    expect(corrected(messages('{"thinking":{"type":"adaptive"},"messages":[]}'), words)).toBe(
      '{"messages":[]}',
    );
  });

  test("of Messages and Responses too", () => {
    expect(
      corrected(messages('{"top_k":4,"messages":[]}'), "top_k: Input should be less than 3"),
    ).toBe('{"messages":[]}');
    expect(
      corrected(
        response('{"input":"a","reasoning":{"effort":"low","summary":"auto"}}'),
        "x",
        "reasoning.summary",
      ),
    ).toBe('{"input":"a","reasoning":{"effort":"low"}}');
  });
});

describe("a refusal is told to the client", () => {
  const all =
    '{"model":"m","messages":[],"input":"temperature","tools":[],"response_format":{},"max_tokens":1,"max_completion_tokens":1,"n":2,"service_tier":"flex","temperature":1,"stop":["a"]}';
  test.each([
    ["messages", "Invalid value: 'messages[0].content'."],
    ["tools", "Invalid 'tools': array too long."],
    ["response_format", "'response_format' of type 'json_schema' is not supported"],
    ["max_tokens", "Unsupported parameter: 'max_tokens' is not supported with this model."],
    ["n", "'n' must be 1"],
    ["service_tier", "Invalid service_tier argument"],
    ["", "Something is wrong"],
    ["", "Please stop sending this"],
    ["", `${"the prompt said: ".repeat(30)}'temperature' is not supported`],
  ])("as it is, where it names %j", (param, message) => {
    expect(corrected(chat(all), message, param)).toBeUndefined();
  });

  test("where the request has no such member, and with any status but 400", () => {
    expect(
      corrected(chat('{"messages":[]}'), "Unsupported parameter: 'temperature'"),
    ).toBeUndefined();
    for (const status of [401, 403, 404, 422, 429, 500])
      expect(
        corrected(
          chat('{"temperature":1}'),
          "Unsupported parameter: 'temperature'",
          "temperature",
          status,
        ),
      ).toBeUndefined();
  });
});

describe("what a channel is known to refuse", () => {
  const place = { channelId: 1, host: "a.example", model: "m" };
  const call = chat('{"temperature":1,"messages":[]}');
  const known = () => {
    let now = 0;
    const refusals = new KnownRefusals(() => now);
    const { rule } =
      correctRefused(call, { status: 400, message: "x", param: "temperature" }, "m", {}) ?? {};
    if (!rule) throw new Error("the refusal names no rule");
    return {
      confirm: (owner: string, at = place) => refusals.confirm(at, rule, owner),
      sent: (at = place) => refusals.apply(call, at),
      wait: (ms: number) => {
        now += ms;
      },
    };
  };

  test("is left out at once when two owners have seen it, for a day", () => {
    const { confirm, sent, wait } = known();
    expect(sent().call).toBe(call);
    confirm("user 1");
    confirm("user 1");
    expect(sent().call).toBe(call);
    confirm("user 2");
    expect(sent().call.body.toString("utf8")).toBe('{"messages":[]}');
    expect(sent().lost).toEqual(["temperature"]);
    wait(24 * 3_600_000);
    expect(sent().call).toBe(call);
  });

  test("is known of that channel, host and model alone", () => {
    const { confirm, sent } = known();
    confirm("user 1");
    confirm("user 2");
    for (const other of [{ channelId: 2 }, { host: "b.example" }, { model: "m2" }])
      expect(sent({ ...place, ...other }).call).toBe(call);
  });

  test("is forgotten where the two did not meet within a day", () => {
    const { confirm, sent, wait } = known();
    confirm("user 1");
    wait(25 * 3_600_000);
    confirm("user 2");
    expect(sent().call).toBe(call);
  });
});

describe("a call of the API's own client", () => {
  const own = (call: RelayCall, model: string) =>
    removeCertainRefusals(call, model, {}).call.body.toString("utf8");
  test("keeps its bytes where the table names neither the model nor the provider", () => {
    const call = chat(`{"user":"${"x".repeat(99)}","temperature":0.50,"stop":["a"]}`);
    expect(removeCertainRefusals(call, "some-model", {}).call).toBe(call);
    const fine = chat('{"temperature":1,"messages":[{"content":"stop"}]}');
    expect(removeCertainRefusals(fine, "gpt-5", {}).call).toBe(fine);
  });

  test("loses what its model refuses, and nothing else changes", () => {
    const sent = removeCertainRefusals(
      chat('{"messages":[ ],"temperature":0.5,"stop":["a"],"n":1.0}'),
      "gpt-5",
      {},
    );
    expect(sent.call.body.toString("utf8")).toBe('{"messages":[ ],"n":1.0}');
    expect([...sent.lost].toSorted()).toEqual(["stop", "temperature"]);
  });

  test("keeps its limit under the name that the model reads", () => {
    expect(own(chat('{"messages":[ ],"max_tokens":5}'), "gpt-5")).toBe(
      '{"max_completion_tokens":5,"messages":[ ]}',
    );
    expect(own(chat('{"max_tokens":5}'), "gpt-4o")).toBe('{"max_tokens":5}');
  });

  test("loses a length of vectors where it is the model's only one, and no other", () => {
    const asked = '{"model":"m","input":["a"],"dimensions":1536}';
    expect(own(embeddingsCall(asked), "text-embedding-ada-002")).toBe(
      '{"model":"m","input":["a"]}',
    );
    expect(own(embeddingsCall(asked), "text-embedding-3-small")).toBe(asked);
    const other = asked.replace("1536", "512");
    expect(own(embeddingsCall(other), "text-embedding-ada-002")).toBe(other);
  });

  test("asks a model of Anthropic that decides by itself to do so", () => {
    const asked = messages(
      '{"thinking":{"type":"enabled","budget_tokens":2000},"top_p":0.5,"messages":[ ]}',
    );
    expect(own(asked, "claude-opus-4-7")).toBe('{"thinking":{"type":"adaptive"},"messages":[ ]}');
  });
});
