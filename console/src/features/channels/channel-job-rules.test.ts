import type { ChannelJob } from "@tollgate/contract/catalogue/channel-jobs.ts";
import { expect, test } from "vitest";
import { showJobs } from "./channel-job-rules.ts";

const now = 1_795_100_000_000;
const job: ChannelJob = {
  id: 1,
  kind: "test",
  state: "done",
  total: 1,
  done: 1,
  failed: 0,
  started_by: "ada",
  started_at: now - 70_000,
  ended_at: now - 60_000,
  results: [],
};
const idsOf = (...jobs: ChannelJob[]) => showJobs(jobs, new Set([2]), now).map(({ id }) => id);

test("running jobs are shown, and jobs of the last hour until they are dismissed", () => {
  const old = now - 3_600_001;
  expect(idsOf(job)).toEqual([1]);
  expect(idsOf({ ...job, id: 2 })).toEqual([]);
  expect(idsOf({ ...job, id: 2, state: "running", ended_at: null, started_at: old })).toEqual([2]);
  expect(idsOf({ ...job, ended_at: old })).toEqual([]);
  expect(idsOf({ ...job, state: "interrupted", ended_at: null, started_at: old })).toEqual([]);
});
