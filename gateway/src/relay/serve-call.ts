/** The attempts of a call, until one is answered or none may be tried any more. */

import type { AdmittedCall } from "./admit-call.ts";
import { addCountedUsage } from "./answer/counted-usage.ts";
import { buildLostAnswerResult } from "./answer/lost-answer.ts";
import type { CallSettlement } from "./call-recorder.ts";
import { internalError } from "./call-refusals.ts";
import { findFullChannels } from "./channel-entry.ts";
import { type DeliverDeps, deliverAnswer } from "./deliver-answer.ts";
import type { RelayCall } from "./formats/api-format.ts";
import { isReasoningRejected, stripEarlierReasoning } from "./formats/rejected-reasoning.ts";
import {
  addMarks,
  addTraceContext,
  type PlanDeps,
  planAttempt,
  readRefusalPlace,
} from "./plan-attempt.ts";
import { areBetasRefused, stripRefusedBetas } from "./providers/refused-betas.ts";
import type { RetrySettings } from "./relay-settings.ts";
import type { ChannelAttempt, Revision } from "./routing/attempts.ts";
import { type ChannelCandidate, refuseKeyRateLimited } from "./routing/choose-channels.ts";
import { describeReason } from "./routing/routing-reasons.ts";
import { settle } from "./settle-call.ts";
import { buildAttempts, failAttempt, type TryDeps } from "./try-channels.ts";
import { type SendDeps, send } from "./upstream/send.ts";
import {
  addStateNamed,
  buildConnectionFailed,
  isSentOn,
  type LostAnswer,
  type UpstreamError,
} from "./upstream/upstream-error.ts";
import { stripConditions } from "./value-rules/member-path.ts";
import { correctRefused } from "./value-rules/refused-members.ts";
import type { ValueRule } from "./value-rules/value-rule.ts";

/** `ServeDeps` are what the attempts of a call need, each step its own. */
export type ServeDeps = TryDeps &
  PlanDeps &
  SendDeps &
  DeliverDeps & {
    settings: RetrySettings;
    onError(error: unknown): void;
  };

/**
 * `heartbeatBeforeAnswerMs` is the time without any response from the upstream after which a stream
 * begins its heartbeats.
 */
const heartbeatBeforeAnswerMs = 15_000;

/**
 * Tries the candidates in order. Every hold that was opened ends here, exactly once, however the
 * call ends.
 */
export async function serveCall(admitted: AdmittedCall, deps: ServeDeps): Promise<void> {
  const { exchange, call, caller, recorder } = admitted;
  let upstreamError: UpstreamError | undefined;
  let lostAttempt: LostAttempt | undefined;
  try {
    if (call.isStream && !call.upstream.replies.nonJsonReply)
      exchange.keepAlive(heartbeatBeforeAnswerMs);
    for await (const attempt of buildAttempts(admitted, deps)) {
      upstreamError = undefined;
      if (exchange.hasClientLeft) break;
      const { candidate, channel, key } = attempt;
      recorder.startAttempt(candidate, key);
      const plan = addTraceContext(
        addMarks(planAttempt(attempt, call, deps), attempt, caller),
        attempt,
        exchange,
        deps,
      );
      const sent = await send(deps, plan.call, channel, candidate.cost.model, (upstream) =>
        exchange.onClientLeave(() => upstream.abort("the client left")),
      );
      if ("answer" in sent)
        deps.toldLimits.hear(channel.id, key.index, candidate.model, sent.answer.headers);
      const error =
        "error" in sent ? sent.error : await deliverAnswer(sent, attempt, plan, admitted, deps);
      if (!error) return;
      if (exchange.hasClientLeft) break;
      const revision = reviseRefused(plan.call, error, attempt);
      if (revision && attempt.revise(revision)) {
        recorder.failAttempt(error);
        if (revision.rule) exchange.note(composeCorrectionNote(revision.rule));
        continue;
      }
      upstreamError = addStateNamed(error, namesState(call));
      failAttempt(attempt, upstreamError, admitted, deps);
      if (upstreamError.lost) {
        const isSentAgain = lostAttempt === undefined && deps.settings.sendsLostCallsAgain();
        lostAttempt = { candidate, error: upstreamError, lost: upstreamError.lost };
        if (!isSentAgain) break;
      } else if (!isSentOn(upstreamError, deps.settings.retryStatuses(), namesState(call))) {
        if (!mayOtherModelHelp(upstreamError, admitted)) break;
        attempt.giveUpModel();
      }
    }
    // Other calls used up what was left of budgets or limits.
    if (!upstreamError && !exchange.hasClientLeft)
      upstreamError =
        findFullChannels(recorder.listSkipped(), call.model, deps.now()) ??
        (await readChannelLimitError(admitted, deps));
  } catch (error) {
    deps.onError(error);
    upstreamError = { ...buildConnectionFailed("internal error"), refusal: internalError };
    recorder.failAttempt(upstreamError);
  }
  if (upstreamError) exchange.refuse(upstreamError.refusal);
  const settlement = lostAttempt
    ? await readSettlementOfLost(lostAttempt, admitted, deps)
    : recorder.finishUnanswered(upstreamError);
  await settle(exchange, settlement, deps);
}

const composeCorrectionNote = ({ id, member }: ValueRule): string =>
  `The provider refused ${stripConditions(member)}; the request was sent once more in a form that it takes (rule ${id})`;

/** Another target of a virtual model may have a larger context, or accept what this one refused. */
function mayOtherModelHelp(
  { requestFault }: UpstreamError,
  { call, choice: { routed } }: AdmittedCall,
): boolean {
  if (!routed || namesState(call)) return false;
  return (
    requestFault === "context" || (requestFault === "content" && routed.retries_refused_content)
  );
}

/**
 * The request in a form that this channel may take: without the reasoning of earlier turns, which
 * another account signed, without flags that its host does not know, or with the member corrected
 * that the refusal names.
 */
function reviseRefused(
  call: RelayCall,
  { status, refusal, reported }: UpstreamError,
  attempt: ChannelAttempt,
): Revision | undefined {
  const { message, param } = refusal;
  if (isReasoningRejected({ status, message, code: reported?.code ?? null })) {
    const unsigned = stripEarlierReasoning(call, message);
    return unsigned && { call: unsigned };
  }
  if (areBetasRefused(status, message)) {
    const known = stripRefusedBetas(call, message);
    return known && { call: known };
  }
  return correctRefused(
    call,
    { status, message, param },
    attempt.candidate.cost.model,
    readRefusalPlace(attempt, call),
  );
}

/** An attempt whose provider took the whole request and may have done the work. */
interface LostAttempt {
  candidate: ChannelCandidate;
  error: UpstreamError;
  lost: LostAnswer;
}

async function readSettlementOfLost(
  { candidate, error, lost }: LostAttempt,
  { call, recorder }: AdmittedCall,
  { tokenCounting }: Pick<ServeDeps, "tokenCounting">,
): Promise<CallSettlement> {
  const result = buildLostAnswerResult(call, candidate.cost, error, lost);
  const endedAt = Date.now();
  return recorder.finish(
    candidate,
    await addCountedUsage(result, call, candidate.cost.model, tokenCounting),
    endedAt,
  );
}

/**
 * `namesState` says whether the request names something that one provider keeps: an earlier
 * response, a file, or an id of an unknown kind.
 */
const namesState = ({ refersTo, namesItems, unseen }: AdmittedCall["call"]): boolean =>
  refersTo !== undefined ||
  namesItems === true ||
  [unseen?.stored_state, unseen?.file, unseen?.unknown_id].some(
    (count) => count !== undefined && count > 0,
  );

async function readChannelLimitError(
  { choice, routing: { model, tokenId } }: AdmittedCall,
  { channelLimits }: Pick<ServeDeps, "channelLimits">,
): Promise<UpstreamError> {
  const channels = choice.candidates.map(({ channel }) => channel);
  const waits = await channelLimits.waitsFor(tokenId, channels);
  const waitMs = Math.min(...channels.map(({ id }) => waits.get(id) ?? 0));
  const reason = describeReason({ reason: "limit_reached" });
  return {
    status: 429,
    isRetryable: false,
    reason,
    publicReason: reason,
    refusal: refuseKeyRateLimited(model, waitMs).refusal,
  };
}
