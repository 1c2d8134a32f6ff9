import fc from "fast-check";
import { expect, test } from "vitest";
import { charge, noUsage, thawPrice } from "../../money/price.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { anthropicBatches } from "./anthropic-batches.ts";
import type { BatchTerms } from "./batch-terms.ts";
import { addLine, batchCharge, emptySum, lostBatchCharge } from "./batch-usage.ts";
import { creationOutcome } from "./created-batch.ts";
import { openAiBatches } from "./openai-batches.ts";

const terms = (changes: Partial<BatchTerms> = {}): BatchTerms => ({
  snapshot: {
    username: "ann",
    token_name: "key",
    origin_model_name: "m",
    is_stream: false,
    url: "/v1/batches",
    method: "POST",
    body_size: 0,
    received_at: 0,
  },
  tokenId: 1,
  group: "default",
  endpoint: "/v1/chat/completions",
  inputFileId: "file-1",
  channelName: "channel",
  model: "m",
  price: {
    rates: { input: "150001", output: "600007" },
    tiers: [{ above: 1_000, above_output: 0, rates: { input: "300001", output: "900001" } }],
    group_ratio: 1_100_000,
    source: "test",
    source_date: "",
    verified: true,
  },
  lines: 10,
  promptEstimate: 100,
  promptMax: 1_000_000,
  completionMax: 1_000_000,
  isDistrusted: false,
  isPromptSeen: true,
  hasBudgets: false,
  elapsedMs: 0,
  ...changes,
});

const answered = (prompt_tokens: number, completion_tokens: number): JsonRecord => ({
  object: "chat.completion",
  choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
  usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
});

test("a batch costs what its lines would cost as calls, each at the rates for its own length, rounded up once", () => {
  const line = fc.record({ input: fc.integer({ min: 0, max: 3_000 }), output: fc.integer({ min: 0, max: 500 }) });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
      const sum = emptySum();
      for (const { input, output } of lines) addLine(sum, answered(input, output), chatCompletions.upstream, terms());
      const { units, charged } = batchCharge(sum, terms({ lines: lines.length }));
      const { price } = terms();
      const single = lines.map(({ input, output }) =>
        charge(thawPrice(price), { ...noUsage, input, output }, price.group_ratio),
      );
      const total = single.reduce((all, one) => all + one, 0);
      // Each call alone is rounded up to a whole unit.
      expect(units).toBeLessThanOrEqual(total);
      expect(units).toBeGreaterThan(total - lines.length);
      expect(charged.usage.input).toBe(lines.reduce((all, { input }) => all + input, 0));
    }),
  );
});

test("the price in the row explains the charge where all lines have the same rates", () => {
  const sum = emptySum();
  for (let count = 0; count < 20; count += 1) addLine(sum, answered(900, 7), chatCompletions.upstream, terms());
  const { units, charged, price } = batchCharge(sum, terms({ lines: 20 }));
  expect(units).toBe(charge(thawPrice(price), charged.usage, price.group_ratio));
});

test("the answer in a line of a result is found in both dialects, and nothing in a line that failed", () => {
  const answer = answered(1, 1);
  expect(openAiBatches.answerIn({ response: { status_code: 200, body: answer } })).toBe(answer);
  expect(anthropicBatches.answerIn({ result: { type: "succeeded", message: answer } })).toBe(answer);
  for (const line of [
    {},
    { response: { status_code: 200 } },
    { response: { status_code: 500, body: {} } },
    { result: null },
    { result: { type: "succeeded" } },
    { result: { type: "errored", message: answer } },
  ])
    expect([openAiBatches.answerIn(line), anthropicBatches.answerIn(line)]).toEqual([undefined, undefined]);
});

test("lines that failed cost nothing", () => {
  const sum = emptySum();
  for (let count = 0; count < 6; count += 1) addLine(sum, undefined, chatCompletions.upstream, terms());
  expect([sum.answered, sum.failed, batchCharge(sum, terms()).units]).toEqual([0, 6, 0]);
});

test("counts of a provider that may report falsely are replaced where they are far from what was seen", () => {
  const sum = emptySum();
  addLine(sum, answered(900_000, 900_000), chatCompletions.upstream, terms());
  const trusted = batchCharge(sum, terms());
  expect(trusted.charged.usage).toMatchObject({ input: 900_000, output: 900_000 });
  const distrusted = batchCharge(sum, terms({ isDistrusted: true }));
  expect(distrusted.charged).toMatchObject({ reason: "distrusted", usage: { input: 10 } });
  expect(distrusted.units).toBeLessThan(trusted.units / 1_000);
  const capped = batchCharge(sum, terms({ lines: 1, promptMax: 1_000, completionMax: 100 }));
  expect(capped.charged.usage).toMatchObject({ input: 1_000, output: 100 });
});

test("a lost result costs the estimate of the prompts", () => {
  const { units, charged } = lostBatchCharge(terms());
  expect(charged.usage).toEqual({ ...noUsage, input: 100 });
  expect(units).toBeGreaterThan(0);
});

test("the provider's list tells a batch that it took from one that it did not", () => {
  const row = { created_at: 1_000_000_000 };
  const at = (seconds: number, more: object = {}) => ({
    id: "batch_1",
    input_file_id: "file-1",
    endpoint: "/v1/chat/completions",
    created_at: seconds,
    ...more,
  });
  const hourLater = row.created_at + 3_600_000;
  const outcome = (data: unknown, has_more = false, now = hourLater) =>
    creationOutcome({ data, has_more }, row, terms(), openAiBatches, now).state;
  expect(outcome([at(1_000_005)])).toBe("taken");
  for (const other of [
    at(1_000_005, { input_file_id: "file-2" }),
    at(1_000_005, { endpoint: "/v1/responses" }),
    at(1_000_005, { id: "../x" }),
    at(990_000),
  ])
    expect(outcome([other])).toBe("not_taken");
  expect(outcome([])).toBe("not_taken");
  expect(outcome([], false, row.created_at + 60_000)).toBe("unknown");
  expect(outcome([at(1_003_000, { input_file_id: "file-2" })], true)).toBe("unknown");
  expect(outcome("nothing")).toBe("unknown");
});

test("a message batch ends as its counts and its cancellation say", () => {
  const ended = { processing_status: "ended", cancel_initiated_at: null, request_counts: { succeeded: 1, expired: 0 } };
  expect(anthropicBatches.endOf(ended)).toBe("completed");
  expect(anthropicBatches.endOf({ ...ended, request_counts: { expired: 2 } })).toBe("expired");
  expect(anthropicBatches.endOf({ ...ended, cancel_initiated_at: "2026-11-23T00:00:00Z" })).toBe("cancelled");
  for (const running of [{}, { processing_status: "canceling" }, { processing_status: 1 }])
    expect(anthropicBatches.endOf(running)).toBeUndefined();
});
