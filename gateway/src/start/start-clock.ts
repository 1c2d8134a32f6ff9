/**
 * The start of a gateway on a log whose newest entry is ahead of the clock, and its refusal. Ids
 * are times and never go back.
 */
import { ConfigError } from "../config/config-error.ts";
import type { ClockJump } from "../storage/steady-clock.ts";
import { buildIdsAhead } from "../storage/time-ids.ts";

interface ClockLog {
  warn(fields: object, text: string): void;
}

const formatUtc = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replace("T", " ")} UTC`;

/**
 * Throws `ConfigError` where new rows would be dated far ahead, unless the operator accepts that.
 */
export function requireStartClock(
  newestAt: number,
  { now, acceptsFutureIds, log }: { now: number; acceptsFutureIds: boolean; log: ClockLog },
): void {
  const aheadMs = newestAt - now;
  const ahead = buildIdsAhead(aheadMs);
  if (ahead === "little") return;
  if (ahead === "much" && !acceptsFutureIds)
    throw new ConfigError(
      `the newest entry in the database is of ${formatUtc(newestAt)}, and the clock of this machine shows ${formatUtc(now)}. If the clock is wrong, set it by NTP. If it is right, it was wrong before: serve --accept-future-ids starts all the same: new entries are numbered after it and shown with their right time (docs/operations.md)`,
    );
  log.warn(
    { event: "ids_ahead", newest: formatUtc(newestAt), aheadSeconds: Math.round(aheadMs / 1_000) },
    "the newest entry in the database is ahead of the clock: new entries are numbered after it and shown with their right time",
  );
}

export const tellClockJump =
  (log: ClockLog) =>
  ({ aheadMs, isFollowed }: ClockJump): void =>
    log.warn(
      { event: "clock_jump", aheadSeconds: Math.round(aheadMs / 1_000), followed: isFollowed },
      aheadMs < 0
        ? "the clock was set back: new entries are numbered after the newest one and shown with their right time"
        : isFollowed
          ? "the clock stands by its jump: new entries carry its time"
          : "the clock jumped ahead: entries go on with the time that has passed until the jump has proved right",
    );
