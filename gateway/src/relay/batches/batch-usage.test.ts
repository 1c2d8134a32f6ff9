import fc from "fast-check";
import { expect, test } from "vitest";
import { charge, noUsage, thawPrice, type Usage } from "../../money/prices/price.ts";
import type { ReplyFacts, UpstreamFormat } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import type { ReportedUsage } from "../formats/usage/reported-usage.ts";
import { computeOpaqueTokens } from "../formats/usage/written-output.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { anthropicBatches } from "./anthropic-batches.ts";
import type { BatchTerms } from "./batch-terms.ts";
import { addLine, buildBatchCharge, buildLostBatchCharge, emptySum } from "./batch-usage.ts";
import { buildCreationOutcome } from "./created-batch.ts";
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
  // Each answer shows a token of text, below which no count is believed.
  const line = fc.record({
    input: fc.integer({ min: 0, max: 3_000 }),
    output: fc.integer({ min: 1, max: 500 }),
  });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 30 }), (lines) => {
      const sum = emptySum();
      for (const { input, output } of lines)
        addLine(sum, answered(input, output), chatCompletions.upstream, terms());
      const { units, charged } = buildBatchCharge(sum, terms({ lines: lines.length }));
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
  for (let count = 0; count < 20; count += 1)
    addLine(sum, answered(900, 7), chatCompletions.upstream, terms());
  const { units, charged, price } = buildBatchCharge(sum, terms({ lines: 20 }));
  expect(units).toBe(charge(thawPrice(price), charged.usage, price.group_ratio));
});

test("the answer in a line of a result is found in both dialects, and nothing in a line that failed", () => {
  const answer = answered(1, 1);
  expect(openAiBatches.answerIn({ response: { status_code: 200, body: answer } })).toBe(answer);
  expect(anthropicBatches.answerIn({ result: { type: "succeeded", message: answer } })).toBe(
    answer,
  );
  for (const line of [
    {},
    { response: { status_code: 200 } },
    { response: { status_code: 500, body: {} } },
    { result: null },
    { result: { type: "succeeded" } },
    { result: { type: "errored", message: answer } },
  ])
    expect([openAiBatches.answerIn(line), anthropicBatches.answerIn(line)]).toEqual([
      undefined,
      undefined,
    ]);
});

/** A format whose replies have these facts. */
const replying = (facts: ReplyFacts | undefined): UpstreamFormat => ({
  ...chatCompletions.upstream,
  readReply: () => facts,
});
const counting = (usage: Partial<Usage>, more: Partial<ReportedUsage> = {}): ReplyFacts => ({
  text: "",
  usage: { usage: { ...noUsage, ...usage }, hiddenOutput: 0, isCorrected: false, ...more },
});
const summed = (replies: readonly (ReplyFacts | undefined)[], of = terms()) => {
  const sum = emptySum();
  for (const facts of replies) addLine(sum, {}, replying(facts), of);
  return sum;
};

test("an answer without a count costs its share of the prompts and what it shows, and is told", () => {
  const seen = { text: "thirteen byte", opaqueLength: 8, usage: undefined };
  const sum = summed([seen, undefined, counting({ input: 5, output: 9 })], terms({ lines: 3 }));
  // A third of 100 tokens is 34, thirteen bytes are 4, and what is no text counts as its format
  // says.
  const output = 4 + computeOpaqueTokens(8);
  expect(sum).toMatchObject({ answered: 3, failed: 0, uncounted: 2 });
  expect(sum.reported.usage).toMatchObject({ input: 34 + 34 + 5, output: output + 9 });
  expect(sum.reported).toMatchObject({ hiddenOutput: 0, isCorrected: false });
  expect(sum.seen).toMatchObject({ input: 3 * 34, output });
  expect(buildBatchCharge(sum, terms({ lines: 3 })).charged.usage).toMatchObject({
    input: 73,
    output: output + 9,
  });
});

test("fees and marks of single lines are those of the batch", () => {
  const plain = counting({ input: 1 });
  const sum = summed([
    plain,
    counting({ input: 1, web_searches: 2 }, { isCorrected: true, hasUnknownFee: true }),
    counting({ input: 1, web_searches: 3 }),
  ]);
  const { charged, price } = buildBatchCharge(sum, terms());
  expect(charged.usage.web_searches).toBe(5);
  expect(price.usage).toEqual({ web_searches: 5 });
  expect(charged.marks).toEqual(["usage_corrected", "fee_unknown"]);
  expect(buildBatchCharge(summed([plain]), terms()).charged.marks).toEqual([]);
});

test("lines at other rates than those of short prompts are counted", () => {
  const lengths = [1_000, 1_001, 5, 2_000];
  expect(summed(lengths.map((input) => counting({ input, output: 1 }))).tiered).toBe(2);
});

test("the smallest remainder is charged as a unit, and a sum beyond all numbers is an error", () => {
  const { tiers: _, ...flat } = terms().price;
  const at = (input: string, group_ratio: number) =>
    terms({ price: { ...flat, rates: { input }, group_ratio } });
  const unitsAt = (of: BatchTerms) =>
    buildBatchCharge(summed([counting({ input: 1 })], of), of).units;
  expect(unitsAt(at("1", 1))).toBe(1);
  expect(unitsAt(at("2000000", 1_000_000))).toBe(1);
  expect(unitsAt(at("2000001", 1_000_000))).toBe(2);
  expect(unitsAt(at(String(2_000_000n * BigInt(Number.MAX_SAFE_INTEGER)), 1_000_000))).toBe(
    Number.MAX_SAFE_INTEGER,
  );
  expect(() =>
    unitsAt(at(String(2_000_000n * BigInt(Number.MAX_SAFE_INTEGER) + 1n), 1_000_000)),
  ).toThrow(RangeError);
});

test("only what was seen is judged, line by line and at the ceiling of all lines", () => {
  const doubted = (changes: Partial<BatchTerms> = {}) =>
    terms({ isDistrusted: true, lines: 2, ...changes });
  const reasonOf = (replies: readonly ReplyFacts[], of = doubted()) =>
    buildBatchCharge(summed(replies, of), of).charged.reason;
  const large = counting({ output: 100_000 });
  expect(reasonOf([large])).toBe("distrusted");
  expect(reasonOf([counting({ output: 100_000 }, { hiddenOutput: 100_000 })])).toBeUndefined();
  const halfHidden = counting({ output: 100_000 }, { hiddenOutput: 50_000 });
  expect(reasonOf([halfHidden, counting({ output: 0 }, { hiddenOutput: 50_000 })])).toBeUndefined();
  expect(reasonOf([counting({ input: 100_000 })])).toBe("distrusted");
  expect(
    reasonOf([counting({ input: 100_000 })], doubted({ isPromptSeen: false })),
  ).toBeUndefined();
  const bounded = terms({ lines: 2, promptMax: 1_000, completionMax: 100 });
  const within = counting({ input: 1_000, output: 100 });
  const whole = buildBatchCharge(summed([within, within], bounded), bounded).charged;
  expect(whole).toMatchObject({ usage: { input: 2_000, output: 200 }, marks: ["usage_far"] });
  const above = counting({ input: 1_001, output: 101 });
  const capped = buildBatchCharge(summed([above, above], bounded), bounded);
  expect(capped.charged).toMatchObject({
    usage: { input: 2_000, output: 200 },
    marks: ["usage_capped", "usage_far"],
  });
  expect(capped.units).toBe(
    charge(thawPrice(capped.price), capped.charged.usage, bounded.price.group_ratio),
  );
});

test("what the operator pays is summed line by line, and unknown without a buying price", () => {
  const buying = {
    rates: { input: "3000" },
    tiers: [{ above: 1_000, above_output: -1, rates: { input: "5000" } }],
  };
  const bought = terms({ price: { ...terms().price, buying } });
  const replies = [counting({ input: 1_000 }), counting({ input: 1_001 })];
  expect(buildBatchCharge(summed(replies, bought), bought).costNanos).toBe(1_000 * 3 + 1_001 * 5);
  const cheap = terms({ price: { ...terms().price, buying: { rates: { input: "499" } } } });
  expect(buildBatchCharge(summed([counting({ input: 1 })], cheap), cheap).costNanos).toBe(0);
  const bounded = { ...bought, lines: 2, promptMax: 1_000 };
  // The ceiling is of the batch, whose length has no tier of its own.
  expect(buildBatchCharge(summed(replies, bounded), bounded).costNanos).not.toBeNull();
  expect(buildBatchCharge(summed(replies), terms()).costNanos).toBeNull();
});

test("lines that failed cost nothing", () => {
  const sum = emptySum();
  for (let count = 0; count < 6; count += 1)
    addLine(sum, undefined, chatCompletions.upstream, terms());
  expect([sum.answered, sum.failed, buildBatchCharge(sum, terms()).units]).toEqual([0, 6, 0]);
});

test("counts of a provider that may report falsely are replaced where they are far from what was seen", () => {
  const sum = emptySum();
  addLine(sum, answered(900_000, 900_000), chatCompletions.upstream, terms());
  const trusted = buildBatchCharge(sum, terms());
  expect(trusted.charged.usage).toMatchObject({ input: 900_000, output: 900_000 });
  const distrusted = buildBatchCharge(sum, terms({ isDistrusted: true }));
  expect(distrusted.charged).toMatchObject({ reason: "distrusted", usage: { input: 10 } });
  expect(distrusted.units).toBeLessThan(trusted.units / 1_000);
  const capped = buildBatchCharge(sum, terms({ lines: 1, promptMax: 1_000, completionMax: 100 }));
  expect(capped.charged.usage).toMatchObject({ input: 1_000, output: 100 });
});

test("a lost result costs the estimate of the prompts", () => {
  const { units, charged } = buildLostBatchCharge(terms());
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
    buildCreationOutcome({ data, has_more }, row, terms(), openAiBatches, now).state;
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
  const ended = {
    processing_status: "ended",
    cancel_initiated_at: null,
    request_counts: { succeeded: 1, expired: 0 },
  };
  expect(anthropicBatches.endOf(ended)).toBe("completed");
  expect(anthropicBatches.endOf({ ...ended, request_counts: { expired: 2 } })).toBe("expired");
  expect(anthropicBatches.endOf({ ...ended, cancel_initiated_at: "2026-11-23T00:00:00Z" })).toBe(
    "cancelled",
  );
  for (const running of [{}, { processing_status: "canceling" }, { processing_status: 1 }])
    expect(anthropicBatches.endOf(running)).toBeUndefined();
});

test("the ceiling of searches is that of a call for each line", () => {
  const searched = {
    ...answered(5, 5),
    usage: { prompt_tokens: 5, completion_tokens: 5, num_search_queries: 9_000 },
  };
  const sum = emptySum();
  for (let line = 0; line < 2; line += 1) addLine(sum, searched, chatCompletions.upstream, terms());
  expect(buildBatchCharge(sum, terms({ lines: 2 })).charged).toMatchObject({
    usage: { web_searches: 18_000 },
    marks: [],
  });
});
