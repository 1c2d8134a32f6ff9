/** Asks one account after another to make something, as calls try one channel after another. */

import { findFullChannels } from "../channel-entry.ts";
import type { ArrivedRequest, ClientPresence } from "../exchange-parts.ts";
import type { RetrySettings } from "../relay-settings.ts";
import type { ChannelAttempt } from "../routing/attempts.ts";
import { type ChannelCandidate, refuseKeyRateLimited } from "../routing/choose-channels.ts";
import { buildAttempts, failAttempt, type TriedCall, type TryDeps } from "../try-channels.ts";
import { isAnswerLost } from "../upstream/forward.ts";
import {
  addStateNamed,
  buildConnectionFailed,
  isSentOn,
  mayBeTaken,
  type UpstreamError,
} from "../upstream/upstream-error.ts";
import { noRetryHeaders } from "../wire/relay-refusal.ts";
import { buildBadAnswer } from "./provider-objects.ts";

export type AskDeps = TryDeps & {
  settings: RetrySettings;
  now(): number;
};

/**
 * `AccountAnswer` is what one account said. `unusable`: it has made it, but its answer is of no
 * use, and why.
 */
export type AccountAnswer<Made> = { made: Made } | { error: UpstreamError } | { unusable: string };

export interface AskedCreation extends TriedCall {
  exchange: Pick<ArrivedRequest, "id"> & ClientPresence;
  /**
   * `namesState` says whether the request names what one account keeps, so that no other one is
   * asked.
   */
  namesState: boolean;
}

export interface NotMade {
  error: UpstreamError;
  /** Nobody knows whether the provider has made it. */
  isUncertain: boolean;
  /** The provider has made it, or took the whole request and gave no answer. */
  isLost: boolean;
  /** `at` is where; missing where no account could be asked. */
  at?: ChannelCandidate;
}

export interface MadeAt<Made> {
  attempt: ChannelAttempt;
  made: Made;
}

export type CreationEnd<Made> = MadeAt<Made> | NotMade;

/**
 * Another account is asked only where the one before certainly made nothing: a second one would be
 * kept, and billed, where nobody knows of it. `canRepeat` is asked before each further account.
 * Throws what `ask` throws.
 */
export async function askAccounts<Made>(
  creation: AskedCreation,
  ask: (attempt: ChannelAttempt) => Promise<AccountAnswer<Made>>,
  deps: AskDeps,
  canRepeat: () => boolean = () => true,
): Promise<CreationEnd<Made>> {
  const { exchange, recorder, namesState } = creation;
  let last: NotMade | undefined;
  for await (const attempt of buildAttempts(creation, deps)) {
    recorder.startAttempt(attempt.candidate, attempt.key);
    const asked = await ask(attempt);
    if ("made" in asked) {
      attempt.succeeded();
      return { attempt, made: asked.made };
    }
    const isUnusable = "unusable" in asked;
    const failed = isUnusable
      ? {
          ...buildConnectionFailed(asked.unusable),
          refusal: buildBadAnswer(asked.unusable).refusal,
        }
      : addStateNamed(asked.error, namesState);
    failAttempt(attempt, failed, creation, deps);
    const isUncertain = mayBeTaken(failed);
    const refusal = isUncertain ? { ...failed.refusal, headers: noRetryHeaders } : failed.refusal;
    const isLost = isUnusable || isAnswerLost(failed);
    last = { error: { ...failed, refusal }, isUncertain, isLost, at: attempt.candidate };
    if (isUncertain || exchange.hasClientLeft || !canRepeat()) break;
    if (!isSentOn(failed, deps.settings.retryStatuses(), namesState)) break;
  }
  if (last) return last;
  // Other calls used up what was left of budgets, or those of the same key of the limits.
  const model = creation.choice.candidates[0]?.model ?? "";
  const { refusal } = refuseKeyRateLimited(model, 1_000);
  const full = findFullChannels(recorder.listSkipped(), model, deps.now());
  return {
    error: full ?? { ...buildConnectionFailed("no channel could be tried"), refusal },
    isUncertain: false,
    isLost: false,
  };
}
