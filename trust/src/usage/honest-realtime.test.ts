// What a realtime provider counts is what the session costs, and what it delivered of an answer
// that never ends.
import {
  computeCompletionTokens,
  noUsage,
  promptTokens,
  type Usage,
} from "@tollgate/gateway/money/prices/price.ts";
import { RealtimeMeter } from "@tollgate/gateway/relay/realtime/realtime-meter.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { HonestCounts, WireJson } from "./honest-provider.ts";
import { honestCounts } from "./honest-upstream.ts";

interface SpokenAnswer {
  /** Pieces of a token at least in the estimate: four bytes of text, or 50 ms of sound. */
  pieces: readonly ("text" | "sound")[];
  counts: HonestCounts;
}

interface SessionEvent {
  event: WireJson;
  /** Tokens that it delivers. */
  delivered: number;
  billed?: Usage;
}

const sound = Buffer.alloc(2_400).toString("base64");
const deltas: Readonly<Record<SpokenAnswer["pieces"][number], WireJson>> = {
  text: { type: "response.output_text.delta", delta: "word " },
  sound: { type: "response.output_audio.delta", delta: sound },
};

/** `cacheWrites` are tokens of sound that it heard. */
function answerEvents({ pieces, counts }: SpokenAnswer, index: number): SessionEvent[] {
  const { input, cached, cacheWrites: heard, reasoning } = counts;
  const id = `resp_${index}`;
  const output_audio = pieces.filter((piece) => piece === "sound").length;
  const output = pieces.length - output_audio + reasoning;
  const usage = {
    total_tokens: input + cached + heard + output + output_audio,
    input_tokens: input + cached + heard,
    output_tokens: output + output_audio,
    input_token_details: {
      text_tokens: input + cached,
      audio_tokens: heard,
      image_tokens: 0,
      cached_tokens: cached,
      cached_tokens_details: { text_tokens: cached, audio_tokens: 0, image_tokens: 0 },
    },
    output_token_details: { text_tokens: output, audio_tokens: output_audio },
  };
  const billed = {
    ...noUsage,
    input,
    cache_read: cached,
    output,
    output_audio,
    input_audio: heard,
  };
  return [
    { event: { type: "response.created", response: { id } }, delivered: 0 },
    ...pieces.map((piece) => ({ event: deltas[piece], delivered: 1 })),
    { event: { type: "response.done", response: { id, usage } }, delivered: 0, billed },
  ];
}

const answers = fc.array(
  fc.record({
    pieces: fc.array(fc.constantFrom("text" as const, "sound" as const), { maxLength: 6 }),
    counts: honestCounts,
  }),
  { minLength: 1, maxLength: 4 },
);

test("a session costs what was counted, and at each event no less than what was delivered beside it", {
  tags: ["S2-01", "S2-02"],
}, () => {
  fc.assert(
    fc.property(answers, (spoken) => {
      const meter = new RealtimeMeter();
      const counted = { prompt: 0, completion: 0 };
      let delivered = 0;
      for (const one of spoken.flatMap(answerEvents)) {
        meter.observeUpstream(one.event);
        delivered += one.delivered;
        if (one.billed) {
          counted.prompt += promptTokens(one.billed);
          counted.completion += computeCompletionTokens(one.billed);
          delivered = 0;
          expect([promptTokens(meter.usage), computeCompletionTokens(meter.usage)]).toEqual(
            Object.values(counted),
          );
        }
        expect(promptTokens(meter.usage)).toBeGreaterThanOrEqual(counted.prompt);
        expect(computeCompletionTokens(meter.usage)).toBeGreaterThanOrEqual(
          counted.completion + delivered,
        );
        expect(meter.isEstimated).toBe(delivered > 0);
      }
    }),
  );
});

test("one answer costs exactly what was counted of each kind", { tags: ["S2-02"] }, () => {
  fc.assert(
    fc.property(answers, ([first]) => {
      if (!first) return;
      const meter = new RealtimeMeter();
      const events = answerEvents(first, 0);
      for (const { event } of events) meter.observeUpstream(event);
      const { input_audio = 0, output_audio = 0, ...text } = events.at(-1)?.billed ?? noUsage;
      expect({ input_audio: 0, output_audio: 0, ...meter.usage }).toEqual({
        ...text,
        input_audio,
        output_audio,
      });
    }),
  );
});
