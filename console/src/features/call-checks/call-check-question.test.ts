import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildQuery, buildQuestion, buildSearch } from "./call-check-question.ts";

test("an address without a question asks about the reader, with chat completions", () => {
  expect(buildQuestion({})).toEqual({
    token: "",
    user: "",
    model: "",
    endpoint: "chat_completions",
    max_tokens: "",
  });
});

test("a question survives its address, whatever stands there", () => {
  const value = fc.oneof(
    fc.string(),
    fc.integer(),
    fc.constantFrom("embeddings", "12", "0", null, {}),
  );
  const search = fc.record({
    token: value,
    user: value,
    model: value,
    endpoint: value,
    max_tokens: value,
  });
  fc.assert(
    fc.property(search, (found) => {
      const question = buildQuestion(found);
      expect(buildQuestion(buildSearch(question))).toEqual(question);
    }),
  );
});

test("a key names its user, so both are never sent", () => {
  const question = buildQuestion({ token: 7, user: "8", model: "small", max_tokens: "12" });
  expect(buildQuery(question)).toEqual({
    token: "7",
    model: "small",
    endpoint: "chat_completions",
    max_tokens: "12",
  });
});
