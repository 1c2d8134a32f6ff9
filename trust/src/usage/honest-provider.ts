// What a provider that counts honestly is: a stream of what a model wrote, and the counts that come
// with it.
import { noUsage, type Usage } from "@tollgate/gateway/money/prices/price.ts";
import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";

/**
 * `outputKinds` are what a model can write, one word an event; `scored` is text with its
 * probabilities, `remote` a call of an MCP server, `sealed` reasoning that only its provider can
 * read, and `program` code that the provider runs.
 */
export const outputKinds = [
  "text",
  "reasoning",
  "arguments",
  "custom",
  "legacy",
  "newer",
  "image",
  "audio",
  "file",
  "scored",
  "remote",
  "sealed",
  "program",
] as const;
export type OutputKind = (typeof outputKinds)[number];

export interface WrittenWord {
  kind: OutputKind;
  word: string;
  /** Of several answers (`n`), which one. */
  answer: number;
}

export const base64Of = (word: string): string => Buffer.from(word).toString("base64");
export const scores = (token: string) => [
  { token, logprob: -0.1, bytes: [...Buffer.from(token)], top_logprobs: [] },
];

/** Counts of one call. `reasoning` is never streamed, and part of the output. */
export interface HonestCounts {
  input: number;
  cached: number;
  cacheWrites: number;
  reasoning: number;
  searches: number;
}

export interface HonestStream {
  events: string[];
  /** From this many events on, the client has the end of the output. */
  finishedAt: number;
  /** From this many events on, the provider has reported its final count. */
  countedAt: number;
  /** Words in the events before each index. */
  wordsBefore: number[];
  /** Output tokens that the provider had counted in the events before each index. */
  countedBefore: number[];
  /** `billed` is what the provider bills for the whole. */
  billed: Usage;
}

export interface HonestProvider {
  name: string;
  speaks: ApiEndpoint;
  stream(words: readonly WrittenWord[], counts: HonestCounts): HonestStream;
}

export type WireJson = Record<string, unknown>;
interface StreamedEvent {
  data: WireJson | "[DONE]";
  words?: number;
  counted?: number;
  isFinished?: boolean;
  isCounted?: boolean;
}

const sse = (data: WireJson | "[DONE]"): string =>
  `data: ${data === "[DONE]" ? data : JSON.stringify(data)}\n\n`;

export function streamOf(events: readonly StreamedEvent[], billed: Usage): HonestStream {
  const wordsBefore = [0];
  const countedBefore = [0];
  for (const { words = 0, counted } of events) {
    wordsBefore.push((wordsBefore.at(-1) ?? 0) + words);
    countedBefore.push(counted ?? countedBefore.at(-1) ?? 0);
  }
  return {
    events: events.map(({ data }) => sse(data)),
    finishedAt: events.findIndex(({ isFinished }) => isFinished) + 1,
    countedAt: events.findIndex(({ isCounted }) => isCounted) + 1,
    wordsBefore,
    countedBefore,
    billed,
  };
}

export const withSearches = (searches: number): Partial<Usage> =>
  searches > 0 ? { web_searches: searches } : {};

/** `outputOf` gives what a model wrote, and what it thought unseen. */
export const outputOf = (words: readonly WrittenWord[], { reasoning }: HonestCounts): number =>
  words.length + reasoning;

/** The buckets that every family fills. */
export const usualBill = (counts: HonestCounts, output: number): Usage => ({
  ...noUsage,
  input: counts.input,
  cache_read: counts.cached,
  output,
});
