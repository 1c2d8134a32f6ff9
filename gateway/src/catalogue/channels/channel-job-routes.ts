/** API routes for background jobs on channels. */
import {
  cancelChannelJob,
  listChannelJobs,
  testChannels,
  testChannelsByGet,
  updateBalances,
  updateBalancesByGet,
} from "@tollgate/contract/catalogue/channel-jobs.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import type { ChannelJobs } from "./channel-background-jobs.ts";

export const buildChannelJobRoutes = (jobs: ChannelJobs): ApiRoute[] => [
  apiRoute(listChannelJobs, jobs.list),
  // A job has only an integer id: a uuid names none, and neither does 0.
  apiRoute(cancelChannelJob, ({ params }) => jobs.cancel(params.id.id ?? 0)),
  ...[testChannelsByGet, testChannels].map((endpoint) =>
    apiRoute(endpoint, ({ query, principal }) => jobs.startTests(query.scope ?? "all", principal)),
  ),
  ...[updateBalancesByGet, updateBalances].map((endpoint) =>
    apiRoute(endpoint, ({ principal }) => jobs.startBalances(principal)),
  ),
];
