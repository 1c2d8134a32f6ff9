/** What the API answers about background jobs on channels. */
import {
  cancelChannelJob,
  listChannelJobs,
  testChannels,
  testChannelsByGet,
  updateBalances,
  updateBalancesByGet,
} from "@tollgate/contract/channel-jobs.ts";
import { answer, type Route } from "../http/answer.ts";
import type { ChannelJobs } from "./channel-jobs.ts";

export const channelJobRoutes = (jobs: ChannelJobs): Route[] => [
  answer(listChannelJobs, jobs.list),
  // A job is known by its integer alone: no uuid names one, as 0 does not.
  answer(cancelChannelJob, ({ params }) => jobs.cancel(params.id.id ?? 0)),
  ...[testChannelsByGet, testChannels].map((endpoint) =>
    answer(endpoint, ({ query, caller }) => jobs.startTests(query.scope ?? "all", caller)),
  ),
  ...[updateBalancesByGet, updateBalances].map((endpoint) =>
    answer(endpoint, ({ caller }) => jobs.startBalances(caller)),
  ),
];
