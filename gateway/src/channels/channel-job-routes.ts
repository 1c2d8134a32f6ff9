/** What the API answers about background jobs on channels. */
import {
  cancelChannelJob,
  listChannelJobs,
  testChannels,
  testChannelsByGet,
  updateBalances,
  updateBalancesByGet,
} from "@tollgate/contract/channel-jobs.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import type { ChannelJobs } from "./channel-background-jobs.ts";

export const channelJobRoutes = (jobs: ChannelJobs): ApiRoute[] => [
  apiRoute(listChannelJobs, jobs.list),
  // A job is known by its integer alone: no uuid names one, as 0 does not.
  apiRoute(cancelChannelJob, ({ params }) => jobs.cancel(params.id.id ?? 0)),
  ...[testChannelsByGet, testChannels].map((endpoint) =>
    apiRoute(endpoint, ({ query, principal }) => jobs.startTests(query.scope ?? "all", principal)),
  ),
  ...[updateBalancesByGet, updateBalances].map((endpoint) =>
    apiRoute(endpoint, ({ principal }) => jobs.startBalances(principal)),
  ),
];
