/** The times at which a notice is tried, and the notices that become one. Pure. */
import type { NoticeRow } from "../../storage/tables/alert-tables.ts";

const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Before each try; after the last one the notice has failed. As Standard Webhooks proposes. */
const triesAfterMs = [
  0,
  5_000,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
] as const;
/** So that receivers that failed together are not tried together. */
const jitter = 0.1;
/** `retryAfterMaxMs` are what a receiver may ask for: a day. */
const retryAfterMaxMs = 24 * hourMs;

/** Chat services take about twenty messages in a minute. */
export const sentPerMinuteMax = 20;
/** Fewer are read one by one. */
const digestMin = 5;
/** A digest names this many alerts; the body stays below 20 kB. */
const digestMax = 50;

/** Longer than a try takes: a node that died is followed by another one after it. */
export const leaseMs = minuteMs;

/**
 * `findNextTry` says when a notice is due after `tries` failed tries; undefined when it has failed.
 * `random` is from 0 to 1.
 */
export function findNextTry(
  tries: number,
  now: number,
  retryAfterMs: number,
  random: number,
): number | undefined {
  const after = triesAfterMs[tries];
  if (after === undefined) return undefined;
  const spread = after * (1 - jitter + 2 * jitter * random);
  return Math.round(now + Math.max(spread, Math.min(retryAfterMs, retryAfterMaxMs)));
}

type Waiting = Pick<NoticeRow, "id" | "rule" | "tries" | "transition">;

/**
 * `findNextDigest` says which untried notices of a destination become one digest: those of one rule
 * and transition, and where the destination has got as many as it takes, all of them.
 */
export function findNextDigest<Notice extends Waiting>(
  waiting: readonly Notice[],
  isFull: boolean,
): Notice[] | undefined {
  const groups = Map.groupBy(
    waiting.filter(({ tries, transition }) => tries === 0 && transition !== "digest"),
    ({ rule, transition }) => (isFull ? "" : `${rule} ${transition}`),
  );
  for (const group of groups.values())
    if (group.length >= digestMin) return group.slice(0, digestMax);
  return undefined;
}
