/** Until when a balance lasts. Pure. */
const dayMs = 86_400_000;
/** A date further away says no more than "long". */
const daysMax = 365;
/** The owner should top up now. */
const soonDays = 7;

export type BurnDown =
  | { kind: "idle" }
  | { kind: "empty" }
  | { kind: "long" }
  /** The UTC day on which the balance ends, as milliseconds within it. */
  | { kind: "until"; dayMs: number; isSoon: boolean };

/** `balance` and `perDay` are quota units; `now` is in milliseconds. */
export function buildBurnDown(balance: number, perDay: number, now: number): BurnDown {
  if (!(perDay > 0)) return { kind: "idle" };
  if (!(balance > 0)) return { kind: "empty" };
  const days = balance / perDay;
  if (days > daysMax) return { kind: "long" };
  return { kind: "until", dayMs: now + days * dayMs, isSoon: days < soonDays };
}
