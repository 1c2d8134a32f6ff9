// Sends a stream through the relay without sockets, and compares the output with the expected one.

import { defaultPrice } from "@tollgate/gateway/money/prices/price-book.ts";
import type { RespondResult } from "@tollgate/gateway/relay/answer/call-result.ts";
import { respond } from "@tollgate/gateway/relay/answer/respond.ts";
import type { RelayCall } from "@tollgate/gateway/relay/formats/api-format.ts";
import { converseEvents, invokeEvents } from "@tollgate/gateway/relay/providers/bedrock-events.ts";
import { UpstreamResponse } from "@tollgate/gateway/relay/upstream/forward.ts";
import {
  findEventData,
  SseSplitter,
  serverSentEvents,
} from "@tollgate/gateway/relay/wire/sse-splitter.ts";
import type { StreamFraming } from "@tollgate/gateway/relay/wire/stream-splitter.ts";
import { MalformedStream, type StreamSplit } from "@tollgate/gateway/relay/wire/stream-splitter.ts";
import {
  controllerOf,
  RecordedConnection,
  RecordedResponse,
  recordedExchange,
} from "@tollgate/tests/support/recorded-response.ts";
import { memoize } from "./memoize.ts";
import { type ExpectedEnding, expectedOf, readSse, readStream } from "./reference-reader.ts";
import {
  askedModel,
  cutAgain,
  type StreamCase,
  streamCase,
  upstreamModel,
} from "./stream-cases.ts";

const controller = controllerOf(new RecordedConnection());
const framings = { events: serverSentEvents, converse: converseEvents, invoke: invokeEvents };

interface ReplayResult {
  responded: RespondResult;
  output: Buffer;
  /** The most bytes that were buffered of an incomplete event. */
  pendingMax: number;
}

async function replay(one: StreamCase): Promise<ReplayResult> {
  const { grammar, bytes, cuts, isBroken, eventBytesMax, wantsUsage, rename } = one;
  const { contentType, splitter: splitterOf } = framings[grammar.wire];
  const splitter = splitterOf(eventBytesMax);
  const framing: StreamFraming = { contentType, splitter: () => splitter };
  const response = new RecordedResponse();
  const exchange = recordedExchange(one.seed, response, grammar.client.errorFormat);
  const answer = new UpstreamResponse();
  answer.onResponseStart(controller, 200, { "content-type": contentType });
  const call: RelayCall = {
    model: askedModel,
    isStream: true,
    maxOutputTokens: undefined,
    choiceCount: 1,
    promptEstimate: 100,
    wantsUsage,
    streamOptions: {},
    client: grammar.client,
    upstream: grammar.upstream,
    body: Buffer.alloc(0),
    headers: [],
  };
  const path = { call, translator: undefined, dropped: [] };
  const cost = { model: rename ? upstreamModel : askedModel, price: defaultPrice };
  const responding = respond(exchange, answer, path, cost, () => undefined, framing);
  let pendingMax = 0;
  let start = 0;
  for (const end of [...cuts, bytes.length]) {
    answer.onResponseData(controller, bytes.subarray(start, end));
    // Chunks that arrive in the same turn of the event loop are read together.
    await Promise.resolve();
    if (answer.isAborted) break;
    if (splitter instanceof SseSplitter) pendingMax = Math.max(pendingMax, splitter.pendingBytes);
    start = end;
  }
  if (isBroken) answer.onResponseError(controller, new Error("gone"));
  else answer.onResponseEnd();
  const responded = await responding;
  response.emit("close");
  return { responded, output: Buffer.concat(response.pieces), pendingMax };
}

const endingOf = (responded: RespondResult): string =>
  "error" in responded ? "error" : responded.result.outcome;
const dataIn = (output: Buffer): string[] =>
  readSse(output, false)
    .events.map((data) => data.trim())
    .filter((data) => data !== "");

const compact = memoize((data: string): string => {
  try {
    return JSON.stringify(JSON.parse(data));
  } catch {
    return data;
  }
});

/**
 * The number of ways in which each stream is split; in the first it goes through the whole relay.
 */
export const cutsPerStream = 16;

/** The first problem with the stream of this seed; undefined when there is none. */
export async function findStreamProblem(seed: number): Promise<string | undefined> {
  const one = streamCase(seed);
  try {
    const played = await replay(one);
    const wrong = one.isMangled
      ? differenceOf(played, await replay(cutAgain(one, 1)))
      : replayProblem(one, played);
    return wrong ?? splitProblem(one);
  } catch (error) {
    return `it threw ${(error as Error).stack}`;
  }
}

/** The complete events that leave a splitter, concatenated, and the offset of each end. */
interface SplitStream {
  bytes: Buffer;
  ends: number[];
  isDamaged: boolean;
}

function splitOf({ grammar, bytes, cuts, isBroken, eventBytesMax }: StreamCase): SplitStream {
  const splitter = framings[grammar.wire].splitter(eventBytesMax);
  const passed: Buffer[] = [];
  const ends: number[] = [];
  let length = 0;
  const take = (cut: StreamSplit): void => {
    for (const end of cut.ends) ends.push(length + end);
    const size = cut.ends.at(-1) ?? 0;
    if (size > 0) passed.push(cut.bytes.subarray(0, size));
    length += size;
  };
  let start = 0;
  try {
    for (const end of [...cuts, bytes.length]) {
      take(splitter.push(bytes.subarray(start, end)));
      start = end;
    }
    if (!isBroken) take(splitter.end());
  } catch (error) {
    if (!(error instanceof MalformedStream)) throw error;
    take(error.before);
    return { bytes: Buffer.concat(passed, length), ends, isDamaged: true };
  }
  return { bytes: Buffer.concat(passed, length), ends, isDamaged: false };
}

const isSame = (one: SplitStream, other: SplitStream): boolean =>
  one.isDamaged === other.isDamaged &&
  one.ends.length === other.ends.length &&
  one.ends.every((end, at) => end === other.ends[at]) &&
  one.bytes.equals(other.bytes);

const isWritten = (data: string): boolean => data !== "";

function readOf({ bytes, ends, isDamaged }: SplitStream): string {
  const data = ends.map((end, at) =>
    (findEventData(bytes.toString("utf8", ends[at - 1] ?? 0, end)) ?? "").trim(),
  );
  return JSON.stringify([isDamaged, data.filter(isWritten)]);
}

/**
 * As a whole and in chunks, the stream is split into exactly the events that the reference reader
 * finds.
 */
function splitProblem(one: StreamCase): string | undefined {
  const whole = splitOf({ ...one, cuts: [] });
  const { events, isDamaged } = readStream(one);
  // The relay rewrites Bedrock's events: data that is not an object looks different afterwards.
  if (one.grammar.wire === "events") {
    const expectedValue = JSON.stringify([
      isDamaged,
      events.map((data) => data.trim()).filter(isWritten),
    ]);
    const got = readOf(whole);
    if (got !== expectedValue) return `was split into ${got}, not ${expectedValue}`;
  }
  for (let time = 1; time < cutsPerStream; time += 1) {
    const repeated = cutAgain(one, time);
    const split = splitOf(repeated);
    // A line feed that arrives in its own chunk after its carriage return is dropped.
    if (!isSame(whole, split) && readOf(whole) !== readOf(split)) {
      return `was split into ${readOf(split)}, cut at ${repeated.cuts.join(" ")}, and not into ${readOf(whole)}`;
    }
  }
  return undefined;
}

/**
 * The output does not depend on the split, except for an error that another channel may replace.
 */
function differenceOf(one: ReplayResult, other: ReplayResult): string | undefined {
  const endings = [one, other].map(({ responded }) => endingOf(responded));
  if (endings.includes("error") && endings.includes("cut")) return undefined;
  if (endings[0] !== endings[1]) return `ended as ${endings.join(" and ")}, by how it was cut`;
  const [first, second] = [one, other].map(({ output }) => dataIn(output));
  if (JSON.stringify(first) !== JSON.stringify(second)) {
    return `said ${JSON.stringify(first)} and ${JSON.stringify(second)}, by how it was cut`;
  }
  return undefined;
}

function replayProblem(
  one: StreamCase,
  { responded, output, pendingMax }: ReplayResult,
): string | undefined {
  const expected = expectedOf(one);
  const ending = endingOf(responded);
  if (pendingMax > one.eventBytesMax) return `${pendingMax} bytes were kept`;
  if (!expected.endings.includes(ending as ExpectedEnding))
    return `ended as ${ending}, not as ${expected.endings.join(" or ")}`;
  if ("error" in responded)
    return output.length === 0 ? undefined : `another channel may answer, and this one has begun`;
  // The relay removes Bedrock's own metrics from events, which it then rewrites.
  const isRewritten = one.grammar.wire === "invoke";
  const got = isRewritten ? dataIn(output).map(compact) : dataIn(output);
  const expectedValue = isRewritten
    ? expected.events.map((event) => ({ ...event, data: compact(event.data) }))
    : expected.events;
  let at = 0;
  for (const { data, isSure } of expectedValue) {
    if (got[at] === data) at += 1;
    else if (isSure) return `event ${at} is ${got[at]}, not ${data}`;
  }
  const tail = got.slice(at).join(" ");
  const { upstream, done } = one.grammar;
  const last = expectedValue.at(-1)?.data;
  const isWhole = done !== undefined && last === (done === "[DONE]" ? done : last) && tail === "";
  const terminator = dataIn(Buffer.from(upstream.terminator)).join(" ");
  if (ending === "success" && !isWhole && tail !== terminator)
    return `after a whole answer came ${tail}`;
  if (ending === "cut" && !tail.includes('"error"')) return `a cut answer ended with ${tail}`;
  const { usage, uncounted } = responded.result;
  if (expected.usage && ending === "success") {
    const { input, output: tokens, isExact } = expected.usage;
    const isCharged = isExact
      ? usage.input === input && usage.output === tokens
      : usage.input >= input && usage.output >= tokens;
    if (!isCharged) {
      return `charged ${usage.input} and ${usage.output} tokens, not ${input} and ${tokens}`;
    }
  }
  const text = uncounted?.sample.parts.join("");
  if (
    uncounted &&
    expected.text !== undefined &&
    expected.text.length < 8_000 &&
    text !== expected.text
  ) {
    return `counted ${JSON.stringify(text)}, not ${JSON.stringify(expected.text)}`;
  }
  return undefined;
}
