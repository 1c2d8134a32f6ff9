/**
 * Limits of an API key, and of all keys of a team together: calls per minute, tokens per minute,
 * calls in parallel.
 *
 * A call counts from its admission on, however it ends, even if it then fails or finds no balance.
 * Of its tokens the estimated prompt counts first, and what was really used once it has ended,
 * cached tokens included; a call that failed before any content used none. A realtime session
 * counts when it ends. A slot is held until the response is complete or broken off.
 *
 * A call that is refused here counts as nothing and costs nothing. Playground keys have no limits.
 */
import type { TokenLimitName } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { Counters, RateDecision, RateWindow } from "../../limits/counters.ts";
import { RelayRefused, refuseDenied } from "../wire/relay-refusal.ts";

const windowMs = 60_000;
/** `slotRetryAfterSeconds` are when a slot becomes free is unknown. */
const slotRetryAfterSeconds = 1;

/** Each is 0 without a limit. */
export type ApiKeyLimits = Readonly<Record<TokenLimitName, number>>;

/** Undefined when there are none, so that calls of such a key skip all checks. */
export function findLimits(row: ApiKeyLimits): ApiKeyLimits | undefined {
  const { rpm_limit, tpm_limit, max_parallel_requests } = row;
  if (rpm_limit <= 0 && tpm_limit <= 0 && max_parallel_requests <= 0) return undefined;
  return { rpm_limit, tpm_limit, max_parallel_requests };
}

/** `LimitHolder` says whose limits they are. */
export type LimitHolder =
  | { kind: "token"; id: number }
  | { kind: "team"; id: number; name: string };

export interface Limited {
  holder: LimitHolder;
  limits: ApiKeyLimits;
}

interface AdmissionRequest extends Limited {
  /** Unique to the call. */
  id: number;
  promptEstimate: number;
}

/** The part of a caller that has limits. */
interface LimitedCaller {
  tokenId: number;
  limits: ApiKeyLimits | undefined;
  teamId: number;
  team: { name: string; limits: ApiKeyLimits | undefined } | undefined;
}

/** `listLimited` gives the key and its team, as far as they have limits. */
export const listLimited = ({ tokenId, limits, teamId, team }: LimitedCaller): Limited[] => [
  ...(limits ? [{ holder: { kind: "token", id: tokenId } as const, limits }] : []),
  ...(team?.limits
    ? [{ holder: { kind: "team", id: teamId, name: team.name } as const, limits: team.limits }]
    : []),
];

/** `UsedLimit` says how far the call has used a limit up. */
export interface UsedLimit {
  unit: "requests" | "tokens";
  limit: number;
  left: number;
  resetMs: number;
}

/** A call that was admitted. */
export interface Admission {
  /** The limits that the key has, as its client is told. */
  used: readonly UsedLimit[];
  /**
   * The response is delivered, so the client may call again at once. What the call used is not
   * known yet.
   */
  releaseSlot(): void;
  /** The call has ended and used this many tokens. Only the first call of this function counts. */
  finish(tokensUsed: number): void;
  /** Leaves no count behind: something else refuses the call. */
  undo(): void;
}

/** The part of an exchange that admission counts and tells. */
interface AdmittedExchange {
  readonly id: number;
  learn(found: { admission: Admission }): void;
}

/**
 * Counts a call of a key or team that has limits. Throws `RelayRefused`; the admission must be
 * finished when the call ends.
 */
export async function admitWithinLimits(
  exchange: AdmittedExchange,
  caller: LimitedCaller,
  promptEstimate: number,
  { counters, now }: { counters: Counters; now: () => number },
): Promise<void> {
  const admissions: Admission[] = [];
  try {
    for (const limited of listLimited(caller))
      admissions.push(await admit({ id: exchange.id, ...limited, promptEstimate }, counters, now));
  } catch (error) {
    for (const admission of admissions) admission.undo();
    throw error;
  }
  if (admissions.length > 0) exchange.learn({ admission: joinAdmissions(admissions) });
}

/** The client is told of each unit the limit that leaves least. */
function joinAdmissions(admissions: readonly Admission[]): Admission {
  const [first, ...others] = admissions;
  if (first && others.length === 0) return first;
  const used = (["requests", "tokens"] as const).flatMap((unit) => {
    const ofUnit = admissions.flatMap((one) => one.used.filter((limit) => limit.unit === unit));
    return ofUnit.sort((one, other) => one.left - other.left).slice(0, 1);
  });
  return {
    used,
    releaseSlot() {
      for (const one of admissions) one.releaseSlot();
    },
    finish(tokensUsed) {
      for (const one of admissions) one.finish(tokensUsed);
    },
    undo() {
      for (const one of admissions) one.undo();
    },
  };
}

/** Counts the call and takes its slot. Throws `RelayRefused` and leaves no count behind. */
export async function admit(
  { id, holder, limits, promptEstimate }: AdmissionRequest,
  counters: Counters,
  now: () => number,
): Promise<Admission> {
  const { rpm_limit, tpm_limit, max_parallel_requests } = limits;
  const { calls, tokens, slots, estimate } = buildCounters({ holder, limits, promptEstimate });
  const member = String(id);
  const rollback: (() => void)[] = [];
  const used: UsedLimit[] = [];
  const take = async (
    unit: UsedLimit["unit"],
    [window, amount]: readonly [RateWindow, number],
    refused: (waitMs: number) => RelayRefused,
  ): Promise<void> => {
    const decision = await counters.take(window, amount);
    if (!decision.allowed) throw refused(decision.retryAfterMs);
    const { left, resetMs } = decision;
    used.push({ unit, limit: window.limit, left, resetMs });
  };
  try {
    if (max_parallel_requests > 0) {
      if (!(await counters.acquire(slots, max_parallel_requests, member)))
        throw refuseTooManyInParallel(holder, max_parallel_requests);
      rollback.push(() => counters.release(slots, member));
    }
    if (rpm_limit > 0) {
      await take("requests", [calls, 1], (waitMs) => refuseTooManyCalls(holder, rpm_limit, waitMs));
      rollback.push(() => counters.refund(calls));
    }
    if (tpm_limit > 0) {
      await take("tokens", [tokens, estimate], (waitMs) =>
        refuseTooManyTokens(holder, tpm_limit, estimate, waitMs),
      );
      rollback.push(() => counters.refund(tokens, estimate));
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
    used,
    releaseSlot: releaseSlot,
    finish(tokensUsed) {
      if (hasEnded) return;
      hasEnded = true;
      releaseSlot();
      if (tpm_limit > 0) counters.refund(tokens, estimate - tokensUsed, now() - admittedAt);
    },
    undo() {
      hasEnded = true;
      isSlotReleased = true;
      for (const step of rollback) step();
    },
  };
}

/** `limitRefusal` gives what `admit` would refuse at this moment, without counting anything. */
export async function limitRefusal(
  request: Omit<AdmissionRequest, "id">,
  counters: Counters,
): Promise<RelayRefused | undefined> {
  const { holder } = request;
  const { rpm_limit, tpm_limit, max_parallel_requests } = request.limits;
  const { calls, tokens, slots, estimate } = buildCounters(request);
  if (max_parallel_requests > 0 && !(await counters.hasFreeSlot(slots, max_parallel_requests)))
    return refuseTooManyInParallel(holder, max_parallel_requests);
  const callsWaitMs = rpm_limit > 0 ? await counters.wait(calls) : 0;
  if (callsWaitMs > 0) return refuseTooManyCalls(holder, rpm_limit, callsWaitMs);
  const tokensWaitMs = tpm_limit > 0 ? await counters.wait(tokens, estimate) : 0;
  return tokensWaitMs > 0
    ? refuseTooManyTokens(holder, tpm_limit, estimate, tokensWaitMs)
    : undefined;
}

const buildCounters = ({ holder, limits, promptEstimate }: Omit<AdmissionRequest, "id">) => ({
  calls: buildCalls(holder, limits.rpm_limit),
  tokens: { name: `${holder.kind}-tokens ${holder.id}`, limit: limits.tpm_limit, windowMs },
  slots: `${holder.kind}-places ${holder.id}`,
  /** Tokens that the call counts for until its usage is known. */
  estimate: Math.max(1, promptEstimate),
});

/**
 * Counting tokens is free of charge, and still uses up the operator's rate limit at the provider:
 * it has a window of the user over all keys, `userMax` per minute or 0 for no limit, and one of the
 * key and of its team that is as large as that of calls. The services of a team are one user.
 */
export async function admitTokenCount(
  caller: LimitedCaller & { userId: number },
  userMax: number,
  counters: Counters,
): Promise<void> {
  const { userId, teamId } = caller;
  for (const { holder, limits } of listLimited(caller)) {
    const max = limits.rpm_limit;
    if (max <= 0) continue;
    const window = { ...buildCalls(holder, max), name: `${holder.kind}-countings ${holder.id}` };
    refuseUnlessAllowed(await counters.take(window), (waitMs) =>
      refuseTooManyCalls(holder, max, waitMs),
    );
  }
  if (userMax > 0) {
    const name = userId > 0 ? `user-countings ${userId}` : `service-countings ${teamId}`;
    const window = { name, limit: userMax, windowMs };
    refuseUnlessAllowed(await counters.take(window), (waitMs) =>
      refuseTooManyCounts(userMax, waitMs),
    );
  }
}

/** `admitFree` is for what costs nothing and is work of the gateway all the same. */
export async function admitFree(
  counters: Counters,
  window: RateWindow,
  message: string,
): Promise<void> {
  refuseUnlessAllowed(await counters.take(window), (waitMs) =>
    refuseDenied(429, message, computeSeconds(waitMs)),
  );
}

const buildCalls = ({ kind, id }: LimitHolder, max: number): RateWindow => ({
  name: `${kind}-calls ${id}`,
  limit: max,
  windowMs,
});

function refuseUnlessAllowed(
  decision: RateDecision,
  refused: (waitMs: number) => RelayRefused,
): void {
  if (!decision.allowed) throw refused(decision.retryAfterMs);
}

const nameHolder = (holder: LimitHolder): string =>
  holder.kind === "token" ? "The API key" : `The keys of the team "${holder.name}" together`;

const computeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** Type, code and headers follow OpenAI; the other formats derive theirs from the status. */
const refuseTooMany = (
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

function refuseTooManyCalls(holder: LimitHolder, max: number, waitMs: number): RelayRefused {
  const seconds = computeSeconds(waitMs);
  const message = `${nameHolder(holder)} may make ${calls(max)} per minute; try again in ${seconds} s`;
  return refuseTooMany("requests", message, seconds, [
    ...["x-ratelimit-limit-requests", String(max)],
    ...["x-ratelimit-remaining-requests", "0"],
    ...["x-ratelimit-reset-requests", `${seconds}s`],
  ]);
}

function refuseTooManyCounts(max: number, waitMs: number): RelayRefused {
  const seconds = computeSeconds(waitMs);
  const times = max === 1 ? "once" : `${max} times`;
  return refuseTooMany(
    "requests",
    `A user may count tokens ${times} per minute; try again in ${seconds} s`,
    seconds,
  );
}

function refuseTooManyTokens(
  holder: LimitHolder,
  max: number,
  estimate: number,
  waitMs: number,
): RelayRefused {
  const limit = ["x-ratelimit-limit-tokens", String(max)];
  if (estimate > max) {
    // Waiting would not help, so no time is given.
    const name =
      holder.kind === "token" ? "the API key" : `the keys of the team "${holder.name}" together`;
    const message = `The prompt has about ${estimate} tokens; ${name} may use ${max} per minute`;
    return refuseTooMany("tokens", message, undefined, limit);
  }
  const seconds = computeSeconds(waitMs);
  const message = `${nameHolder(holder)} may use ${max} tokens per minute, this call about ${estimate}; try again in ${seconds} s`;
  return refuseTooMany("tokens", message, seconds, [
    ...limit,
    "x-ratelimit-reset-tokens",
    `${seconds}s`,
  ]);
}

function refuseTooManyInParallel(holder: LimitHolder, max: number): RelayRefused {
  const message = `${nameHolder(holder)} may make ${calls(max)} at once; try again when one of them has ended`;
  return refuseTooMany("requests", message, slotRetryAfterSeconds);
}

const calls = (count: number): string => (count === 1 ? "1 call" : `${count} calls`);
