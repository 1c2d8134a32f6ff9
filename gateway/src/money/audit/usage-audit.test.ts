import { expect, test } from "vitest";
import { readReportedTotals } from "./reported-totals.ts";
import { createUsageAudit, formatUsageAuditLines, rowsListedMax } from "./usage-audit.ts";
import { readUsageAuditRange } from "./usage-audit-range.ts";

const row = {
  id: 1,
  channel_id: 3,
  channel_name: "OpenAI",
  model_name: "gpt-5.4",
  quota: 70,
  prompt_tokens: 12,
  completion_tokens: 30,
  usage_details: JSON.stringify({
    family: "openai",
    reported: { prompt_tokens: 12, completion_tokens: 30 },
  }),
};
const details = (value: object): string => JSON.stringify(value);

test.each([
  [
    "openai",
    { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 },
    { prompt: 12, completion: 30 },
  ],
  ["openai", { input_tokens: 12, output_tokens: 30 }, { prompt: 12, completion: 30 }],
  [
    "anthropic",
    {
      input_tokens: 2,
      cache_read_input_tokens: 9,
      cache_creation_input_tokens: 1,
      output_tokens: 30,
    },
    { prompt: 12, completion: 30 },
  ],
  [
    "gemini",
    {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 2,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 25,
    },
    { prompt: 12, completion: 30 },
  ],
  [
    "converse",
    {
      inputTokens: 2,
      cacheReadInputTokens: 9,
      cacheReadInputTokenCount: 9,
      cacheWriteInputTokens: 1,
      outputTokens: 30,
    },
    { prompt: 12, completion: 30 },
  ],
])("the whole prompt and answer are read from the members of %s", (family, reported, totals) => {
  expect(readReportedTotals({ family, reported })).toEqual(totals);
});

test("a report without a count of tokens has no totals", () => {
  expect(readReportedTotals({ family: "openai", reported: { queue_time: 0.1 } })).toBeUndefined();
  expect(
    readReportedTotals({ family: "constructor", reported: { prompt_tokens: 1 } }),
  ).toBeUndefined();
  expect(readReportedTotals({ reason: "none_reported" })).toBeUndefined();
});

test("calls are summed by channel and model, with what was reported beside what was charged", () => {
  const audit = createUsageAudit();
  audit.add(row);
  audit.add({ ...row, id: 2, quota: 30, prompt_tokens: 13 });
  audit.add({ ...row, id: 3, model_name: "other" });
  const { calls, groups, mismatchCount } = audit.result();
  expect({ calls, mismatchCount }).toEqual({ calls: 3, mismatchCount: 0 });
  expect(groups).toMatchObject([
    {
      model: "gpt-5.4",
      calls: 2,
      quota: 100,
      reported: { prompt: 24 },
      charged: { prompt: 25, completion: 60 },
    },
    { model: "other", calls: 1 },
  ]);
});

test("a call that was charged for less than the provider's final count is a disagreement, unless its row says why", () => {
  const audit = createUsageAudit();
  const less = { ...row, completion_tokens: 29 };
  const reported = { family: "openai", reported: { prompt_tokens: 12, completion_tokens: 30 } };
  audit.add({ ...less, id: 7 });
  audit.add({ ...less, id: 8, usage_details: details({ ...reported, marks: ["usage_capped"] }) });
  audit.add({ ...less, id: 9, usage_details: details({ ...reported, reason: "distrusted" }) });
  const result = audit.result();
  expect(result.mismatches.map(({ logId }) => logId)).toEqual([7]);
  expect(formatUsageAuditLines(result)).toEqual(
    expect.arrayContaining([
      "log 7: reported 12 prompt and 30 completion tokens, charged 12 prompt and 29 completion tokens",
      "1 calls were charged for less than their provider's final count.",
    ]),
  );
});

test("estimates are listed by reason with their sum, and counts that the gateway does not know by their path", () => {
  const audit = createUsageAudit();
  for (let id = 1; id <= rowsListedMax + 1; id += 1)
    audit.add({ ...row, id, quota: 2, usage_details: details({ reason: "none_reported" }) });
  audit.add({
    ...row,
    id: 90,
    usage_details: details({ reason: "ended_early", unknown: ["fee_tokens"] }),
  });
  audit.add({ ...row, id: 91, usage_details: null });
  const result = audit.result();
  expect(result.estimated).toMatchObject([
    { reason: "none_reported", calls: rowsListedMax + 1, quota: 2 * (rowsListedMax + 1) },
    { reason: "ended_early", calls: 1, quota: 70, logIds: [90] },
  ]);
  expect(result.estimated[0]?.logIds).toHaveLength(rowsListedMax);
  expect(result.withoutRecord).toBe(1);
  expect(formatUsageAuditLines(result)).toContain(
    "counted by the provider and unknown to the gateway, fee_tokens: 1 calls",
  );
});

test("calls that failed without any usage are left out", () => {
  const audit = createUsageAudit();
  audit.add({ ...row, quota: 0, prompt_tokens: 0, completion_tokens: 0, usage_details: null });
  expect(audit.result().calls).toBe(0);
});

test("dates are whole days in UTC, and anything else is refused", () => {
  const now = Date.UTC(2026, 10, 22, 12);
  expect(
    readUsageAuditRange(
      { from: "2026-11-01", to: "2026-11-02", channel: "3", threshold: "2.5" },
      now,
    ),
  ).toEqual({
    from: Date.UTC(2026, 10, 1),
    to: Date.UTC(2026, 10, 3),
    channelId: 3,
    thresholdPercent: 2.5,
  });
  expect(readUsageAuditRange({}, now)).toEqual({
    from: Date.UTC(2026, 9, 23, 12),
    to: now,
    thresholdPercent: 1,
  });
  for (const wrong of [
    { from: "2026-13-01" },
    { from: "2026-02-29" },
    { to: "2026-11-31" },
    { from: "5" },
    { channel: "2026-11-01" },
    { channel: "1.5" },
    { threshold: "2026-11-01" },
    { to: "" },
    { from: "2026-11-05", to: "2026-11-04" },
  ])
    expect(readUsageAuditRange(wrong, now), JSON.stringify(wrong)).toBeUndefined();
});
