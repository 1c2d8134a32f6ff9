// Events are modelled on OpenAI's reference of Realtime
// (https://platform.openai.com/docs/api-reference/realtime-server-events), not captured.
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { noUsage, promptTokens } from "../../money/prices/price.ts";
import { findRealtimeUsage, RealtimeMeter } from "./realtime-meter.ts";

const usage = {
  total_tokens: 253,
  input_tokens: 132,
  output_tokens: 121,
  input_token_details: {
    text_tokens: 119,
    audio_tokens: 13,
    image_tokens: 0,
    cached_tokens: 64,
    cached_tokens_details: { text_tokens: 60, audio_tokens: 4, image_tokens: 0 },
  },
  output_token_details: { text_tokens: 30, audio_tokens: 91 },
};

describe("usage of one answer", () => {
  test("is divided into disjoint buckets of text and audio, cached and not", () => {
    expect(findRealtimeUsage(usage)).toEqual({
      ...noUsage,
      input: 59,
      cache_read: 60,
      input_audio: 9,
      cache_read_audio: 4,
      output: 30,
      output_audio: 91,
    });
  });

  test.each([
    [
      { input_tokens: 10, output_tokens: 5 },
      { input: 10, output: 5 },
    ],
    [
      { input_tokens: 10, output_tokens: 5, input_token_details: { cached_tokens: 4 } },
      { input: 6, cache_read: 4, output: 5 },
    ],
    // A provider that reports more in the parts than in the total.
    [
      {
        input_tokens: 10,
        output_tokens: 5,
        input_token_details: { audio_tokens: 50, cached_tokens: 50 },
        output_token_details: { audio_tokens: 50 },
      },
      { input_audio: 10, output_audio: 5 },
    ],
  ])("%j is %j", (wire, buckets) =>
    expect(findRealtimeUsage(wire)).toEqual({ ...noUsage, ...buckets }),
  );

  test.each([
    undefined,
    null,
    {},
    "x",
    { input_tokens: -1, output_tokens: 1 },
    { input_tokens: 1e12, output_tokens: 1 },
  ])("%j counts nothing", (wire) => expect(findRealtimeUsage(wire)).toBeUndefined());

  test("adds up to the reported total, whatever the parts are", () => {
    const tokens = fc.integer({ min: 0, max: 1_000 });
    const details = fc.record({ text_tokens: tokens, audio_tokens: tokens, image_tokens: tokens });
    const asked = fc.record({
      cached_tokens: tokens,
      audio_tokens: tokens,
      image_tokens: tokens,
      cached_tokens_details: details,
    });
    fc.assert(
      fc.property(
        tokens,
        tokens,
        asked,
        details,
        (input_tokens, output_tokens, input_token_details, output_token_details) => {
          const read = findRealtimeUsage({
            input_tokens,
            output_tokens,
            input_token_details,
            output_token_details,
          });
          if (!read) throw new Error("nothing was counted");
          for (const count of Object.values(read)) expect(count).toBeGreaterThanOrEqual(0);
          expect(promptTokens(read)).toBe(input_tokens);
          expect(read.output + (read.output_audio ?? 0)).toBe(output_tokens);
        },
      ),
    );
  });
});

describe("a session", () => {
  const answer = (id: string, said: object[], counted: unknown = usage): object[] => [
    { type: "response.created", response: { id } },
    ...said,
    { type: "response.done", response: { id, usage: counted } },
  ];
  const seen = (events: readonly object[]): RealtimeMeter => {
    const meter = new RealtimeMeter();
    for (const event of events) meter.observeUpstream(event as Record<string, unknown>);
    return meter;
  };
  const words = { type: "response.output_text.delta", delta: "twelve bytes" };
  const sound = { type: "response.output_audio.delta", delta: "A".repeat(6_400) };

  test("uses the sum of its responses", () => {
    const meter = seen([...answer("a", [words]), ...answer("b", [sound])]);
    expect(meter.usage).toMatchObject({
      input: 118,
      cache_read: 120,
      output: 60,
      output_audio: 182,
    });
    expect([meter.isAnswering, meter.isEstimated]).toEqual([false, false]);
    expect(meter.firstContentAt).toBeGreaterThan(0);
  });

  test("is estimated from what was delivered while a response is in progress", () => {
    const meter = seen([...answer("a", []), ...answer("b", [words, sound]).slice(0, -1)]);
    expect([meter.isAnswering, meter.isEstimated]).toEqual([true, true]);
    // What the first response read and wrote is the prompt of the second.
    expect(meter.usage).toMatchObject({ input: 59, output: 30 + 3, output_audio: 91 + 2 });
    const [read, wrote] = [seen(answer("a", [])).usage, meter.usage];
    expect(wrote.cache_read).toBe(read.cache_read + read.input + read.cache_read + read.output);
    expect(wrote.cache_read_audio).toBe(
      (read.cache_read_audio ?? 0) * 2 + (read.input_audio ?? 0) + (read.output_audio ?? 0),
    );
  });

  test("pays for the prompt of a response that never ends, and for nothing before its first content", () => {
    const meter = new RealtimeMeter();
    meter.observeClient({ type: "conversation.item.create", item: { text: "x".repeat(3_988) } });
    meter.observeClient({ type: "input_audio_buffer.append", audio: "A".repeat(25_600) });
    meter.observeUpstream({ type: "response.created", response: { id: "a" } });
    expect(meter.usage).toEqual(noUsage);
    meter.observeUpstream(words);
    expect(meter.usage).toEqual({ ...noUsage, input: 1_000, input_audio: 4, output: 3 });
    meter.observeUpstream({ type: "response.done", response: { id: "a", usage } });
    expect(meter.usage).toEqual(seen(answer("a", [])).usage);
  });

  test("is estimated when a response ends without a count", () => {
    const meter = seen([...answer("a", [words], null), ...answer("b", [words])]);
    expect([meter.isAnswering, meter.isEstimated]).toEqual([false, true]);
    expect(meter.usage).toMatchObject({ input: 59, output: 3 + 30 });
  });

  test("is charged for transcripts", () => {
    const type = "conversation.item.input_audio_transcription.completed";
    const byToken = {
      type: "tokens",
      input_tokens: 14,
      output_tokens: 9,
      input_token_details: { audio_tokens: 14 },
    };
    const meter = seen([
      { type, transcript: "hi", usage: byToken },
      { type, transcript: "hi", usage: { type: "duration", seconds: 2.4 } },
    ]);
    expect(meter.usage).toEqual({ ...noUsage, input_audio: 14, output: 9, seconds: 3 });
  });

  test("accepts any event", () => {
    fc.assert(
      fc.property(
        fc.array(fc.jsonValue()),
        fc.constantFrom("response.created", "response.done", "response.x.delta"),
        (values, type) => {
          const meter = seen(
            values.map((value) => ({ type, response: value, delta: value, usage: value })),
          );
          for (const count of Object.values(meter.usage))
            expect(Number.isSafeInteger(count)).toBe(true);
        },
      ),
    );
  });
});

describe("a transcription session", () => {
  const delta = {
    type: "conversation.item.input_audio_transcription.delta",
    item_id: "item_1",
    delta: "so it is",
  };
  const completed = (usage?: object) => ({
    type: "conversation.item.input_audio_transcription.completed",
    item_id: "item_1",
    content_index: 0,
    transcript: "so it is",
    usage,
  });
  const tokens = {
    type: "tokens",
    total_tokens: 26,
    input_tokens: 22,
    input_token_details: { text_tokens: 3, audio_tokens: 19 },
    output_tokens: 4,
  };
  const heard = (): RealtimeMeter => {
    const meter = new RealtimeMeter();
    // 400 ms of audio.
    meter.observeTranscribedClient({
      type: "input_audio_buffer.append",
      audio: "A".repeat(25_600),
    });
    return meter;
  };

  test.each([
    ["by the token", tokens, { input: 3, input_audio: 19, output: 4 }],
    ["by the second", { type: "duration", seconds: 2.4 }, { seconds: 3 }],
  ])("is counted as the provider counts it: %s", (_, usage, buckets) => {
    const meter = heard();
    meter.observeUpstream(delta);
    meter.observeUpstream(completed(usage));
    expect(meter.usage).toEqual({ ...noUsage, ...buckets });
    expect(meter.isEstimated).toBe(false);
    expect(meter.firstContentAt).toBeGreaterThan(0);
  });

  test("is estimated until the provider counts it, and only once", () => {
    const meter = heard();
    expect(meter.usage).toEqual(noUsage);
    meter.observeUpstream(delta);
    const estimate = { ...noUsage, input_audio: 4, output: 2 };
    expect([meter.usage, meter.isEstimated]).toEqual([estimate, true]);
    meter.observeUpstream(completed());
    expect([meter.usage, meter.isEstimated]).toEqual([estimate, true]);
  });

  test("is not charged for audio that the client cleared", () => {
    const meter = heard();
    meter.observeTranscribedClient({ type: "input_audio_buffer.clear" });
    meter.observeUpstream(completed());
    expect(meter.usage).toEqual({ ...noUsage, output: 2 });
  });

  test("is not part of a conversation, whose transcripts are another model's", () => {
    const meter = new RealtimeMeter();
    meter.observeUpstream(delta);
    meter.observeUpstream(completed());
    expect([meter.usage, meter.isEstimated, meter.firstContentAt]).toEqual([noUsage, false, 0]);
  });
});
