import { expect, test } from "vitest";
import type { JsonRecord } from "../wire/json-parts.ts";
import { findNeededTools, readDeclaredTools } from "./declared-tools.ts";

const f = { type: "function", name: "f" };
const search = { type: "web_search" };

test("tools are listed from every place of a request, those of a namespace one by one", () => {
  const brought = {
    type: "additional_tools",
    tools: [{ type: "namespace", name: "n", tools: [f, search] }],
  };
  const found = { type: "tool_search_output", tools: [f] };
  expect(readDeclaredTools({ tools: [search], input: [brought, { role: "user" }, found] })).toEqual(
    [search, f, search, f],
  );
  expect(readDeclaredTools({ tools: "none", input: "hi" })).toEqual([]);
});

const claudeShell = { type: "bash_20250124", name: "bash" };
const claudeSearch = { type: "web_search_20250305", name: "web_search" };
const googleFunctions = { functionDeclarations: [{ name: "f" }] };

test.each<[JsonRecord, ReturnType<typeof findNeededTools>]>([
  [{}, undefined],
  [{ tools: [f] }, "functions"],
  [{ tools: [f, search] }, "functions"],
  [{ tools: [{ name: "f", input_schema: {} }] }, "functions"],
  [{ tools: [{ type: "custom", custom: { name: "c" } }] }, "functions"],
  [{ tools: [googleFunctions] }, "functions"],
  [{ input: [{ type: "additional_tools", tools: [f] }] }, "functions"],
  [{ tools: [{ type: "tool_search", execution: "client" }] }, "functions"],
  // The client runs these, and no other API can say them.
  [{ tools: [{ type: "local_shell" }] }, "own_api"],
  [{ tools: [claudeShell] }, "own_api"],
  [{ tools: [claudeShell, { name: "f", input_schema: {} }] }, "functions"],
  // What the provider runs itself is left out, unless the request demands it.
  [{ tools: [search] }, undefined],
  [{ tools: [search], tool_choice: "auto" }, undefined],
  [{ tools: [search], tool_choice: "required" }, "own_api"],
  [{ tools: [search, f], tool_choice: { type: "web_search" } }, "own_api"],
  [{ tools: [claudeSearch], tool_choice: { type: "any" } }, "own_api"],
  [{ tools: [{ googleSearch: {} }] }, undefined],
  // A choice of none counts as no tools.
  [{ tools: [f], tool_choice: "none" }, undefined],
  [{ tools: [claudeShell], tool_choice: { type: "none" } }, undefined],
  [
    { tools: [googleFunctions], toolConfig: { functionCallingConfig: { mode: "NONE" } } },
    undefined,
  ],
])("%j needs of its tools: %s", (body, needed) => {
  expect(findNeededTools(body)).toBe(needed);
});

test("a tool is found however many namespaces are around it", () => {
  const wrapped = Array.from({ length: 9 }).reduce<JsonRecord>(
    (tool) => ({ type: "namespace", name: "n", tools: [tool] }),
    search,
  );
  expect(readDeclaredTools({ tools: [wrapped] })).toEqual([search]);
});
