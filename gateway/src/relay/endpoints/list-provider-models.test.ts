import { findChannelType } from "@tollgate/contract/catalogue/channel-types.ts";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { buildProvider } from "../providers/provider-registry.ts";
import { composeModelListUrl, findModelNames } from "./list-provider-models.ts";

function listOf(
  type: number,
  base = findChannelType(type)?.defaultBaseUrl ?? "",
): string | undefined {
  const found = findChannelType(type);
  if (found === undefined) throw new Error(`no type ${type}`);
  const settings = {
    type: found,
    base,
    config: {},
    other: "",
    profiles: new Map<string, string>(),
  };
  return composeModelListUrl({
    settings,
    urlsFor: (model) => buildProvider(found).endpoints(settings, model),
  })?.href;
}

test.each([
  [1, undefined, "https://api.openai.com/v1/models"],
  [50, "https://models.example/v1", "https://models.example/v1/models"],
  [50, "https://models.example", "https://models.example/v1/models"],
  [14, undefined, "https://api.anthropic.com/v1/models?limit=1000"],
  [24, undefined, "https://generativelanguage.googleapis.com/v1beta/models?pageSize=1000"],
  [29, undefined, "https://api.groq.com/openai/v1/models"],
  [30, undefined, "http://localhost:11434/v1/models"],
  [16, undefined, "https://open.bigmodel.cn/api/paas/v4/models"],
  [33, undefined, undefined],
  [27, undefined, undefined],
])("the list of type %i at %s is %s", (type, base, expected) => {
  expect(listOf(type, base)).toBe(expected);
});

test.each([
  ["OpenAI's", { data: [{ id: "gpt-5" }, { id: "gpt-5-mini" }] }, ["gpt-5", "gpt-5-mini"]],
  ["a bare", [{ id: "meta/llama" }], ["meta/llama"]],
  ["Gemini's", { models: [{ name: "models/gemini-2.5-pro" }] }, ["gemini-2.5-pro"]],
  [
    "a hostile",
    { data: [{ id: "a,b" }, { id: "" }, { id: 7 }, null, { id: "x\ny" }, { id: "ok" }] },
    ["ok"],
  ],
  ["no", { error: "x" }, undefined],
])("names are read from %s list", (_, reply, names) => {
  expect(findModelNames(reply)).toEqual(names);
});

test("whatever a provider sends, names fit into the list of a channel", () => {
  fc.assert(
    fc.property(fc.anything(), (reply) => {
      for (const name of findModelNames(reply) ?? []) expect(name).toMatch(/^[^,\s]{1,200}$/);
    }),
  );
});
