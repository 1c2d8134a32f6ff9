import { describe, expect, test } from "vitest";
import type { RelayCall } from "./api-format.ts";
import { chatCompletions } from "./chat-completions.ts";
import { gemini } from "./gemini.ts";
import { findGeminiCounter, findGeminiFormat } from "./gemini-endpoints.ts";
import { parseGeminiUsage } from "./usage/gemini-usage.ts";

const contents = [{ role: "user", parts: [{ text: "Hello" }] }];
const asked = (json: object): RelayCall => ({
  ...gemini.parseRequest(json, false),
  client: gemini,
  upstream: gemini.upstream,
  headers: [],
  body: Buffer.from(JSON.stringify(json)),
});
const call = asked({ contents });
const replyOf = (parts: unknown, more: object = {}) => ({
  candidates: [{ content: { role: "model", parts }, ...more }],
});
const event = (data: object) => `data: ${JSON.stringify(data)}\r\n\r\n`;

describe("the address of a call", () => {
  const readAt = (path: string, target = path) =>
    findGeminiFormat(path, target)?.parseRequest({ contents }, false);

  test.each([
    ["/v1beta/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro"],
    ["/v1/models/gemini-2.5-pro:generateContent", "gemini-2.5-pro"],
    ["/v1beta/models/vendor%2Fname:generateContent", "vendor/name"],
    ["/v1beta/models/llama:8b:generateContent", "llama:8b"],
    ["/v1beta/models/100%:generateContent", "100%"],
  ])("%s names the model %s", (path, model) => {
    expect(readAt(path)).toMatchObject({ model, isStream: false });
  });

  test("tells whether the client wants events", () => {
    const path = "/v1beta/models/m:streamGenerateContent";
    for (const query of ["?alt=sse", "?key=k&alt=sse", "?alt=sse&key=k"]) {
      expect(readAt(path, path + query)).toMatchObject({ isStream: true });
    }
    expect(findGeminiFormat(path, `${path}?alt=ssee`)?.endpoint).toBe("gemini_list");
  });

  test.each([
    "/v1beta/models/m",
    "/v1beta/models/m:paint",
    "/v1beta/models/:generateContent",
    "/v2/models/m:generateContent",
  ])("%s is none", (path) => {
    expect(findGeminiFormat(path, path)).toBeUndefined();
  });

  test("counts a prompt, also inside a whole request", () => {
    const { format, totalField } = findGeminiCounter("/v1beta/models/m:countTokens") ?? {};
    expect(totalField).toBe("totalTokens");
    expect(format?.parseRequest({ generateContentRequest: { contents } }, false)).toMatchObject({
      model: "m",
    });
    expect(
      format?.upstream.urlFor?.(new URL("https://google.example/models"), call, "m").href,
    ).toMatch(/\/m:countTokens$/);
    for (const odd of [null, 7, "x", [], {}, { generateContentRequest: null }]) {
      expect(() => format?.parseRequest(odd, false)).toThrow(/contents|body/);
    }
    expect(findGeminiCounter("/v1beta/models/m:generateContent")).toBeUndefined();
  });

  test("upstream uses the channel's name of the model", () => {
    const models = new URL("https://google.example/v1beta/models");
    expect(gemini.upstream.urlFor?.(models, call, "a/b")?.href).toBe(
      "https://google.example/v1beta/models/a%2Fb:generateContent",
    );
    expect(gemini.upstream.urlFor?.(models, { ...call, isStream: true }, "m")?.href).toBe(
      "https://google.example/v1beta/models/m:streamGenerateContent?alt=sse",
    );
  });
});

describe("a call", () => {
  test("is read with its limits, in both spellings", () => {
    const snake = { generation_config: { max_output_tokens: 90, candidate_count: 3 } };
    expect(asked({ contents, ...snake })).toMatchObject({ maxOutputTokens: 90, choiceCount: 3 });
    const camel = { generationConfig: { maxOutputTokens: 500 } };
    expect(asked({ contents, ...snake, ...camel })).toMatchObject({
      maxOutputTokens: 500,
      choiceCount: 3,
    });
    expect(call).toMatchObject({ maxOutputTokens: undefined, choiceCount: 1 });
  });

  test("estimates images as images and audio by its length", () => {
    const weight = (mimeType: string, length: number) =>
      asked({ contents: [{ parts: [{ inlineData: { mimeType, data: "A".repeat(length) } }] }] })
        .promptEstimate;
    expect(weight("image/png", 10)).toBe(weight("image/png", 1_000_000));
    expect(weight("audio/mp3", 1_000_000) - weight("audio/mp3", 0)).toBe(2_000);
  });

  test.each([
    {},
    { contents: [] },
    { contents: "hi" },
    { contents: [null] },
    { contents: [{ parts: "hi" }] },
    null,
  ])("%j is refused in words", (json) => {
    expect(() => gemini.parseRequest(json, false)).toThrow(/contents|body/);
  });

  test("passes unchanged, except the channel's system prompt", () => {
    expect(gemini.upstream.writeBody(call, "other", null)).toBe(call.body);
    const changed = JSON.parse(String(gemini.upstream.writeBody(call, "other", "Be brief.")));
    expect(changed).toEqual({ contents, systemInstruction: { parts: [{ text: "Be brief." }] } });
  });
});

describe("a stream", () => {
  test("reports the content of each event", () => {
    const read = gemini.upstream.createEventReader(call);
    const stream = [
      replyOf([{ text: "hm", thought: true }]),
      replyOf([{ text: "word" }]),
      replyOf([{ functionCall: { name: "f", args: { a: 1 } }, thoughtSignature: "c2ln" }]),
      replyOf([{ inlineData: { mimeType: "image/png", data: "aGk=" } }]),
      replyOf([{ text: "" }], { finishReason: "STOP" }),
    ];
    expect(
      stream
        .map((one) => read(event(one)))
        .map(({ kind, textBytes, isLast }) => [kind, textBytes, isLast]),
    ).toEqual([
      ["content", 2, false],
      ["content", 4, false],
      ["content", 7, false],
      ["content", 0, false],
      ["other", 0, true],
    ]);
  });

  test("reports the usage so far with each event", () => {
    const read = gemini.upstream.createEventReader(call);
    const early = { ...replyOf([{ text: "word" }]), usageMetadata: { promptTokenCount: 5 } };
    expect(read(event(early)).usage?.usage).toMatchObject({ input: 5, output: 0 });
    const later = { ...early, usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 2 } };
    expect(read(event(later)).usage?.usage).toMatchObject({ input: 5, output: 2 });
  });

  test("whose prompt was blocked has ended", () => {
    expect(
      gemini.upstream.createEventReader(call)(event({ promptFeedback: { blockReason: "SAFETY" } })),
    ).toMatchObject({
      isLast: true,
    });
  });

  test("with an error is an error", () => {
    const error = { code: 503, message: "busy", status: "UNAVAILABLE" };
    expect(gemini.upstream.createEventReader(call)(event({ error }))).toMatchObject({
      kind: "error",
      error,
    });
  });

  test.each(["data: {broken\n\n", "data: [1]\n\n", "data: 7\n\n"])("%j is malformed", (text) => {
    expect(gemini.upstream.createEventReader(call)(text).kind).toBe("malformed");
  });

  test.each([null, 7, "x", [], [null], [[]], {}])(
    "with %j in any position causes no error",
    (odd) => {
      const read = gemini.upstream.createEventReader(call);
      for (const data of [
        { candidates: odd },
        { candidates: [{ content: odd, finishReason: odd }] },
        replyOf(odd),
        replyOf([{ text: odd, functionCall: odd, executableCode: odd, codeExecutionResult: odd }]),
        { candidates: [], usageMetadata: odd, promptFeedback: odd },
      ]) {
        expect(read(event(data)).kind).toBeTypeOf("string");
        expect(() => gemini.upstream.readReply(data)).not.toThrow();
      }
    },
  );
});

describe("a whole reply", () => {
  test("is read with reasoning, tool arguments and code", () => {
    const parts = [
      { text: "hm", thought: true },
      { text: "word" },
      { functionCall: { name: "f", args: { a: 1 } } },
      { executableCode: { language: "PYTHON", code: "1+1" } },
      { codeExecutionResult: { outcome: "OUTCOME_OK", output: "2" } },
    ];
    const facts = gemini.upstream.readReply({
      ...replyOf(parts),
      usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 4 },
    });
    expect(facts).toMatchObject({
      text: 'hmword{"a":1}1+12',
      usage: { usage: { input: 3, output: 4 } },
    });
  });
  test("of another format is rejected, but a blocked one is accepted", () => {
    expect(gemini.upstream.readReply({ choices: [] })).toBeUndefined();
    expect(gemini.upstream.readReply({ promptFeedback: { blockReason: "SAFETY" } })).toMatchObject({
      text: "",
    });
  });
});

describe("usage", () => {
  test("is split into disjoint buckets", () => {
    const wire = {
      promptTokenCount: 10,
      cachedContentTokenCount: 6,
      candidatesTokenCount: 4,
      thoughtsTokenCount: 30,
    };
    expect(parseGeminiUsage({ ...wire, toolUsePromptTokenCount: 7 })).toMatchObject({
      usage: { input: 11, cache_read: 6, cache_write_5m: 0, cache_write_1h: 0, output: 34 },
      hiddenOutput: 30,
      isCorrected: false,
    });
  });
  test("counts what is not text as hidden", () => {
    const candidatesTokensDetails = [
      { modality: "TEXT", tokenCount: 2 },
      { modality: "IMAGE", tokenCount: 1_290 },
    ];
    expect(
      parseGeminiUsage({ candidatesTokenCount: 1_292, candidatesTokensDetails })?.hiddenOutput,
    ).toBe(1_290);
  });
  test("with more cached than prompt tokens is clamped and flagged", () => {
    const read = parseGeminiUsage({
      promptTokenCount: 3,
      cachedContentTokenCount: 9,
      candidatesTokenCount: 1,
    });
    expect(read).toMatchObject({ usage: { input: 0, cache_read: 3 }, isCorrected: true });
  });
  test.each([
    null,
    "1",
    {},
    { promptTokenCount: -1 },
    { promptTokenCount: 1.5 },
    { candidatesTokenCount: "4" },
  ])("%j counts nothing", (wire) => {
    expect(parseGeminiUsage(wire)).toBeUndefined();
  });
});

describe("what Google looked up", () => {
  const usageMetadata = { promptTokenCount: 5, candidatesTokenCount: 2 };
  const grounded = (webSearchQueries: unknown[], more: object = {}) =>
    replyOf([{ text: "ok" }], { groundingMetadata: { webSearchQueries, ...more } });
  const readReply = (reply: object) =>
    gemini.upstream.readReply({ ...reply, usageMetadata })?.usage;

  test("is charged as different searches, of which empty ones are free, and as one call with searches", () => {
    const read = readReply(grounded(["alps", "", "lakes", "alps", 7]));
    expect(read?.usage).toMatchObject({ web_searches: 2, grounded_requests: 1 });
    expect(read?.wire?.members).toMatchObject({ groundingMetadata: { webSearchQueries: 2 } });
    for (const reply of [replyOf([{ text: "ok" }]), grounded([]), grounded([""])]) {
      expect(Object.keys(readReply(reply)?.usage ?? {})).not.toContain("web_searches");
    }
  });
  test("is charged once, in whichever events of a stream it comes", () => {
    const read = gemini.upstream.createEventReader(call);
    const usagesOf = (reply: object) => read(event({ ...reply, usageMetadata })).usage?.usage;
    expect(usagesOf(replyOf([{ text: "o" }]))).not.toHaveProperty("web_searches");
    expect(usagesOf(grounded(["alps"]))).toMatchObject({ web_searches: 1, grounded_requests: 1 });
    expect(usagesOf(grounded(["alps", "lakes"]))).toMatchObject({
      web_searches: 2,
      grounded_requests: 1,
    });
    expect(usagesOf(replyOf([{ text: "k" }], { finishReason: "STOP" }))).toMatchObject({
      web_searches: 2,
    });
  });
  test("is a call with places where one is among its sources", () => {
    const placed = readReply(grounded([], { groundingChunks: [{ maps: { title: "Bern" } }] }));
    expect(placed?.usage).toMatchObject({ web_searches: 1, map_requests: 1 });
    const paged = readReply(grounded([], { groundingChunks: [{ web: { title: "Bern" } }] }));
    expect(paged?.usage).not.toHaveProperty("map_requests");
  });
  test("is set aside for a request with such a tool", { tags: ["S2-04"] }, () => {
    const contents = [{ parts: [{ text: "Where?" }] }];
    expect(gemini.parseRequest({ contents, tools: [{ googleMaps: {} }] }, false).extras).toEqual({
      web_searches: 1,
      map_requests: 1,
    });
    expect(gemini.parseRequest({ contents }, false)).not.toHaveProperty("extras");
  });
});

test("an end for other reasons is a failure for clients of other APIs alone", () => {
  const reply = replyOf([{ text: "half" }], { finishReason: "OTHER" });
  expect(gemini.upstream.errorIn?.(reply, { ...call, client: chatCompletions })?.status).toBe(502);
  expect(gemini.upstream.errorIn?.(reply, call)).toBeUndefined();
});

test("a refusal has Google's format, also in lists", () => {
  const refusal = { status: 429, type: "one_api_error", code: "rate_limited", message: "Too many" };
  const path = "/v1beta/models/m:streamGenerateContent";
  const error = {
    code: 429,
    message: "Too many (request id: r)",
    status: "RESOURCE_EXHAUSTED",
    details: [{ "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason: "rate_limited" }],
  };
  expect(JSON.parse(gemini.errorFormat.errorBody(refusal, "r"))).toEqual({ error });
  expect(
    JSON.parse(findGeminiFormat(path, path)?.errorFormat.errorBody(refusal, "r") ?? ""),
  ).toEqual([{ error }]);
});
