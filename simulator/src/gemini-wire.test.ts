import { expect, test } from "vitest";
import { geminiWire } from "./gemini-wire.ts";
import { generateAnswer } from "./simulated-answer.ts";
import { InvalidRequestError } from "./wire-format.ts";

const body = { contents: [{ role: "user", parts: [{ text: "one two three" }] }] };
const envelope = { id: "1", model: "m", createdSeconds: 0, usageHidden: false };
const path = "/v1beta/models/m:generateContent";
const streamPath = "/v1beta/models/m:streamGenerateContent?alt=sse";

test("the path names the operation and the model", () => {
  expect(geminiWire.operationOf("POST", path)).toBe("chat");
  expect(geminiWire.operationOf("GET", "/v1beta/models")).toBe("models");
  expect(geminiWire.operationOf("POST", "/v1beta/models/m:paint")).toBeUndefined();
  expect(geminiWire.readRequest(body, path)).toMatchObject({ model: "m", stream: false });
  expect(geminiWire.readRequest(body, streamPath)).toMatchObject({ model: "m", stream: true });
});

test("a stream has the words of the whole answer, a running count and a separate reasoning count", () => {
  const question = geminiWire.readRequest(body, streamPath);
  const answer = generateAnswer(question, { text: "Hello there", reasoningTokens: 5 });
  const parsed = [...geminiWire.events(answer, envelope, question)].map(({ kind, text }) => [
    kind,
    JSON.parse(text.slice("data: ".length)),
  ]);
  expect(parsed).toMatchObject([
    [
      "content",
      {
        candidates: [{ content: { parts: [{ text: "Hello" }] } }],
        usageMetadata: { candidatesTokenCount: 1 },
      },
    ],
    [
      "content",
      {
        candidates: [{ content: { parts: [{ text: " there" }] } }],
        usageMetadata: { candidatesTokenCount: 2 },
      },
    ],
    [
      "frame",
      {
        candidates: [{ finishReason: "STOP" }],
        usageMetadata: { thoughtsTokenCount: 5, totalTokenCount: 13 },
      },
    ],
  ]);
  expect(geminiWire.responseBody(answer, envelope)).toMatchObject({
    candidates: [{ content: { parts: [{ text: "Hello there" }] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 6, candidatesTokenCount: 2, totalTokenCount: 13 },
  });
});

test.each([
  [undefined, path],
  [{}, path],
  [{ contents: [] }, path],
  [{ contents: [1] }, path],
  [body, "/v1beta/models/m:streamGenerateContent"],
])("%j at %s is refused", (request, target) => {
  expect(() => geminiWire.readRequest(request, target)).toThrow(InvalidRequestError);
});
