/** Delivers an upstream's reply to the client and returns how it ended and its usage. */
import type { HoldReach } from "../../money/hold-reach.ts";
import type { Usage } from "../../money/price.ts";
import type { ServedTerms } from "../../money/price-factors.ts";
import type { Exchange } from "../exchange.ts";
import type { UsageDetails } from "../formats/usage-details.ts";
import type { ChannelPrice } from "../routing/channel-table.ts";
import type { UpstreamPlan } from "../routing/translation-registry.ts";
import type { UpstreamResponse } from "../upstream/forward.ts";
import { connectionFailed, type UpstreamError } from "../upstream/upstream-error.ts";
import { serverSentEvents } from "../wire/sse-splitter.ts";
import type { StreamFraming } from "../wire/stream-splitter.ts";
import type { UncountedOutput } from "./counted-usage.ts";
import { respondBytes, respondText } from "./respond-passthrough.ts";
import { respondWhole } from "./respond-whole.ts";
import { StreamResponder } from "./stream-responder.ts";

export type CallOutcome = "success" | "client_left" | "cut" | "quota_ran_out";

export interface CallResult {
  outcome: CallOutcome;
  usage: Usage;
  /** Says what of the usage is estimated or implausible; empty when it is the reported usage. */
  note: string;
  /** What the provider reported, and why the charge differs from it; missing where nothing was charged. */
  details?: UsageDetails;
  /** How it ended, in the upstream's words: for administrators, in place of the note. */
  providerWords?: string;
  /** Where the usage is an estimate: what is counted before the charge. */
  uncounted?: UncountedOutput;
  /** Milliseconds since the epoch, 0 when there was none. */
  firstContentAt: number;
  upstreamCompletedAt: number;
  /** The tier, speed and region that the provider says it served. */
  served?: ServedTerms;
}

/** Either a reply was sent to the client, or nothing was and another channel may be tried. */
export type RespondResult = { result: CallResult } | { error: UpstreamError };

/** Usage so far: the renewal of the hold reads it while the reply streams. */
export interface UsageMeter {
  usage(): Usage;
  /** Ends the reply now: the balance is exhausted. */
  stop(): void;
}

/** The upstream's name of the model, its price, and whether its provider may report false usage. */
export interface UpstreamPrice extends Pick<ChannelPrice, "model" | "price"> {
  isDistrusted?: boolean;
}

export async function respond(
  exchange: Exchange,
  answer: UpstreamResponse,
  plan: UpstreamPlan,
  cost: UpstreamPrice,
  onMeter: (meter: UsageMeter) => HoldReach | undefined,
  framing: StreamFraming = serverSentEvents,
): Promise<RespondResult> {
  const { call } = plan;
  const type = answer.headers["content-type"] ?? "";
  if (call.isStream && type.includes(framing.contentType)) {
    const splitter = framing.splitter(call.upstream.eventBytesMax);
    return await new StreamResponder(exchange, answer, plan, cost, splitter).run(onMeter);
  }
  const { replies } = call.upstream;
  const canBeStream = call.isStream && replies.streamFromReply !== undefined;
  if (exchange.hasAnswered && !canBeStream) {
    // A heartbeat, or a channel that failed before its first content, has already begun a stream.
    answer.abort("the answer is no stream");
    return { error: connectionFailed("the request asked for a stream, and the reply is not one") };
  }
  const nonJson = replies.nonJsonReply?.(call, type);
  if (nonJson === "bytes") return await respondBytes(exchange, answer, call, cost.price.rates, onMeter);
  if (nonJson === "text") return await respondText(exchange, answer, call, cost.price.rates);
  return await respondWhole(exchange, answer, plan, cost);
}
