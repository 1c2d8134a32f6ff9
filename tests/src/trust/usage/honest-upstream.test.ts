// The honest upstream: what every provider family counts is what every client pays, however the call ends.
import { unlimited } from "@tollgate/gateway/relay/formats/reported-usage.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callOf, planOver } from "../../conformance/in-process-relay.ts";
import { answeredStream } from "./answered-call.ts";
import { type HonestCounts, honestProviders, outputKinds, type WrittenWord } from "./honest-providers.ts";

const clients = ["Chat Completions", "Responses", "Messages", "Gemini"] as const;
const runsEach = 16;

/** A word of at most twelve characters is at least one token in the estimate of a stream. */
const word: fc.Arbitrary<WrittenWord> = fc.record({
  kind: fc.constantFrom(...outputKinds),
  word: fc.stringMatching(/^[a-z]{1,11} $/),
});
const amount = fc.nat({ max: 400_000 });
const counts: fc.Arbitrary<HonestCounts> = fc.record({
  input: amount.map((tokens) => tokens + 1),
  cached: amount,
  cacheWrites: fc.nat({ max: 90_000 }),
  reasoning: fc.nat({ max: 90_000 }),
  searches: fc.nat({ max: 9 }),
});
/** JSON has no order: some servers sort the members of their events, so that the type comes last. */
const orders = {
  written: (names: readonly string[]) => names,
  sorted: (names: readonly string[]) => names.toSorted(),
  reversed: (names: readonly string[]) => names.toReversed(),
};
const order = fc.constantFrom(...Object.values(orders));

function reordered(value: unknown, inOrder: (names: readonly string[]) => readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item, inOrder));
  if (typeof value !== "object" || value === null) return value;
  const members = new Map(Object.entries(value));
  return Object.fromEntries(inOrder([...members.keys()]).map((name) => [name, reordered(members.get(name), inOrder)]));
}
const inOrderOf = (events: readonly string[], inOrder: (typeof orders)["written"]): string[] =>
  events.map((event) =>
    event.replace(
      /^data: (\{.*\})$/m,
      (_, data: string) => `data: ${JSON.stringify(reordered(JSON.parse(data), inOrder))}`,
    ),
  );

const words = fc.array(word, { minLength: 1, maxLength: 12 });

const completion = ({
  output,
  output_audio = 0,
  output_image = 0,
}: {
  output: number;
  output_audio?: number;
  output_image?: number;
}) => output + output_audio + output_image;

describe.each(honestProviders.map((provider) => [provider.name, provider] as const))("%s", (_, provider) => {
  describe.each(clients)("for a client of %s", (client) => {
    const plan = planOver(callOf(client), provider.speaks);

    test("is paid exactly, once it has counted", { tags: ["S2-01", "S2-02", "S2-25"] }, async () => {
      await fc.assert(
        fc.asyncProperty(words, counts, order, async (written, counted, inOrder) => {
          const { events: ordinary, billed } = provider.stream(written, counted);
          const events = inOrderOf(ordinary, inOrder);
          const { result } = await answeredStream(plan, events, { arrived: events.length, ending: "whole" });
          expect(result).toMatchObject({ outcome: "success", usage: billed });
          expect(result?.usage).toEqual(billed);
          expect(result?.uncounted).toBeUndefined();
        }),
        { numRuns: runsEach },
      );
    });

    test.each(["left", "cut"] as const)(
      "is paid for all that it delivered, and for all that it counted, when the stream is %s at any event",
      { tags: ["S2-01", "S2-03", "S2-15", "F-47"] },
      async (ending) => {
        await fc.assert(
          fc.asyncProperty(words, counts, order, fc.nat(), async (written, counted, inOrder, at) => {
            const stream = provider.stream(written, counted);
            // An ending before the first content lets another channel answer.
            const first = stream.wordsBefore.findIndex((delivered) => delivered > 0);
            const arrived = first + (at % (stream.events.length - first));
            const { result, recorded, received } = await answeredStream(plan, inOrderOf(stream.events, inOrder), {
              arrived,
              ending,
            });
            if (!result) {
              expect(received).toBe("");
              return;
            }
            const delivered = stream.wordsBefore[arrived] ?? 0;
            const hasFinalCount = arrived >= stream.countedAt || (ending === "left" && arrived >= stream.finishedAt);
            if (hasFinalCount) expect(result.usage).toEqual(stream.billed);
            const isSuccess = result.outcome === "success";
            for (const usage of [result.usage, ...(recorded && !isSuccess && !hasFinalCount ? [recorded] : [])]) {
              expect(completion(usage)).toBeGreaterThanOrEqual(delivered);
              expect(completion(usage)).toBeGreaterThanOrEqual(stream.countedBefore[arrived] ?? 0);
            }
            if (!hasFinalCount) expect(result.uncounted).toBeDefined();
          }),
          { numRuns: runsEach * 2 },
        );
      },
    );
  });
});

test("the ceiling is far above what these providers count", () => {
  expect(unlimited.promptMax).toBeGreaterThanOrEqual(1_000_000);
});
