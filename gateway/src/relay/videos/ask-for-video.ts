/** Asks one channel after another to make a video. */
import { type AdmittedCall, attemptsOf, callAt, failAttempt } from "../admit-call.ts";
import type { RelayDeps } from "../relay-deps.ts";
import type { ChannelAttempt } from "../routing/attempts.ts";
import { keyRateLimited } from "../routing/choose-channels.ts";
import { objectAnswerMax, objectId } from "../stored-files/file-object.ts";
import { readObject } from "../stored-files/provider-objects.ts";
import { send } from "../upstream/send.ts";
import { connectionFailed, mayBeTaken, type UpstreamError } from "../upstream/upstream-error.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { noRetryHeaders, type RelayRefusal } from "../wire/relay-refusal.ts";

const outcomeUnknown: RelayRefusal = {
  status: 502,
  type: "upstream_error",
  code: "video_outcome_unknown",
  message: "The provider gave no usable answer and may make the video, which no client could read. Nothing is charged",
  headers: noRetryHeaders,
};

export type VideoReply =
  | { attempt: ChannelAttempt; answer: JsonRecord; retries: number }
  | { error: UpstreamError; refusal: RelayRefusal };

/** Another channel is asked only where the one before certainly does not make the video. */
export async function askForVideo(admitted: AdmittedCall, deps: RelayDeps): Promise<VideoReply> {
  const { call, recorder } = admitted;
  let retries = -1;
  let last: { error: UpstreamError; refusal: RelayRefusal } | undefined;
  for await (const attempt of attemptsOf(admitted, deps)) {
    const { candidate, channel, key } = attempt;
    retries += 1;
    recorder.startAttempt(candidate, key);
    const sent = await send(deps, callAt(call, candidate), channel, candidate.cost.model, () => undefined);
    if ("answer" in sent) {
      const answer = await readObject(sent.answer, objectAnswerMax).catch(() => undefined);
      if (answer && typeof answer.id === "string" && objectId.test(answer.id)) {
        attempt.succeeded();
        return { attempt, answer, retries };
      }
    }
    const error = "error" in sent ? sent.error : connectionFailed("the answer names no video");
    failAttempt(attempt, error, admitted, deps);
    if (mayBeTaken(error)) return { error, refusal: outcomeUnknown };
    last = { error, refusal: error.refusal };
    if (!error.isRetryable) break;
  }
  if (last) return last;
  // Other calls of the same key used up what was left of the limits.
  const limited = keyRateLimited(call.model, 1_000).refusal;
  return { error: connectionFailed("no channel could be tried"), refusal: limited };
}
