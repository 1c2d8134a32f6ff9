/**
 * Limits of an API key: calls per minute, tokens per minute, calls in parallel.
 *
 * A call counts from its admission on, however it ends, even if it then fails or finds no balance. Of its tokens the
 * estimated prompt counts first, and what was really used once it has ended, cached tokens included; a call that failed
 * before any content used none. A realtime session counts when it ends. A slot is held until the response is complete
 * or broken off.
 *
 * A call that is refused here counts as nothing and costs nothing. Playground keys have no limits.
 */
import type { TokenLimitName } from "@tollgate/contract/tokens.ts";
import type { Counters, RateDecision, RateWindow } from "../../limits/counters.ts";
import { RelayRefused } from "../wire/relay-refusal.ts";

const windowMs = 60_000;
/** When a slot becomes free is unknown. */
const slotRetryAfterSeconds = 1;

/** Each is 0 without a limit. */
export type ApiKeyLimits = Readonly<Record<TokenLimitName, number>>;

/** Undefined when there are none, so that calls of such a key skip all checks. */
export function limitsOf(row: ApiKeyLimits): ApiKeyLimits | undefined {
  const { rpm_limit, tpm_limit, max_parallel_requests } = row;
  if (rpm_limit <= 0 && tpm_limit <= 0 && max_parallel_requests <= 0) return undefined;
  return { rpm_limit, tpm_limit, max_parallel_requests };
}

interface AdmissionRequest {
  /** Unique to the call. */
  id: number;
  tokenId: number;
  limits: ApiKeyLimits;
  promptEstimate: number;
}

/** A call that was admitted. */
export interface Admission {
  /** The response is delivered, so the client may call again at once. What the call used is not known yet. */
  releaseSlot(): void;
  /** The call has ended and used this many tokens. Only the first call of this function counts. */
  finish(tokensUsed: number): void;
}

/** Counts the call and takes its slot. Throws `RelayRefused` and leaves no count behind. */
export async function admit(
  { id, tokenId, limits, promptEstimate }: AdmissionRequest,
  counters: Counters,
  now: () => number,
): Promise<Admission> {
  const { rpm_limit, tpm_limit, max_parallel_requests } = limits;
  const { calls, tokens, slots, estimate } = countersOf({ tokenId, limits, promptEstimate });
  const member = String(id);
  const rollback: (() => void)[] = [];
  try {
    if (max_parallel_requests > 0) {
      if (!(await counters.acquire(slots, max_parallel_requests, member)))
        throw tooManyInParallel(max_parallel_requests);
      rollback.push(() => counters.release(slots, member));
    }
    if (rpm_limit > 0) {
      refuseUnlessAllowed(await counters.take(calls), (waitMs) => tooManyCalls(rpm_limit, waitMs));
      rollback.push(() => counters.refund(calls));
    }
    if (tpm_limit > 0) {
      refuseUnlessAllowed(await counters.take(tokens, estimate), (waitMs) =>
        tooManyTokens(tpm_limit, estimate, waitMs),
      );
    }
  } catch (error) {
    for (const step of rollback) step();
    throw error;
  }
  const admittedAt = now();
  let isSlotReleased = max_parallel_requests <= 0;
  let hasEnded = false;
  const releaseSlot = (): void => {
    if (!isSlotReleased) counters.release(slots, member);
    isSlotReleased = true;
  };
  return {
    releaseSlot: releaseSlot,
    finish(tokensUsed) {
      if (hasEnded) return;
      hasEnded = true;
      releaseSlot();
      if (tpm_limit > 0) counters.refund(tokens, estimate - tokensUsed, now() - admittedAt);
    },
  };
}

/** What `admit` would refuse at this moment, without counting anything. */
export async function limitRefusal(
  request: Omit<AdmissionRequest, "id">,
  counters: Counters,
): Promise<RelayRefused | undefined> {
  const { rpm_limit, tpm_limit, max_parallel_requests } = request.limits;
  const { calls, tokens, slots, estimate } = countersOf(request);
  if (max_parallel_requests > 0 && !(await counters.hasFreeSlot(slots, max_parallel_requests)))
    return tooManyInParallel(max_parallel_requests);
  const callsWaitMs = rpm_limit > 0 ? await counters.wait(calls) : 0;
  if (callsWaitMs > 0) return tooManyCalls(rpm_limit, callsWaitMs);
  const tokensWaitMs = tpm_limit > 0 ? await counters.wait(tokens, estimate) : 0;
  return tokensWaitMs > 0 ? tooManyTokens(tpm_limit, estimate, tokensWaitMs) : undefined;
}

const countersOf = ({ tokenId, limits, promptEstimate }: Omit<AdmissionRequest, "id">) => ({
  calls: callsOf(tokenId, limits.rpm_limit),
  tokens: { name: `token-tokens ${tokenId}`, limit: limits.tpm_limit, windowMs },
  slots: `token-places ${tokenId}`,
  /** Tokens that the call counts for until its usage is known. */
  estimate: Math.max(1, promptEstimate),
});

/**
 * Counting tokens is free of charge, and still uses up the operator's rate limit at the provider: it has a window of the
 * user over all keys, `userMax` per minute or 0 for no limit, and one of the key that is as large as that of its calls.
 */
export async function admitTokenCount(
  { userId, tokenId, limits }: { userId: number; tokenId: number; limits: ApiKeyLimits | undefined },
  userMax: number,
  counters: Counters,
): Promise<void> {
  const keyMax = limits?.rpm_limit ?? 0;
  if (keyMax > 0) {
    const window = { ...callsOf(tokenId, keyMax), name: `token-countings ${tokenId}` };
    refuseUnlessAllowed(await counters.take(window), (waitMs) => tooManyCalls(keyMax, waitMs));
  }
  if (userMax > 0) {
    const window = { name: `user-countings ${userId}`, limit: userMax, windowMs };
    refuseUnlessAllowed(await counters.take(window), (waitMs) => tooManyCounts(userMax, waitMs));
  }
}

const callsOf = (tokenId: number, max: number): RateWindow => ({
  name: `token-calls ${tokenId}`,
  limit: max,
  windowMs,
});

function refuseUnlessAllowed(decision: RateDecision, refused: (waitMs: number) => RelayRefused): void {
  if (!decision.allowed) throw refused(decision.retryAfterMs);
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Type, code and headers follow OpenAI; the other formats derive theirs from the status. */
const tooMany = (
  type: "requests" | "tokens",
  message: string,
  retryAfter?: number,
  headers: string[] = [],
): RelayRefused =>
  new RelayRefused({
    status: 429,
    type,
    code: "rate_limit_exceeded",
    message,
    ...(retryAfter !== undefined && { retryAfter }),
    headers,
  });

function tooManyCalls(max: number, waitMs: number): RelayRefused {
  const seconds = secondsOf(waitMs);
  const message = `The API key may make ${calls(max)} per minute; try again in ${seconds} s`;
  return tooMany("requests", message, seconds, [
    ...["x-ratelimit-limit-requests", String(max)],
    ...["x-ratelimit-remaining-requests", "0"],
    ...["x-ratelimit-reset-requests", `${seconds}s`],
  ]);
}

function tooManyCounts(max: number, waitMs: number): RelayRefused {
  const seconds = secondsOf(waitMs);
  const times = max === 1 ? "once" : `${max} times`;
  return tooMany("requests", `A user may count tokens ${times} per minute; try again in ${seconds} s`, seconds);
}

function tooManyTokens(max: number, estimate: number, waitMs: number): RelayRefused {
  const limit = ["x-ratelimit-limit-tokens", String(max)];
  if (estimate > max) {
    // Waiting would not help, so no time is given.
    const message = `The prompt has about ${estimate} tokens; the API key may use ${max} per minute`;
    return tooMany("tokens", message, undefined, limit);
  }
  const seconds = secondsOf(waitMs);
  const message = `The API key may use ${max} tokens per minute, this call about ${estimate}; try again in ${seconds} s`;
  return tooMany("tokens", message, seconds, [...limit, "x-ratelimit-reset-tokens", `${seconds}s`]);
}

function tooManyInParallel(max: number): RelayRefused {
  const message = `The API key may make ${calls(max)} at once; try again when one of them has ended`;
  return tooMany("requests", message, slotRetryAfterSeconds);
}

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`);
