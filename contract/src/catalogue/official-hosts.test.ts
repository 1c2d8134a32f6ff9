import { expect, test } from "vitest";
import { channelTypes } from "./channel-types.ts";
import { hasOfficialHost, mayReportFalseUsage } from "./official-hosts.ts";

/** Resellers, and types whose administrator enters any address. */
const withoutOwnHost = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 13, 21, 22, 43, 50, 52];

test("the default address of every provider is its own, but not that of a reseller", {
  tags: ["S2-02"],
}, () => {
  const strangers = channelTypes
    .filter(({ id }) => !hasOfficialHost(id, "", {}))
    .map(({ id }) => id);
  expect(strangers).toEqual(withoutOwnHost);
});

test.each<[number, string, object, boolean]>([
  [1, "https://api.openai.com/v1", {}, true],
  [1, "https://eu.api.openai.com", {}, true],
  [1, "https://api.openai.com.example.org", {}, false],
  [1, "https://example.org/api.openai.com", {}, false],
  [1, "https://fakeapi.openai.com", {}, false],
  [1, "no address", {}, false],
  [3, "https://mine.openai.azure.com", {}, true],
  [3, "https://openai.azure.com.evil.example", {}, false],
  [14, "https://api.openai.com", {}, false],
  [33, "https://bedrock.example", {}, false],
  [50, "https://api.deepseek.com", {}, true],
  [50, "http://localhost:11434", {}, false],
  [30, "", {}, true],
  [1, "", { endpoint_urls: { embeddings: "https://example.org/e" } }, false],
  [
    1,
    "",
    { endpoint_urls: { embeddings: "/e", chat_completions: "https://api.openai.com/c" } },
    true,
  ],
])(
  "type %i at %j with %j has an official host: %s",
  { tags: ["S2-02"] },
  (type, address, config, isOfficial) => {
    expect(hasOfficialHost(type, address, config)).toBe(isOfficial);
    expect(mayReportFalseUsage(type, address, config)).toBe(!isOfficial);
  },
);

test("the operator's own word counts more than the host", { tags: ["S2-02"] }, () => {
  expect(mayReportFalseUsage(1, "", { may_report_false_usage: true })).toBe(true);
  expect(mayReportFalseUsage(50, "https://example.org", { may_report_false_usage: false })).toBe(
    false,
  );
  expect(mayReportFalseUsage(50, "https://example.org", { may_report_false_usage: "no" })).toBe(
    true,
  );
});
