import { expect, test } from "vitest";
import {
  createFailedTries,
  describeFinding,
  findFindingOfPath,
  type RefusedCall,
} from "./failed-tries.ts";

const refused = (changes: Partial<RefusedCall>): RefusedCall => ({
  path: "/v1/chat/completions",
  query: "",
  headers: {},
  refusal: { status: 401, message: "The API key is not valid" },
  hasCredential: false,
  caller: undefined,
  model: "",
  ...changes,
});

test.each([
  ["/v1/v1/chat/completions", "doubled_version"],
  ["/v1/api/v1/models", "doubled_version"],
  ["/chat/completions", "missing_version"],
  ["/openai/chat/completions", "missing_version"],
  ["/messages", "missing_version"],
  ["/v1/chat/completions", undefined],
  ["/channels", undefined],
  ["/models", "missing_version"],
])("the path %s is %s", (path, finding) => expect(findFindingOfPath(path)).toBe(finding));

test.each([
  ["no key at all", {}, "no_key"],
  ["a key in a header of another gateway", { headers: { apikey: "x" } }, "wrong_header"],
  ["a key in the address", { query: "api_key=x" }, "wrong_header"],
  [
    "an unknown key",
    { hasCredential: true, headers: { authorization: "Bearer sk-abc" } },
    "unknown_key",
  ],
  [
    "a variable as key",
    { hasCredential: true, headers: { authorization: "Bearer $API_KEY" } },
    "malformed_key",
  ],
  [
    "Bearer twice",
    { hasCredential: true, headers: { authorization: "Bearer Bearer sk-a" } },
    "malformed_key",
  ],
  ["a key in quotes", { hasCredential: true, headers: { "x-api-key": '"sk-a"' } }, "malformed_key"],
  [
    "a path that does not exist",
    { path: "/v1/chat", refusal: { status: 404, message: "" } },
    "unknown_path",
  ],
  [
    "a misspelt model",
    {
      caller: { userId: 1 },
      model: "gtp-5",
      refusal: { status: 404, code: "model_not_found", message: "The model gtp-5 does not exist" },
    },
    "unknown_model",
  ],
  [
    "an empty wallet",
    { caller: { userId: 1 }, refusal: { status: 403, message: "The balance" } },
    "refused",
  ],
  ["an overloaded gateway", { refusal: { status: 503, message: "too much" } }, undefined],
] as const)("a call with %s is recognised", (_, changes, finding) => {
  expect(describeFinding(refused(changes))).toBe(finding);
});

test("texts of a call are shown to the owner of its key alone, other calls to users at the same address", () => {
  let now = 1_000_000;
  const tries = createFailedTries(() => now);
  tries.record("10.0.0.1", refused({ caller: { userId: 7 }, model: "secret-model" }));
  tries.record("10.0.0.1", refused({ model: "typed by a stranger" }));
  const seen = (address: string, userId: number) => tries.of({ address, userId, since: 0 });
  expect(seen("10.0.0.1", 7).map(({ finding, model }) => [finding, model])).toEqual([
    ["no_key", ""],
    ["refused", "secret-model"],
  ]);
  expect(seen("10.0.0.1", 8).map(({ finding }) => finding)).toEqual(["no_key"]);
  expect(seen("10.0.0.2", 7).map(({ finding }) => finding)).toEqual(["refused"]);
  now += 11 * 60_000;
  expect(seen("10.0.0.1", 7)).toEqual([]);
});

test("a flood of refused calls is bounded", () => {
  const tries = createFailedTries(() => 5);
  for (let count = 0; count < 5_000; count += 1) tries.recordPath("10.0.0.1", "/chat/completions");
  expect(tries.of({ address: "10.0.0.1", userId: 1, since: 0 })).toHaveLength(20);
});
