import type { ChannelJob } from "@tollgate/contract/catalogue/channel-jobs.ts";

/** Long enough for a user who returns to see the result. */
const visibleForMs = 3_600_000;

/** Running jobs, and recent ones that were not dismissed. */
export function showJobs(
  jobs: readonly ChannelJob[],
  dismissed: ReadonlySet<number>,
  now: number,
): ChannelJob[] {
  return jobs.filter(
    ({ id, state, started_at, ended_at }) =>
      state === "running" || (!dismissed.has(id) && (ended_at ?? started_at) > now - visibleForMs),
  );
}
