/** An attempt at one channel, from the call to a readable response or an error. */
import { setTimeout as pause } from "node:timers/promises";
import type { Egress, Exit } from "../../egress/egress.ts";
import { InvalidChannelKey, type UpstreamRequest } from "../providers/provider.ts";
import {
  buildUpstreamRequest,
  listHeaderSecrets,
  type SendableCall,
} from "../providers/upstream-request.ts";
import type { ChannelAccess, ChannelIdentity, ServedModels } from "../routing/channel-parts.ts";
import type { AbortableCall, AnswerHead } from "./answer-parts.ts";
import { answerError, type ForwardResult, forward, UpstreamResponse } from "./forward.ts";
import type { ProviderTokens } from "./provider-tokens.ts";
import { redactSecrets } from "./redact-secrets.ts";
import { answerLost, buildConnectionFailed, type UpstreamError } from "./upstream-error.ts";

const bodyMax = 64 * 1024 * 1024;
/**
 * `pollWithinMs` are for a provider that must be polled: the longest that clients wait for an
 * image.
 */
const pollWithinMs = 10 * 60_000;

export interface SendDeps {
  egress: Egress;
  providerTokens: ProviderTokens;
  now(): number;
}

export type SendResult = ForwardResult & Pick<UpstreamRequest, "framing">;

/** `onAbortable` receives the object that aborts the current step; the latest counts. */
export async function send(
  { egress, providerTokens, now }: SendDeps,
  call: SendableCall,
  channel: ChannelIdentity & ServedModels & ChannelAccess,
  model: string,
  onAbortable: (call: AbortableCall) => void,
): Promise<SendResult> {
  try {
    const token = channel.provider.tokenExchange
      ? await providerTokens.secretFor(channel)
      : { secret: channel.key };
    if ("error" in token) return { error: redactSecrets(token.error, channel.key) };
    const request = await buildUpstreamRequest(call, channel, model, token.secret, now());
    const exit = egress.through(channel.proxy);
    const forwarded = await forward(exit, request, onAbortable);
    if ("error" in forwarded && forwarded.error.status === 401) providerTokens.invalidate(channel);
    const isWhole =
      "answer" in forwarded &&
      request.readPoll !== undefined &&
      !(call.isStream && isStream(forwarded.answer, request));
    const sent = isWhole
      ? await pollUntilDone(exit, forwarded.answer, request, onAbortable)
      : forwarded;
    const secrets = [channel.key, token.secret, ...listHeaderSecrets(channel.settings.config)];
    if ("error" in sent) return { error: redactSecrets(sent.error, ...secrets) };
    sent.answer.secrets = secrets;
    return request.framing ? { ...sent, framing: request.framing } : sent;
  } catch (error) {
    if (error instanceof InvalidChannelKey) return { error: buildKeyUnusable(error) };
    throw error;
  }
}

/** The message of an unusable key is for operators. */
export const buildKeyUnusable = (error: InvalidChannelKey): UpstreamError =>
  buildConnectionFailed(error.message, "the channel's key cannot be used");

const isStream = ({ headers }: AnswerHead, { framing }: UpstreamRequest): boolean =>
  (headers["content-type"] ?? "").includes(framing?.contentType ?? "text/event-stream");

/** Polls until the provider has the whole reply, or the client has left. */
async function pollUntilDone(
  exit: Exit,
  first: UpstreamResponse,
  { readPoll = (body) => ({ body }) }: UpstreamRequest,
  onAbortable: (call: AbortableCall) => void,
): Promise<ForwardResult> {
  let answer = first;
  const deadline = Date.now() + pollWithinMs;
  while (true) {
    let body: Buffer;
    try {
      body = await answer.readAll(bodyMax);
    } catch (error) {
      return { error: answerError(error as Error, answer.bytesReceived) };
    }
    const poll = readPoll(body);
    if ("body" in poll) return { answer: UpstreamResponse.of(poll.body, answer) };
    if (Date.now() > deadline)
      return {
        error: answerLost("the answer was not ready in time", { cause: "silent", bytes: 0 }),
      };
    const leaving = new AbortController();
    onAbortable(UpstreamResponse.pending(() => leaving.abort()));
    await pause(poll.afterMs, undefined, { signal: leaving.signal }).catch(() => undefined);
    if (leaving.signal.aborted) return { error: buildConnectionFailed("the client left") };
    const forwarded = await forward(exit, poll.request, onAbortable);
    if ("error" in forwarded) return forwarded;
    answer = forwarded.answer;
  }
}
