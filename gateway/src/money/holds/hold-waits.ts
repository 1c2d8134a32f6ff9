/** The waits of holds for earlier ends, and the results that hold less than was asked for. */
import type { HoldCommand, MoneyResult } from "../../storage/money-commands.ts";

/**
 * Ends of calls are gathered for some milliseconds and stored with a commit; a client waits for no
 * storage that fails.
 */
export const endsWaitMaxMs = 250;

export type OpenedResult = MoneyResult<HoldCommand>;

/** Storage holds less than was asked for, because wallet or token do not cover it. */
export const isShort = (result: OpenedResult | "gone"): boolean =>
  typeof result === "number" ||
  result === "insufficient_user_quota" ||
  result === "pre_consume_token_quota_failed";

/** Resolves when all of `ends` have resolved, or after this time. */
export async function awaitEnds(ends: readonly Promise<void>[], maxMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, maxMs);
  });
  await Promise.race([Promise.all(ends), patience]);
  clearTimeout(timer);
}
