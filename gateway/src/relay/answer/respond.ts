/** Delivers an upstream's reply to the client and returns how it ended and its usage. */

import type { HoldReach } from "../../money/holds/hold-reach.ts";
import type { CallNotes, ReplyToClient, StreamToClient } from "../exchange-parts.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type { AskedReply } from "../formats/call-parts.ts";
import { beginsAsEvents } from "../formats/stream-as-whole.ts";
import type { UpstreamPlan } from "../routing/translation-registry.ts";
import { writeSse } from "../translations/chat-parts.ts";
import type { AnswerBody, UpstreamAnswer } from "../upstream/answer-parts.ts";
import { buildConnectionFailed } from "../upstream/upstream-error.ts";
import { isRecord } from "../wire/json-parts.ts";
import { SseSplitter, serverSentEvents } from "../wire/sse-splitter.ts";
import type { StreamFraming, StreamSplit, StreamSplitter } from "../wire/stream-splitter.ts";
import type { RespondResult, UpstreamPrice, UsageMeter } from "./call-result.ts";
import { respondBytes, respondText } from "./respond-passthrough.ts";
import { respondWhole } from "./respond-whole.ts";
import { StreamResponder } from "./stream-responder.ts";

/** Reads the reply as the request asked for it: as a stream, whole, or as other bytes. */
export async function respond(
  exchange: CallNotes & ReplyToClient & StreamToClient,
  answer: UpstreamAnswer,
  plan: UpstreamPlan,
  cost: UpstreamPrice,
  onMeter: (meter: UsageMeter) => HoldReach | undefined,
  framing: StreamFraming = serverSentEvents,
): Promise<RespondResult> {
  const { call } = plan;
  const type = answer.headers["content-type"] ?? "";
  const { replies } = call.upstream;
  const nonJson = replies.nonJsonReply?.(call, type);
  if (
    call.isStream &&
    (type.includes(framing.contentType) ||
      (framing === serverSentEvents && !nonJson && (await beginsAsStream(answer))))
  ) {
    const splitter = withWholeReply(framing.splitter(call.upstream.eventBytesMax), call);
    return await new StreamResponder(exchange, answer, plan, cost, splitter).run(onMeter);
  }
  const canBeStream = call.isStream && replies.streamFromReply !== undefined;
  if (exchange.hasAnswered && !canBeStream) {
    // A heartbeat, or a channel that failed before its first content, has already begun a stream.
    answer.abort("the answer is no stream");
    return {
      error: buildConnectionFailed("the request asked for a stream, and the reply is not one"),
    };
  }
  if (nonJson === "bytes")
    return await respondBytes(exchange, answer, call, cost.price.rates, onMeter);
  if (nonJson === "text") return await respondText(exchange, answer, call, cost.price.rates);
  return await respondWhole(exchange, answer, plan, cost);
}

/**
 * `beginsAsStream` looks at the answer because some servers send events under another content type;
 * client libraries read them all the same.
 */
const beginsAsStream = async (answer: AnswerBody): Promise<boolean> =>
  beginsAsEvents(await answer.peek());

/**
 * `withWholeReply` gives a whole reply in a body that calls itself a stream of events as the events
 * that it would be: some servers answer so where a stream was asked of a model that has none.
 */
const withWholeReply = (
  splitter: StreamSplitter,
  call: CallFormats & AskedReply,
): StreamSplitter => ({
  push: (chunk) => splitter.push(chunk),
  end(): StreamSplit {
    const last = splitter.end();
    return splitReply(last.bytes, call) ?? last;
  },
});

function splitReply(
  body: Buffer,
  { upstream, wantsUsage }: CallFormats & AskedReply,
): StreamSplit | undefined {
  const { streamFromReply } = upstream.replies;
  const written = streamFromReply ? body.toString("utf8").trim() : "";
  if (!/^[[{]/.test(written)) return undefined;
  const json = parseAny(written);
  // Google sends a list of the events to requests without `alt=sse`.
  if (Array.isArray(json)) return split(json.map(writeSse).join(""));
  if (!isRecord(json) || upstream.errorIn?.(json) || !upstream.readReply(json)) return undefined;
  return split(streamFromReply?.(json, wantsUsage) ?? "");
}

function split(events: string): StreamSplit {
  const bytes = Buffer.from(events);
  return new SseSplitter(bytes.length).push(bytes);
}

function parseAny(written: string): unknown {
  try {
    return JSON.parse(written);
  } catch {
    return undefined;
  }
}
