/**
 * The clock of time ids. Ids never go back, so that one read of a wrong clock would date every
 * later row: a jump ahead is followed only once it has stood for a minute, or PostgreSQL's clock
 * shows the same.
 */
export const jumpMs = 5 * 60_000;
const standsForMs = 60_000;
/** Two reads agree where a correction in small steps may lie between them. */
const agreeMs = 5_000;
/** Clocks of two machines that are both right. */
const serversApartMs = 60_000;
/**
 * `watchEveryMs` counts without calls too: the first one after a suspended machine wakes is dated
 * right if it comes a minute later.
 */
const watchEveryMs = 10_000;

export interface ClockJump {
  /** Negative for a clock that was set back. */
  aheadMs: number;
  /** A jump that is not followed leaves ids at the time that has passed. */
  isFollowed: boolean;
}

export interface SteadyClockSources {
  /** Milliseconds since 1970, as the machine has them. */
  wall(): number;
  /** Milliseconds that have passed, which nobody sets. */
  elapsed(): number;
  /** The clock of the database server. */
  askServer?(): Promise<number>;
  onJump(jump: ClockJump): void;
}

/**
 * Milliseconds since 1970. A clock that is set back is followed at once: ids do not go back by
 * themselves.
 */
export function createSteadyClock({
  wall,
  elapsed,
  askServer,
  onJump,
}: SteadyClockSources): () => number {
  let offset = wall() - elapsed();
  let seen: { offset: number; at: number } | undefined;

  const isAhead = (read: number): boolean => read - offset > jumpMs;

  function follow(read: number): void {
    const aheadMs = Math.round(read - offset);
    offset = read;
    seen = undefined;
    if (Math.abs(aheadMs) > jumpMs) onJump({ aheadMs, isFollowed: true });
  }

  async function compareWithServer(ask: () => Promise<number>): Promise<void> {
    const server = await ask().catch(() => undefined);
    const read = wall() - elapsed();
    if (server !== undefined && isAhead(read) && Math.abs(server - wall()) <= serversApartMs)
      follow(read);
  }

  return () => {
    const ran = elapsed();
    const read = wall() - ran;
    if (!isAhead(read)) follow(read);
    else if (seen === undefined || Math.abs(read - seen.offset) > agreeMs) {
      seen = { offset: read, at: ran };
      onJump({ aheadMs: Math.round(read - offset), isFollowed: false });
      if (askServer) void compareWithServer(askServer);
    } else if (ran - seen.at >= standsForMs) {
      if (!askServer) follow(read);
      else {
        seen = { ...seen, at: ran };
        void compareWithServer(askServer);
      }
    }
    return Math.floor(offset + ran);
  };
}

/** The clock of this machine, watched until the returned function is called. */
export function watchMachineClock(sources: Pick<SteadyClockSources, "askServer" | "onJump">): {
  now(): number;
  stop(): void;
} {
  const now = createSteadyClock({ ...sources, wall: Date.now, elapsed: () => performance.now() });
  const timer = setInterval(now, watchEveryMs);
  timer.unref();
  return { now, stop: () => clearInterval(timer) };
}
