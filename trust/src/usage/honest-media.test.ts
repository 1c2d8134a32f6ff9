// What providers count for embeddings, rankings, pictures, speech and transcripts is what clients
// pay, however the call ends.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { answeredStream, answeredWhole } from "./answered-call.ts";
import { honestMediaStreams, honestReplies } from "./honest-media-providers.ts";
import { expectPaid, honestCounts } from "./honest-upstream.ts";

/** Each is a token at least in the estimate of a transcript, which takes four bytes for one. */
const pieces = fc.array(fc.stringMatching(/^[a-z]{3,11} $/), { minLength: 1, maxLength: 6 });

test.each(honestReplies)(
  "$name cost exactly what was counted",
  { tags: ["S2-02"] },
  async (provider) => {
    const { plan, price, reply, billed } = provider;
    await fc.assert(
      fc.asyncProperty(honestCounts, async (counts) => {
        const { outcome, usage, uncounted } = await answeredWhole(plan, reply(counts), {
          ...(price && { price }),
        });
        expect([outcome, usage]).toEqual(["success", billed(counts)]);
        expect(uncounted).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  },
);

describe.each(honestMediaStreams)("$name", ({ plan, price, stream, paidFor }) => {
  test("cost exactly what was counted at the end of the stream", { tags: ["S2-02"] }, async () => {
    await fc.assert(
      fc.asyncProperty(pieces, honestCounts, async (delivered, counts) => {
        const { events, billed } = stream(delivered, counts);
        const whole = { arrived: events.length, ending: "whole", ...(price && { price }) } as const;
        const { result } = await answeredStream(plan, events, whole);
        expect([result?.outcome, result?.usage]).toEqual(["success", billed]);
        expect(result?.uncounted).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  test.each(["left", "cut"] as const)(
    "are paid for as far as they were delivered, when the stream is %s at any event",
    { tags: ["S2-01", "S2-03"] },
    async (ending) => {
      await fc.assert(
        fc.asyncProperty(pieces, honestCounts, async (delivered, counts) => {
          const honest = stream(delivered, counts);
          for (let arrived = 1; arrived <= honest.events.length; arrived += 1) {
            const options = { arrived, ending, ...(price && { price }) };
            expectPaid(
              honest,
              arrived,
              ending,
              await answeredStream(plan, honest.events, options),
              paidFor,
            );
          }
        }),
        { numRuns: 15 },
      );
    },
  );
});
