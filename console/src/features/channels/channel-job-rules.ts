import type { ChannelJob } from "@tollgate/contract/channel-jobs.ts";

/** Somebody may come back to see how it went; after an hour nobody asks. */
const visibleForMs = 3_600_000;

/** What runs, and what has ended lately and was not put away. */
export function shownJobs(jobs: readonly ChannelJob[], dismissed: ReadonlySet<number>, now: number): ChannelJob[] {
  return jobs.filter(
    ({ id, state, started_at, ended_at }) =>
      state === "running" || (!dismissed.has(id) && (ended_at ?? started_at) > now - visibleForMs),
  );
}
