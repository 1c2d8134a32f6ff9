// Limits without a row of the table: the provider names the member and its limit, and its words
// reach the client of each dialect (decision 108).
import { describe, expect, test } from "vitest";
import { anthropicMessages } from "../formats/anthropic-messages.ts";
import { geminiErrors } from "../formats/gemini-errors.ts";
import { openAiErrors } from "../formats/openai-errors.ts";
import { buildErrorFromResponse } from "../upstream/upstream-error.ts";
import type { JsonRecord } from "../wire/json-parts.ts";

const openAi = (message: string, param: string): JsonRecord => ({
  error: {
    message,
    type: "invalid_request_error",
    param,
    code: "array_above_max_length",
  },
});
const anthropic = (message: string): JsonRecord => ({
  type: "error",
  error: { type: "invalid_request_error", message },
});
const google = (message: string): JsonRecord => ({
  error: { code: 400, message, status: "INVALID_ARGUMENT" },
});

const refusals: readonly (readonly [string, JsonRecord])[] = [
  [
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead.",
    openAi("", "tools"),
  ],
  [
    "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length 2049 instead.",
    openAi("", "input"),
  ],
  [
    "messages.4.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    anthropic(""),
  ],
  [
    "messages.0.content.0.image.source.base64: image exceeds 5 MB maximum: 6316132 bytes > 5242880 bytes",
    anthropic(""),
  ],
  ["messages: too many images and documents: 21 + 0 > 20", { message: "" }],
  ["* BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch", google("")],
  [
    "<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents",
    openAi("", ""),
  ],
  ["This model does not support specifying dimensions.", openAi("", "")],
];

const withWords = (body: JsonRecord, message: string): JsonRecord =>
  "error" in body
    ? { ...body, error: { ...(body.error as JsonRecord), message } }
    : { ...body, message };

describe.each(refusals)("%s", (message, shape) => {
  const error = buildErrorFromResponse(
    400,
    Buffer.from(JSON.stringify(withWords(shape, message))),
    {},
    0,
  );

  test("is the request's own fault, and none of the length of the conversation", () => {
    expect(error).toMatchObject({ isRetryable: false, isVerbatim: true });
    expect(error.requestFault).toBeUndefined();
  });

  test.each([
    ["OpenAI's APIs", openAiErrors],
    ["Messages", anthropicMessages.errorFormat],
    ["Gemini", geminiErrors],
  ])("reaches a client of %s in the provider's words", (_, { errorBody }) => {
    const { error: told } = JSON.parse(errorBody(error.refusal, "1")) as {
      error: { message: string };
    };
    expect(error.refusal.status).toBe(400);
    expect(told.message.startsWith(message)).toBe(true);
  });
});
