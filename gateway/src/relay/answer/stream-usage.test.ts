import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { noUsage } from "../../money/prices/price.ts";
import { defaultPrice } from "../../money/prices/price-book.ts";
import type { StreamEventFacts } from "../formats/api-format.ts";
import { chatCompletions } from "../formats/chat-completions.ts";
import { StreamUsage } from "./stream-usage.ts";

const call = {
  ...chatCompletions.parseRequest(
    { model: "m", messages: [{ role: "user", content: "Hello" }], stream: true },
    false,
  ),
  client: chatCompletions,
  upstream: chatCompletions.upstream,
  headers: [],
  body: Buffer.from("{}"),
};

const words = "w".repeat(400);
const content = (finish_reason: string | null = null, usage?: object) => ({
  choices: [{ index: 0, delta: { content: words }, finish_reason }],
  ...(usage && { usage }),
});
const finished = { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] };
const counted = (prompt_tokens: number, completion_tokens: number) => ({
  prompt_tokens,
  completion_tokens,
  total_tokens: prompt_tokens + completion_tokens,
});

function usageOf(events: readonly object[], isWhole: boolean) {
  const read = chatCompletions.upstream.createEventReader(call);
  const stream = new StreamUsage(call, { model: "m", price: defaultPrice });
  for (const event of events) stream.observe(read(`data: ${JSON.stringify(event)}\n\n`));
  const { usage, reason } = stream.charged(isWhole);
  return {
    input: usage.input,
    output: usage.output,
    reason,
    isFinal: stream.isFinal,
    seen: stream.deliveredTokens(),
  };
}

test.each([
  ["before its first event", [], false],
  [
    "after an event without content",
    [{ choices: [{ index: 0, delta: { role: "assistant", content: "" } }] }],
    false,
  ],
  ["after content", [content()], true],
  ["after a count of its provider", [{ choices: [], usage: counted(30, 0) }], true],
])("whether a stream has delivered anything: %s", (_, events, hasDelivered) => {
  const read = chatCompletions.upstream.createEventReader(call);
  const stream = new StreamUsage(call, { model: "m", price: defaultPrice });
  for (const event of events) stream.observe(read(`data: ${JSON.stringify(event)}\n\n`));
  expect(stream.hasDelivered).toBe(hasDelivered);
});

describe("a count that came before the end of the output", { tags: ["S2-01"] }, () => {
  const first = {
    choices: [{ index: 0, delta: { role: "assistant", content: "" } }],
    usage: counted(30, 1),
  };
  test.each([true, false])("charges what was delivered after it; whole: %j", (isWhole) => {
    const { seen, ...charged } = usageOf([first, content(), content(), finished], isWhole);
    expect(charged).toEqual({ input: 30, output: seen, reason: "ended_early", isFinal: false });
    expect(seen).toBeGreaterThan(150);
  });
  test("at the end of the first of several answers is not the count of all", () => {
    const charged = usageOf([content("stop", counted(30, 2)), content(), content()], false);
    expect(charged).toMatchObject({
      input: 30,
      output: charged.seen,
      reason: "ended_early",
      isFinal: false,
    });
  });
  test("is the charge where a later one follows", () => {
    const events = [first, content(), finished, { choices: [], usage: counted(30, 2) }];
    expect(usageOf(events, false)).toMatchObject({
      input: 30,
      output: 2,
      reason: undefined,
      isFinal: true,
    });
  });
});

test("a count in the last event with content is the charge, also without a reason to stop", () => {
  const events = [content(null, counted(30, 1)), content(null, counted(30, 2))];
  expect(usageOf(events, true)).toMatchObject({ input: 30, output: 2, reason: undefined });
  expect(usageOf(events, false)).toMatchObject({ input: 30, reason: "ended_early" });
});

const streamOf = (
  facts: readonly StreamEventFacts[],
  changes: object = {},
  isDistrusted?: boolean,
): StreamUsage => {
  const stream = new StreamUsage(
    { ...call, ...changes },
    { model: "m", price: defaultPrice, ...(isDistrusted !== undefined && { isDistrusted }) },
  );
  for (const one of facts) stream.observe(one);
  return stream;
};
const word: StreamEventFacts = { kind: "content", textBytes: 4, text: "word" };
const silent: StreamEventFacts = { kind: "other", textBytes: 0 };

describe("what was delivered", () => {
  test("is a token for each event, and what is no text by its length", () => {
    const opaque: StreamEventFacts = { kind: "content", textBytes: 0, opaqueLength: 400 };
    expect(streamOf([word, word, silent]).deliveredTokens()).toBe(2);
    expect(streamOf([word, opaque, opaque]).deliveredTokens()).toBe(3 + 200);
    expect(streamOf([silent]).hasContent).toBe(false);
    expect(streamOf([{ kind: "other", textBytes: 4, text: "word" }]).hasContent).toBe(true);
  });
  test("adds up what is charged beside text", () => {
    const searched: StreamEventFacts = {
      kind: "content",
      textBytes: 0,
      extras: { web_searches: 1 },
    };
    expect(streamOf([searched, word, searched]).charged(false).usage).toMatchObject({
      web_searches: 2,
      output: 3,
    });
  });
  test("in a medium is charged as its format says", () => {
    const asked: unknown[][] = [];
    const usageFor = (...question: unknown[]) => {
      asked.push(question);
      return { usage: { ...noUsage, images: 3 }, marks: [] };
    };
    const drawn: StreamEventFacts = { kind: "content", textBytes: 1, images: 1 };
    const upstream = { ...chatCompletions.upstream, usageFor };
    const counted = { usage: { ...noUsage, input: 7 }, hiddenOutput: 0, isCorrected: false };
    const described: StreamEventFacts = { kind: "content", textBytes: 5 };
    const stream = streamOf([drawn, { ...silent, usage: counted }, drawn, described], { upstream });
    expect(stream.charged(true).usage).toEqual({ ...noUsage, images: 3 });
    expect(asked[0]?.slice(1, 4)).toEqual([
      { ...counted, isPartial: true },
      { textBytes: 7, images: 2 },
      defaultPrice.rates,
    ]);
  });
});

test("without a count no count is final, also where the output has ended", {
  tags: ["S2-01"],
}, () => {
  for (const facts of [[], [silent], [{ ...silent, isLast: true }]])
    expect(streamOf(facts).isFinal).toBe(false);
});

describe("a hold", () => {
  const reachTo = (tokens: number, growFrom: number) => {
    const reach = {
      tokens,
      growFrom,
      asked: 0,
      async grow(): Promise<void> {
        reach.asked += 1;
      },
    };
    return reach;
  };
  test.each([
    [2, 9, false, 0],
    [1, 9, true, 0],
    [9, 2, false, 0],
    [9, 1, false, 1],
  ])(
    "of %i tokens that grows from %i on is passed by two: %j, and grows %i times",
    (tokens, growFrom, hasPassed, asked) => {
      const reach = reachTo(tokens, growFrom);
      expect([streamOf([word, word]).hasPassed(reach), reach.asked]).toEqual([hasPassed, asked]);
    },
  );
  test("that covers the stated limit of each answer does not grow up to it", () => {
    const limited = { maxOutputTokens: 1, choiceCount: 2 };
    const reach = reachTo(9, 1);
    expect(streamOf([word, word], limited).hasPassed(reach)).toBe(false);
    expect(reach.asked).toBe(0);
    expect(streamOf([word, word, word], limited).hasPassed(reach)).toBe(false);
    expect(reach.asked).toBe(1);
  });
  test("of a call without a limit grows at its first token", () => {
    const reach = reachTo(9, 0);
    streamOf([word], { maxOutputTokens: undefined }).hasPassed(reach);
    expect(reach.asked).toBe(1);
  });
});

describe("the result of a stream", () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000 }));
  afterEach(() => void vi.useRealTimers());

  test("that delivered nothing costs nothing, unless it ended well or was counted", () => {
    const nothing = { usage: noUsage, note: "gone", firstContentAt: 0, upstreamCompletedAt: 0 };
    expect(streamOf([silent]).result("client_left", "gone")).toStrictEqual({
      outcome: "client_left",
      ...nothing,
    });
    const input = call.promptEstimate;
    expect(streamOf([silent]).result("success")).toMatchObject({
      usage: { input, output: 0 },
      upstreamCompletedAt: 1_000,
    });
    const counted = { usage: { ...noUsage, input: 7 }, hiddenOutput: 0, isCorrected: false };
    expect(streamOf([{ ...silent, usage: counted }]).result("client_left")).toMatchObject({
      usage: { input: 7 },
    });
  });
  test("says why it ended, how it was counted, and what was left out", () => {
    const stream = streamOf([
      word,
      { kind: "malformed", textBytes: 0 },
      { kind: "malformed", textBytes: 0 },
    ]);
    const { note, details, uncounted, providerWords } = stream.result("cut", "gone", "no more");
    expect(note).toMatch(/^gone; usage estimated: .*; 2 damaged events were left out$/);
    expect([details?.reason, uncounted?.hasPrompt, providerWords]).toEqual([
      "none_reported",
      true,
      "no more",
    ]);
    expect(uncounted?.sample.length).toBe(4);
    expect(streamOf([word]).result("cut")).not.toHaveProperty("providerWords");
    expect(streamOf([word]).result("cut").note).not.toMatch(/damaged|^;/);
  });
  test("counts one damaged event, and takes a count within the output for the end of a stream that ended well alone", () => {
    const malformed: StreamEventFacts = { kind: "malformed", textBytes: 0 };
    expect(streamOf([word, malformed]).result("cut").note).toContain(
      "1 damaged events were left out",
    );
    const counted = {
      usage: { ...noUsage, input: 7, output: 30 },
      hiddenOutput: 0,
      isCorrected: false,
    };
    const events = [{ ...word, usage: counted }];
    expect(streamOf(events).result("success")).toMatchObject({ usage: { output: 30 }, note: "" });
    expect(streamOf(events).result("success")).not.toHaveProperty("uncounted");
    expect(streamOf(events).result("cut").details?.reason).toBe("ended_early");
  });
  test("has the time of the first content and the terms that were served last", () => {
    const stream = streamOf([silent, word]);
    vi.setSystemTime(2_000);
    for (const facts of [word, { ...silent, served: { service_tier: "flex" } }, silent])
      stream.observe(facts);
    expect(stream.result("cut")).toMatchObject({
      firstContentAt: 1_000,
      upstreamCompletedAt: 0,
      served: { service_tier: "flex" },
    });
    expect(streamOf([word]).result("cut")).not.toHaveProperty("served");
  });
  test("of a provider that may report false usage is judged by what was seen", () => {
    const counted = {
      usage: { ...noUsage, input: 7, output: 90_000 },
      hiddenOutput: 0,
      isCorrected: false,
    };
    const events = [word, { ...silent, usage: counted, isLast: true }];
    expect(streamOf(events, {}, true).result("success").usage.output).toBe(1);
    expect(streamOf(events).result("success").usage.output).toBe(90_000);
  });
});

test("a stream knows whether its output is complete, and whether it has ended", () => {
  const of = (...facts: StreamEventFacts[]) => {
    const { hasDone, hasFinished } = streamOf(facts);
    return { hasDone, hasFinished };
  };
  expect(of(word)).toEqual({ hasDone: false, hasFinished: false });
  expect(of({ ...word, isLast: true }, silent)).toEqual({ hasDone: false, hasFinished: true });
  expect(of({ kind: "done", textBytes: 0 })).toEqual({ hasDone: true, hasFinished: false });
  expect(of({ kind: "malformed", textBytes: 0, isLast: true })).toEqual({
    hasDone: false,
    hasFinished: false,
  });
});

test("an answer of a conversation that signs its reasoning says so, in every spelling", () => {
  const isSigned = (
    event: string,
    changes: object = { conversation: { id: "c", isNew: true } },
  ) => {
    const stream = streamOf([], changes);
    stream.observeSignature(event);
    return stream.result("success").isSigned ?? false;
  };
  const events = [
    '{"signature":"a"}',
    '{"thoughtSignature":"a"}',
    '{"thought_signature":"a"}',
    '{"encrypted_content":"a"}',
  ];
  expect(events.map((event) => isSigned(event))).toEqual([true, true, true, true]);
  expect([isSigned('{"text":"signatures"}'), isSigned(events[0] ?? "", {})]).toEqual([
    false,
    false,
  ]);
});
