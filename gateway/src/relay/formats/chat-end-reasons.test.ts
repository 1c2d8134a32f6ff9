// The reasons of compatible servers in OpenAI's words, and which of them mean failure.
import { expect, test } from "vitest";
import { findEndReason, findFailedEnd } from "./chat-end-reasons.ts";

test.each([
  ["ERROR_TOXIC", "content_filter", false],
  ["ERROR", "ERROR", true],
  ["error: provider gone", "error: provider gone", true],
  ["sensitive", "content_filter", false],
  ["server_error", "server_error", true],
  ["stop", "stop", false],
])("%s means %s, and failure: %s", (finish_reason, expected, isFailed) => {
  expect(findEndReason({ finish_reason })).toBe(expected);
  expect(findFailedEnd({ finish_reason }) !== undefined).toBe(isFailed);
});
