import { expect, test } from "vitest";
import { type ConnectReply, findProof, proposeModels, readModelNames } from "./connect-proof.ts";

const model = (name: string, is_usual: boolean) => ({
  name,
  input_price: null,
  output_price: null,
  is_usual,
});
const answer = { ok: true, message: "Hi", model: "small", elapsed_ms: 118 };
const reply = (changes: Partial<ConnectReply> = {}): ConnectReply => ({
  address_issue: "",
  source: "provider",
  list_failure: "",
  models: [model("big", true), model("small", true), model("odd", false)],
  test: answer,
  ...changes,
});

test.each([
  ["a list of the provider's", reply(), "listed", ["big", "small"]],
  [
    "a list, and a test that failed",
    reply({ test: { ...answer, ok: false } }),
    "listed",
    ["big", "small"],
  ],
  [
    "known names and an answer",
    reply({ source: "built-in", list_failure: "status 404" }),
    "answered",
    ["small"],
  ],
  [
    "a refused key",
    reply({ source: "built-in", list_failure: "status 401", test: { ...answer, ok: false } }),
    "nothing",
    [],
  ],
  [
    "no answer at all",
    reply({ source: "built-in", list_failure: "ENOTFOUND", test: null }),
    "nothing",
    [],
  ],
  [
    "a private address",
    reply({ source: "built-in", address_issue: "is private", test: null }),
    "nothing",
    [],
  ],
  ["an empty list", reply({ models: [], test: null }), "listed", []],
] as const)("%s proposes what was seen to work", (_, said, proof, proposed) => {
  expect(findProof(said)).toBe(proof);
  expect([...proposeModels(said)]).toEqual(proposed);
});

test("typed names are read one by one, each once", () => {
  expect(readModelNames(" gpt-5, gpt-5-mini\nclaude-opus-5;gpt-5 ")).toEqual([
    "gpt-5",
    "gpt-5-mini",
    "claude-opus-5",
  ]);
  expect(readModelNames(" , ")).toEqual([]);
});
