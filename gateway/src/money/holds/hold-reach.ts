/**
 * How far the hold of a running reply reaches, in completion tokens, and how it grows: the reach is
 * computed once for each growth, so that a stream compares two numbers at each event and no charge
 * is computed there.
 */
import {
  computeChannelUnits,
  type EnterChannelCommand,
  type HoldRefusal,
} from "../../storage/money-commands.ts";
import { callCost } from "../prices/buying-price.ts";
import {
  addCallFee,
  charge,
  chooseRate,
  computePicodollars,
  type FrozenPrice,
  groupRatioOne,
  type Pricing,
  picodollarsPerUnit,
  thawPrice,
  type Usage,
} from "../prices/price.ts";
import type { RunningAttempt } from "./running-attempt.ts";

/** More than any model writes: a free answer is covered up to here. */
const reachMax = 10_000_000;
/** The share of the covered tokens from which on the hold grows. */
const growFromShare = 0.75;
/** The hold of a growing reply covers this many completion tokens beyond what was delivered. */
const holdAheadTokens = 4_096;

/** `Grown` is how a growth ended; `gone`: the hold has no reservation any more. */
export type Grown = "held" | HoldRefusal | "gone";

/** `GrowingHold` is the part of a live hold that a growth changes. */
export interface GrowingHold {
  amount: number;
  /**
   * `entered` is the part that it holds besides on the budgets of the channel that it is tried on.
   */
  entered: Pick<EnterChannelCommand, "budgets" | "amount"> | undefined;
  /** `growing` is one growth at a time: two would both add to the same amount. */
  growing: Promise<Grown> | undefined;
}

export interface HoldReach {
  /** Completion tokens that the hold covers; the event that passes them is the last one. */
  tokens: number;
  /** `growFrom` comes from here on the hold should grow. */
  growFrom: number;
  /**
   * Grows the hold; when it resolves, `tokens` says whether it did. Calls while it grows share its
   * end.
   */
  grow(): Promise<void>;
}

/** The completion tokens that `amount` covers beside the other usage. */
export function computeCoveredTokens(
  pricing: Pricing,
  groupRatio: number,
  usage: Usage,
  amount: number,
): number {
  if (pricing.tiers !== undefined && pricing.tiers.length > 0) {
    return findLargestThatFits(
      reachMax,
      (output) => charge(pricing, { ...usage, output }, groupRatio) <= amount,
    );
  }
  // Without tiers a charge is a straight line: a search takes 25 charges, 10 µs for each stream.
  const before = computePicodollars(pricing, { ...usage, output: 0 }) * BigInt(groupRatio);
  const left = BigInt(amount) * picodollarsPerUnit * BigInt(groupRatioOne) - before;
  const perToken = chooseRate(pricing.rates, "output") * BigInt(groupRatio);
  if (left < 0n) return 0;
  return perToken === 0n ? reachMax : Math.min(reachMax, Number(left / perToken));
}

export const growFrom = (tokens: number): number => Math.floor(tokens * growFromShare);

/**
 * The largest whole number from 0 to `max` for which `fits` is true; it must be true up to some
 * number and false above.
 */
export function findLargestThatFits(max: number, fits: (tokens: number) => boolean): number {
  return fits(max) ? max : searchLargest(0, max, fits);
}

/** `low` fits, `high` does not. */
function searchLargest(low: number, high: number, fits: (tokens: number) => boolean): number {
  if (high - low <= 1) return low;
  const middle = Math.floor((low + high) / 2);
  return fits(middle) ? searchLargest(middle, high, fits) : searchLargest(low, middle, fits);
}

/** `HoldGrowth` lets the holds of running replies grow with them. */
export interface HoldGrowth<Hold> {
  /** Grows the hold once the reply needs the second half of what is held ahead of it. */
  growAhead(id: number, hold: Hold, running: RunningAttempt): Promise<void>;
  computeReach(id: number, hold: Hold, running: RunningAttempt): HoldReach;
}

/** `topUp` sets more units aside, `onChannel` of them on the budgets of the entered channel. */
export function createHoldGrowth<Hold extends GrowingHold>(
  topUp: (id: number, hold: Hold, amount: number, onChannel: number) => Promise<Grown>,
  onError: (error: Error) => void,
): HoldGrowth<Hold> {
  async function growAhead(id: number, hold: Hold, running: RunningAttempt): Promise<void> {
    const pricing = thawPrice(running.price);
    const usage = addCallFee(running.usage(), pricing);
    const ahead = { ...usage, output: usage.output + holdAheadTokens / 2 };
    if (charge(pricing, ahead, running.price.group_ratio) <= hold.amount) return;
    const wanted = { ...usage, output: usage.output + holdAheadTokens };
    const result = await growTo(id, hold, wanted, running.price);
    // What is held may still cover what comes; only an answer that outgrew it must end.
    if (
      result !== "held" &&
      result !== "gone" &&
      charge(pricing, usage, running.price.group_ratio) >= hold.amount
    )
      running.stop();
  }

  function growTo(id: number, hold: Hold, wanted: Usage, price: FrozenPrice): Promise<Grown> {
    const wantedAmount = charge(thawPrice(price), wanted, price.group_ratio);
    const { entered } = hold;
    const there = entered
      ? Math.max(0, computeChannelUnits(wantedAmount, callCost(price, wanted)) - entered.amount)
      : 0;
    hold.growing ??= topUp(id, hold, wantedAmount - hold.amount, there)
      .then((result) => {
        if (result === "held") hold.amount = wantedAmount;
        if (result === "held" && entered && hold.entered === entered)
          hold.entered = { ...entered, amount: entered.amount + there };
        return result;
      })
      .finally(() => {
        hold.growing = undefined;
      });
    return hold.growing;
  }

  function computeReach(id: number, hold: Hold, running: RunningAttempt): HoldReach {
    const pricing = thawPrice(running.price);
    const ratio = running.price.group_ratio;
    const usageNow = (): Usage => addCallFee(running.usage(), pricing);
    const covered = (): number => computeCoveredTokens(pricing, ratio, usageNow(), hold.amount);
    const tokens = covered();
    const reach: HoldReach = {
      tokens,
      growFrom: growFrom(tokens),
      async grow() {
        const before = reach.tokens;
        // Until this growth has ended, no event asks for another one.
        reach.growFrom = before;
        try {
          const usage = usageNow();
          const output = Math.max(before, usage.output) + holdAheadTokens;
          const wanted = { ...usage, output };
          const wantedAmount = charge(pricing, wanted, ratio);
          // A growth that is shared may be for less: it began before the newest events.
          let result: Grown = "held";
          while (result === "held" && wantedAmount > hold.amount)
            result = await growTo(id, hold, wanted, running.price);
        } catch (error) {
          onError(error as Error);
        }
        reach.tokens = covered();
        if (reach.tokens > before) reach.growFrom = growFrom(reach.tokens);
      },
    };
    return reach;
  }

  return { growAhead, computeReach };
}
