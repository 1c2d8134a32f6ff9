// The honest upstream: what every provider family counts is what every client pays, however the
// call ends.
import { computeCompletionTokens, type Usage } from "@tollgate/gateway/money/prices/price.ts";
import { callOf, planOver } from "@tollgate/tests/conformance/in-process-relay.ts";
import fc from "fast-check";
import { expect } from "vitest";
import { answeredStream, answeredWhole } from "./answered-call.ts";
import {
  type HonestCounts,
  type HonestStream,
  outputKinds,
  type WrittenWord,
} from "./honest-provider.ts";
import { honestProviders } from "./honest-providers.ts";
import { honestReply } from "./honest-replies.ts";

const clients = ["Chat Completions", "Responses", "Messages", "Gemini"] as const;

/** Every provider family with every client's format. */
export const honestPairs = honestProviders.flatMap((provider) =>
  clients.map((client) => ({ name: provider.name, provider, client })),
);
type HonestPair = Omit<(typeof honestPairs)[number], "name">;

/** A word of at most twelve characters is at least one token in the estimate of a stream. */
const word: fc.Arbitrary<WrittenWord> = fc.record({
  kind: fc.constantFrom(...outputKinds),
  word: fc.stringMatching(/^[a-z]{1,11} $/),
  answer: fc.nat({ max: 2 }),
});
export const honestWords = fc.array(word, { minLength: 1, maxLength: 12 });
const amount = fc.nat({ max: 400_000 });
export const honestCounts: fc.Arbitrary<HonestCounts> = fc.record({
  input: amount.map((tokens) => tokens + 1),
  cached: amount,
  cacheWrites: fc.nat({ max: 90_000 }),
  reasoning: fc.nat({ max: 90_000 }),
  searches: fc.nat({ max: 9 }),
});
/**
 * JSON has no order: some servers sort the members of their events, so that the type comes last.
 */
const order = fc.constantFrom<(names: readonly string[]) => readonly string[]>(
  (names) => names,
  (names) => names.toSorted(),
  (names) => names.toReversed(),
);

function reordered(
  value: unknown,
  inOrder: (names: readonly string[]) => readonly string[],
): unknown {
  if (Array.isArray(value)) return value.map((item) => reordered(item, inOrder));
  if (typeof value !== "object" || value === null) return value;
  const members = new Map(Object.entries(value));
  return Object.fromEntries(
    inOrder([...members.keys()]).map((name) => [name, reordered(members.get(name), inOrder)]),
  );
}
const inOrderOf = (
  events: readonly string[],
  inOrder: (names: readonly string[]) => readonly string[],
): string[] =>
  events.map((event) =>
    event.replace(
      /^data: (\{.*\})$/m,
      (_, data: string) => `data: ${JSON.stringify(reordered(JSON.parse(data), inOrder))}`,
    ),
  );

/** A whole stream costs exactly what its provider counted. */
export async function checkWholeStreams(
  { provider, client }: HonestPair,
  numRuns: number,
): Promise<void> {
  const plan = planOver(callOf(client), provider.speaks);
  await fc.assert(
    fc.asyncProperty(honestWords, honestCounts, order, async (written, counted, inOrder) => {
      const { events: ordinary, billed } = provider.stream(written, counted);
      const events = inOrderOf(ordinary, inOrder);
      const { result } = await answeredStream(plan, events, {
        arrived: events.length,
        ending: "whole",
      });
      expect(result).toMatchObject({ outcome: "success", usage: billed });
      expect(result?.usage).toEqual(billed);
      expect(result?.uncounted).toBeUndefined();
    }),
    { numRuns },
  );
}

/** A whole reply costs exactly what its provider counted, whatever is in it. */
export async function checkReplies(
  { provider, client }: HonestPair,
  numRuns: number,
): Promise<void> {
  const plan = planOver({ ...callOf(client), isStream: false }, provider.speaks);
  await fc.assert(
    fc.asyncProperty(honestWords, honestCounts, order, async (written, counted, inOrder) => {
      const reply = reordered(honestReply(provider, written, counted), inOrder);
      const { outcome, usage, uncounted } = await answeredWhole(plan, reply);
      expect([outcome, usage]).toEqual(["success", provider.stream(written, counted).billed]);
      expect(uncounted).toBeUndefined();
    }),
    { numRuns },
  );
}

/**
 * A stream that ends at any of its events costs what it delivered and what its provider had
 * counted, or its final count.
 */
export async function checkEndings(
  { provider, client }: HonestPair,
  ending: "left" | "cut",
  numRuns: number,
): Promise<void> {
  const plan = planOver(callOf(client), provider.speaks);
  await fc.assert(
    fc.asyncProperty(honestWords, honestCounts, order, async (written, counted, inOrder) => {
      const stream = provider.stream(written, counted);
      const events = inOrderOf(stream.events, inOrder);
      // An ending before the first content lets another channel answer.
      const first = stream.wordsBefore.findIndex((delivered) => delivered > 0);
      for (let arrived = first; arrived < events.length; arrived += 1) {
        expectPaid(
          stream,
          arrived,
          ending,
          await answeredStream(plan, events, { arrived, ending }),
        );
      }
    }),
    { numRuns },
  );
}

/** `paidFor` reads from a usage how much output it pays for. */
export function expectPaid(
  stream: HonestStream,
  arrived: number,
  ending: "left" | "cut",
  { result, recorded, received }: Awaited<ReturnType<typeof answeredStream>>,
  paidFor: (usage: Usage) => number = computeCompletionTokens,
): void {
  if (!result) {
    expect(received).toBe("");
    return;
  }
  const delivered = stream.wordsBefore[arrived] ?? 0;
  const hasFinalCount =
    arrived >= stream.countedAt || (ending === "left" && arrived >= stream.finishedAt);
  if (hasFinalCount) expect(result.usage).toEqual(stream.billed);
  const isSuccess = result.outcome === "success";
  for (const usage of [
    result.usage,
    ...(recorded && !isSuccess && !hasFinalCount ? [recorded] : []),
  ]) {
    expect(paidFor(usage)).toBeGreaterThanOrEqual(delivered);
    expect(paidFor(usage)).toBeGreaterThanOrEqual(stream.countedBefore[arrived] ?? 0);
  }
  if (!hasFinalCount) expect(result.uncounted).toBeDefined();
}
