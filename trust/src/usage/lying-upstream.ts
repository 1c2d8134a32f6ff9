// Providers that report whatever they like: what a wallet can lose to them.
import {
  computeCompletionTokens,
  noUsage,
  promptTokens,
} from "@tollgate/gateway/money/prices/price.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { answeredStream, answeredWhole } from "./answered-call.ts";
import type { HonestCounts } from "./honest-provider.ts";
import { honestReply } from "./honest-replies.ts";
import type { honestPairs } from "./honest-upstream.ts";

type LyingPair = (typeof honestPairs)[number];

/** Far above every ceiling, and small enough that sums of them are exact. */
const lie = fc.nat({ max: 2 ** 45 });
const lies: fc.Arbitrary<HonestCounts> = fc.record({
  input: lie,
  cached: lie,
  cacheWrites: lie,
  reasoning: lie,
  searches: fc.constantFrom(0, 9, 20_000),
});
const said = fc.array(
  fc.record({
    kind: fc.constant("text" as const),
    word: fc.stringMatching(/^[a-z]{1,11} $/),
    answer: fc.constant(0),
  }),
  { minLength: 1, maxLength: 12 },
);
const promptMax = 1_000_000;
const completionMax = 1_000_000;
const itemsMax = 10_000;

/** Whole and streamed, on any host, no answer costs more than the ceilings. */
export const checkCeilings = ({ provider, client }: LyingPair, numRuns: number): Promise<void> =>
  fc.assert(
    fc.asyncProperty(said, lies, fc.boolean(), async (words, counts, isDistrusted) => {
      const whole = planOver({ ...callOf(client), isStream: false }, provider.speaks);
      const { events } = provider.stream(words, counts);
      const streamed = await answeredStream(planOver(callOf(client), provider.speaks), events, {
        arrived: events.length,
        ending: "whole",
        isDistrusted,
      });
      const replied = await answeredWhole(whole, honestReply(provider, words, counts), {
        isDistrusted,
      });
      for (const usage of [streamed.result?.usage, replied.usage].map((one) => one ?? noUsage)) {
        expect(promptTokens(usage)).toBeLessThanOrEqual(promptMax);
        expect(computeCompletionTokens(usage)).toBeLessThanOrEqual(completionMax);
        expect(usage.web_searches ?? 0).toBeLessThanOrEqual(itemsMax);
      }
    }),
    { numRuns },
  );

/** On another host, without declared reasoning, no answer costs more than what was seen allows. */
export function checkSeen({ provider, client }: LyingPair, numRuns: number): Promise<void> {
  const plan = planOver({ ...callOf(client), isStream: false }, provider.speaks);
  return fc.assert(
    fc.asyncProperty(said, lies, async (words, counts) => {
      const reply = honestReply(provider, words, { ...counts, reasoning: 0, searches: 0 });
      const { usage } = await answeredWhole(plan, reply, { isDistrusted: true });
      // A byte is a token at most. Perplexity's sources are declared, and only their ceiling holds.
      const seen = (bytes: number): number => 4 * bytes + 1_000;
      const isSourced = provider.name === "Perplexity's chat";
      expect(promptTokens(usage)).toBeLessThanOrEqual(
        isSourced ? promptMax : seen(plan.call.body.length),
      );
      expect(computeCompletionTokens(usage)).toBeLessThanOrEqual(
        seen(words.map(({ word }) => word).join("").length),
      );
    }),
    { numRuns },
  );
}
