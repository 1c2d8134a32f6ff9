// Bodies of Anthropic's API for the clouds that host its models.
import { expect, test } from "vitest";
import { listHostedBetas, stripMembers } from "./hosted-claude.ts";

const strip = (body: string): string => stripMembers(Buffer.from(body), ["model"]).toString();

test("a mark for the cache loses its scope, and all else keeps its bytes", () => {
  const mark = '{"type":"ephemeral","ttl":"1h","scope":"global"}';
  const system = `[{"type":"text","text":"s","cache_control":${mark}}]`;
  const input = '{"cache_control":{"scope":"mine"},"n":12345678901234567890}';
  const messages = `[{"content":[{"type":"tool_use","input":${input},"cache_control":${mark}}]}]`;
  expect(strip(`{"model":"m","system":${system},"messages":${messages},"max_tokens":1.0}`)).toBe(
    `{"system":${system.replace(',"scope":"global"', "")},"messages":${messages.replace(',"scope":"global"', "")},"max_tokens":1.0}`,
  );
});

test("a tool waits for no search where none is asked for", () => {
  const tool = '{"name":"f","input_schema":{"properties":{"defer_loading":{}}}}';
  const waiting = tool.replace("{", '{"defer_loading":true,');
  expect(strip(`{"tools":[${waiting}]}`)).toBe(`{"tools":[${tool}]}`);
  const searched = `{"tools":[{"type":"tool_search_tool_regex_20251119","name":"s"},${waiting}]}`;
  expect(strip(searched)).toBe(searched);
});

test("flags that only Anthropic knows are left out, and one has another name", () => {
  const flags = [
    ...["claude-code-20250219", "prompt-caching-2024-07-31", "structured-outputs-2025-12-15"],
    ...["interleaved-thinking-2025-05-14", "advanced-tool-use-2025-11-20"],
  ];
  expect(listHostedBetas(["anthropic-beta", flags.join(", ")])).toEqual([
    ...["interleaved-thinking-2025-05-14", "tool-search-tool-2025-10-19"],
  ]);
});

test("words about scopes stay as they are", () => {
  const body = '{"messages":[{"content":"\\"cache_control\\": {\\"scope\\": 1 }"} ]}';
  expect(strip(body)).toBe(body);
});
