import { expect, test } from "vitest";
import { composeNearestAddress, formatUnknownPathMessage } from "./unknown-path.ts";

test.each([
  ["/chat/completions", "/v1/chat/completions"],
  ["/openai/v1/chat/completions", "/v1/chat/completions"],
  ["/v1/v1/messages", "/v1/messages"],
  ["/v1/api/v1/models", "/v1/models"],
  ["/v1/v1/messages/count_tokens", "/v1/messages/count_tokens"],
  ["/api/v1/audio/speech", "/v1/audio/speech"],
  ["/models/gpt-5:generateContent", "/v1beta/models/gpt-5:generateContent"],
  ["/api/v1/chat/completions", "/v1/chat/completions"],
  ["/api/v1/credits", "/api/usage/token"],
  ["/v1/key", "/api/usage/token"],
  ["/v1/generation", "/api/log/token"],
  ["/api/generate", "/v1/chat/completions"],
  ["/api/tags", "/v1/models"],
  ["/kling/v1/videos/text2video", "/v1/videos"],
  ["/health", "/healthz"],
  ["/metrics", undefined],
  // There, but not with this method.
  ["/v1/chat/completions", undefined],
])("%s was probably meant as %s", (path, address) => {
  expect(composeNearestAddress(path)).toBe(address);
});

test("the message names the address, or where the API is", () => {
  expect(formatUnknownPathMessage("POST", "/chat/completions")).toBe(
    "There is no POST /chat/completions: use /v1/chat/completions",
  );
  expect(formatUnknownPathMessage("GET", "/metrics")).toContain("the API is below /v1");
});
