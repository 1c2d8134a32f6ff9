/**
 * What an API key may ask for: calls per minute, tokens per minute, calls at once.
 *
 * - A call counts as one from its admission on, however it ends: also one that then failed or found no balance.
 * - Of its tokens the estimated prompt counts at first, and what was really used once it has ended, cached tokens
 *   included: for a call that failed before any content that is nothing. A realtime session counts when it ends.
 * - A place among the calls at once is held until the answer is complete or broken off.
 *
 * A call that is refused here counts as nothing, costs nothing and leaves no row. Playground keys have no limits.
 */
import type { Counters, RateDecision, RateWindow } from "../limits/counters.ts";
import { Refused } from "./relay-refusal.ts";

const windowMs = 60_000;
/** Nobody knows when a place becomes free. */
const placeRetryAfter = 1;

/** Each 0 where there is no limit. */
export interface TokenLimits {
  rpm_limit: number;
  tpm_limit: number;
  max_parallel_requests: number;
}

/** Undefined when there are none, so that such a key costs a call one look. */
export function limitsOf(row: Readonly<TokenLimits>): TokenLimits | undefined {
  const { rpm_limit, tpm_limit, max_parallel_requests } = row;
  if (rpm_limit <= 0 && tpm_limit <= 0 && max_parallel_requests <= 0) return undefined;
  return { rpm_limit, tpm_limit, max_parallel_requests };
}

interface Asking {
  /** Of the call: no other has it. */
  id: number;
  tokenId: number;
  limits: TokenLimits;
  promptEstimate: number;
}

/** A call that was let in. */
export interface Admission {
  /** Its answer is with the caller, who may ask again at once; what it used is not known yet. */
  answered(): void;
  /** It has ended and used so many tokens. Only the first word counts. */
  ended(tokensUsed: number): void;
}

/** Counts the call and takes its place, or throws `Refused` and leaves no count behind. */
export async function admit(
  { id, tokenId, limits, promptEstimate }: Asking,
  counters: Counters,
  now: () => number,
): Promise<Admission> {
  const { rpm_limit, tpm_limit, max_parallel_requests } = limits;
  const calls = callsOf(tokenId, rpm_limit);
  const tokens: RateWindow = { name: `token-tokens ${tokenId}`, limit: tpm_limit, windowMs };
  const places = `token-places ${tokenId}`;
  const member = String(id);
  const estimate = Math.max(1, promptEstimate);
  const undo: (() => void)[] = [];
  try {
    if (max_parallel_requests > 0) {
      if (!(await counters.acquire(places, max_parallel_requests, member))) throw tooManyAtOnce(max_parallel_requests);
      undo.push(() => counters.release(places, member));
    }
    if (rpm_limit > 0) {
      insist(await counters.take(calls), (waitMs) => tooManyCalls(rpm_limit, waitMs));
      undo.push(() => counters.refund(calls));
    }
    if (tpm_limit > 0) {
      insist(await counters.take(tokens, estimate), (waitMs) => tooManyTokens(tpm_limit, estimate, waitMs));
    }
  } catch (error) {
    for (const step of undo) step();
    throw error;
  }
  const admittedAt = now();
  let hasLeft = max_parallel_requests <= 0;
  let hasEnded = false;
  const leave = (): void => {
    if (!hasLeft) counters.release(places, member);
    hasLeft = true;
  };
  return {
    answered: leave,
    ended(tokensUsed) {
      if (hasEnded) return;
      hasEnded = true;
      leave();
      if (tpm_limit > 0) counters.refund(tokens, estimate - tokensUsed, now() - admittedAt);
    },
  };
}

/** Asking how long a prompt is costs nothing, and is limited for itself, as often as calls are. */
export async function admitCounting(tokenId: number, { rpm_limit }: TokenLimits, counters: Counters): Promise<void> {
  if (rpm_limit <= 0) return;
  const window = { ...callsOf(tokenId, rpm_limit), name: `token-countings ${tokenId}` };
  insist(await counters.take(window), (waitMs) => tooManyCalls(rpm_limit, waitMs));
}

const callsOf = (tokenId: number, most: number): RateWindow => ({
  name: `token-calls ${tokenId}`,
  limit: most,
  windowMs,
});

function insist(turn: RateDecision, refused: (waitMs: number) => Refused): void {
  if (!turn.allowed) throw refused(turn.retryAfterMs);
}

const secondsOf = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Type, code and headers are OpenAI's; the other shapes word what they need from the status. */
const tooMany = (type: "requests" | "tokens", message: string, retryAfter?: number, headers: string[] = []): Refused =>
  new Refused({
    status: 429,
    type,
    code: "rate_limit_exceeded",
    message,
    ...(retryAfter !== undefined && { retryAfter }),
    headers,
  });

function tooManyCalls(most: number, waitMs: number): Refused {
  const seconds = secondsOf(waitMs);
  const message = `The API key may make ${calls(most)} per minute; try again in ${seconds} s`;
  return tooMany("requests", message, seconds, [
    ...["x-ratelimit-limit-requests", String(most)],
    ...["x-ratelimit-remaining-requests", "0"],
    ...["x-ratelimit-reset-requests", `${seconds}s`],
  ]);
}

function tooManyTokens(most: number, estimate: number, waitMs: number): Refused {
  const limit = ["x-ratelimit-limit-tokens", String(most)];
  if (estimate > most) {
    // Waiting would not help, so no time is named.
    const message = `The prompt has about ${estimate} tokens; the API key may use ${most} per minute`;
    return tooMany("tokens", message, undefined, limit);
  }
  const seconds = secondsOf(waitMs);
  const message = `The API key may use ${most} tokens per minute, this call about ${estimate}; try again in ${seconds} s`;
  return tooMany("tokens", message, seconds, [...limit, "x-ratelimit-reset-tokens", `${seconds}s`]);
}

function tooManyAtOnce(most: number): Refused {
  const message = `The API key may make ${calls(most)} at once; try again when one of them has ended`;
  return tooMany("requests", message, placeRetryAfter);
}

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`);
