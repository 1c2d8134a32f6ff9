import { expect, test } from "vitest";
import { buildEntryAddress } from "./entry-address.ts";

const key = { authorization: "Bearer sk-1" };

test.each([
  ["POST", "/chat/completions", { path: "/v1/chat/completions" }],
  ["POST", "/messages", { path: "/v1/messages" }],
  ["POST", "/messages/count_tokens", { path: "/v1/messages/count_tokens" }],
  ["OPTIONS", "/embeddings", { path: "/v1/embeddings" }],
  ["POST", "/engines/gpt-5/chat/completions", { path: "/v1/chat/completions", model: "gpt-5" }],
  ["POST", "/openai/deployments/a%2Fb/embeddings", { path: "/v1/embeddings", model: "a/b" }],
  [
    "POST",
    "/openai/deployments/team/gpt-5/chat/completions",
    { path: "/v1/chat/completions", model: "team/gpt-5" },
  ],
  ["POST", "/anthropic/v1/messages/count_tokens", { path: "/v1/messages/count_tokens" }],
  ["POST", "/gemini/v1beta/models/g:generateContent", { path: "/v1beta/models/g:generateContent" }],
  ["POST", "/v2/rerank", { path: "/v1/rerank" }],
  ["GET", "/models", { path: "/v1/models" }],
])("%s %s is an endpoint", (method, path, expected) => {
  expect(buildEntryAddress({ method, headers: key }, path)).toEqual(expected);
});

test.each([
  ["POST", "/v1/chat/completions"],
  ["GET", "/chat/completions"],
  ["POST", "/api/chat/completions"],
  ["POST", "/openai/v1/chat/completions"],
  ["POST", "/openai/deployments/gpt-5/fine_tuning/jobs"],
  ["POST", "/anthropic/login"],
  ["POST", "/models"],
  ["GET", "/users"],
])("%s %s stays what it is", (method, path) => {
  expect(buildEntryAddress({ method, headers: key }, path)).toEqual({ path });
});

test("people see the page of models", () => {
  expect(buildEntryAddress({ method: "GET", headers: {} }, "/models")).toEqual({ path: "/models" });
  const browser = { ...key, accept: "text/html,application/xhtml+xml" };
  expect(buildEntryAddress({ method: "GET", headers: browser }, "/models")).toEqual({
    path: "/models",
  });
});
