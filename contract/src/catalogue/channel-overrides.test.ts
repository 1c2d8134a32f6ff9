import { expect, test } from "vitest";
import { formatChannelIssueMessage } from "./channel-issues.ts";
import { findOverridesIssue } from "./channel-overrides.ts";

const messageOf = (config: object) => {
  const issue = findOverridesIssue(JSON.stringify(config));
  return issue && formatChannelIssueMessage(issue);
};

test.each([
  {},
  { custom_headers: {} },
  { custom_headers: { "X-Title": "Tollgate", Authorization: "Token {{key}}" } },
  { param_override: { temperature: 0.2, metadata: { a: [1] }, top_k: null } },
  { multi_key: true, region: "eu" },
  { pass_cost_members: true },
  { buying_factor: 0 },
  { buying_factor: 0.000_001 },
  { buying_factor: 1_000 },
  { region_price_factor: 1.1 },
  { region_price_factor: 10 },
  { region_price_factor: 0.1 },
  { allow_unknown_state: false, known_state_ids: ["file-1"] },
])("%o is accepted", (config) => {
  expect(messageOf(config)).toBeUndefined();
});

test.each([
  [{ custom_headers: ["a"] }, "Custom headers must be an object of names and values"],
  [{ custom_headers: null }, "Custom headers must be an object of names and values"],
  [{ custom_headers: { "a b": "c" } }, 'Header "a b" is not a valid name'],
  [{ custom_headers: { "": "c" } }, 'Header "" is not a valid name'],
  [{ custom_headers: { "x\r\ny": "c" } }, 'Header "x\r\ny" is not a valid name'],
  [{ custom_headers: { hOsT: "c" } }, "Header hOsT cannot be set"],
  [{ custom_headers: { "Content-Length": "1" } }, "Header Content-Length cannot be set"],
  [{ custom_headers: { "Transfer-Encoding": "x" } }, "Header Transfer-Encoding cannot be set"],
  [{ custom_headers: { Connection: "close" } }, "Header Connection cannot be set"],
  [{ custom_headers: { "x-n": 1 } }, "Header x-n must hold text"],
  [{ custom_headers: { "x-n": "a\r\nb: c" } }, "Header x-n must hold one line of plain characters"],
  [{ custom_headers: { "x-n": "雪" } }, "Header x-n must hold one line of plain characters"],
  [
    { custom_headers: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`x-${n}`, ""])) },
    "There can be at most 50 custom headers",
  ],
  [{ param_override: [] }, "Overridden parameters must be an object"],
  [{ param_override: "a" }, "Overridden parameters must be an object"],
  [{ param_override: { model: "m" } }, "Parameter model cannot be overridden"],
  [{ param_override: { a: 1, stream: false } }, "Parameter stream cannot be overridden"],
  [{ param_override: { messages: null } }, "Parameter messages cannot be overridden"],
  [{ multi_key: "yes" }, "Setting multi_key must be true or false"],
  [{ known_state_ids: "file-1" }, "Setting known_state_ids must be a list of at most 1000 ids"],
  [{ known_state_ids: [1] }, "Setting known_state_ids must be a list of at most 1000 ids"],
  [{ send_trace_context: "yes" }, "Setting send_trace_context must be true or false"],
  ...["0.8", null, -0.1, 0.000_000_9, 1_000.1].map((buying_factor): [object, string] => [
    { buying_factor },
    "Setting buying_factor must be 0 or a number from 0.000001 to 1000",
  ]),
  ...[0, 0.09, 10.5, -1, "1.1", true, null, 1.1234567].map((factor): [object, string] => [
    { region_price_factor: factor },
    "Setting region_price_factor must be a number from 0.1 to 10 with at most 6 decimals",
  ]),
  [{ pass_cost_members: 1 }, "Setting pass_cost_members must be true or false"],
])("%o is refused: %s", (config, message) => {
  expect(messageOf(config)).toBe(message);
});

test("a config that is no JSON object has no issue with overrides", () => {
  expect([findOverridesIssue(""), findOverridesIssue("[]"), findOverridesIssue("{")]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
