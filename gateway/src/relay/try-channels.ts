/** The attempts of an admitted call at one channel after another, whichever kind of call it is. */

import { traceContextMember } from "@tollgate/contract/catalogue/channel-overrides.ts";
import type { CallTracing } from "../telemetry/call-tracing.ts";
import type { AdmittedCall } from "./admit-call.ts";
import { buildChannelEntry, type ChannelEntryDeps } from "./channel-entry.ts";
import type { ArrivedRequest, CallNotes } from "./exchange-parts.ts";
import type { CallFormats } from "./formats/api-format.ts";
import type {
  AskedModel,
  AskedSize,
  LimitedOutput,
  PassedHeaders,
  SentBody,
} from "./formats/call-parts.ts";
import {
  type AttemptDeps,
  type AttemptOptions,
  type ChannelAttempt,
  makeAttempts,
} from "./routing/attempts.ts";
import type { ChannelCandidate } from "./routing/choose-channels.ts";
import type { ExclusionReason } from "./routing/routing-reasons.ts";
import type { UpstreamError } from "./upstream/upstream-error.ts";
import { addWrittenLimit } from "./wanted-hold.ts";

/** `TryDeps` are what one attempt after another reads, enters and reports to. */
export type TryDeps = AttemptDeps &
  ChannelEntryDeps & {
    /** The upstream answered with an error, which may disable the channel or one of its keys. */
    onUpstreamError(
      channelId: number,
      keyIndex: number,
      error: { status: number; type: string; code: unknown },
    ): void;
  };

export interface TracingDeps {
  /** Missing where no spans are sent. */
  tracing: CallTracing | undefined;
}

/** The call as this candidate serves it: the answer names the target of a virtual model. */
export function placeCall<
  Call extends AskedModel & AskedSize & LimitedOutput & SentBody & CallFormats,
>(call: Call, { target }: ChannelCandidate): Call {
  if (target === undefined) return call;
  const { model } = target;
  const { limitToWrite } = call;
  const limited = limitToWrite === undefined ? call : addWrittenLimit(call, model, limitToWrite);
  return { ...limited, model, requestedModel: call.model };
}

/** The request of an attempt, which tells its provider of the trace where the operator lets it. */
export function buildTracedCall<Call extends PassedHeaders & CallFormats>(
  call: Call,
  { channel, candidate }: ChannelAttempt,
  { facts: { trace } }: CallNotes,
  { tracing }: TracingDeps,
): Call {
  const url = trace && channel.urlsFor(candidate.cost.model)[call.upstream.endpoint];
  if (!tracing || !url) return call;
  const sendsContext = channel.settings.config[traceContextMember];
  const headers = tracing.startAttempt(trace, { url, channelType: channel.type, sendsContext });
  return headers.length === 0 ? call : { ...call, headers: [...call.headers, ...headers] };
}

/** `TriedCall` is what is asked of one channel after another. */
export type TriedCall = Pick<AdmittedCall, "choice" | "recorder" | "unitsAt"> & {
  exchange: Pick<ArrivedRequest, "id">;
  routing: AttemptOptions;
};

/** The attempts of an admitted call, best channel first. */
export function buildAttempts(tried: TriedCall, deps: TryDeps) {
  const { choice, routing, recorder } = tried;
  const onSkip = (candidate: ChannelCandidate, why: ExclusionReason): void =>
    recorder.skip(candidate, why);
  const enter = tried.unitsAt && buildChannelEntry(tried, tried.unitsAt, deps);
  return makeAttempts(choice.candidates, enter ? { ...routing, enter } : routing, deps, onSkip);
}

export function failAttempt(
  attempt: ChannelAttempt,
  error: UpstreamError,
  { recorder }: Pick<AdmittedCall, "recorder">,
  deps: Pick<TryDeps, "onUpstreamError">,
) {
  const { channel, key } = attempt;
  recorder.failAttempt(error);
  if (error.reported)
    deps.onUpstreamError(channel.id, key.index, { status: error.status, ...error.reported });
  attempt.failed(error);
}
