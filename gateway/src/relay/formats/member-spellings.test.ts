import { describe, expect, test } from "vitest";
import { parseOtherSpelling } from "./member-spellings.ts";

const kelvin = "\u212A";
const longS = "\u017F";

describe("a member in another case than the API's is found", { tags: ["S2-04", "S2-08"] }, () => {
  test.each([
    "MAX_TOKENS",
    "Max_completion_tokens",
    "maxtokens",
    "N",
    "Best_of",
    "Service_tier",
    "servicetier",
    "Models",
    "Tools",
    "Previous_Response_Id",
    "Web_Search_Options",
    "GenerationConfig",
    "Size",
    "QUALITY",
    "Input",
    `max_to${kelvin}ens`,
    `${longS}ervice_tier`,
  ])("%s", (name) => {
    expect(parseOtherSpelling({ model: "m", max_tokens: 1, [name]: 20_000 })).toBe(name);
  });
  test.each(["Type", "TYPE", "Function", "Model", "Name"])("%s of a tool", (name) => {
    const tools = [
      { type: "function", function: { name: "f" } },
      { type: "function", name: "g", [name]: "web_search" },
    ];
    expect(parseOtherSpelling({ model: "m", tools })).toBe(name);
  });
});

test.each([
  { model: "m", max_tokens: 1, messages: [], service_tier: "auto", n: 2 },
  {
    contents: [],
    generationConfig: { maxOutputTokens: 1 },
    systemInstruction: {},
    cachedContent: "c",
    serviceTier: "x",
  },
  { contents: [], generation_config: {}, system_instruction: {}, cached_content: "c" },
  {
    model: "m",
    Other: 1,
    xMaxTokens: 2,
    tools: [{ functionDeclarations: [] }, { googleSearch: {} }, null, "x"],
  },
  { model: "m", messages: [{ Role: "user", Content: "Max_tokens" }] },
  { model: "m", tools: "Type" },
  [],
  null,
])("%j has the members of the API", (json) => {
  expect(parseOtherSpelling(json)).toBeUndefined();
});
