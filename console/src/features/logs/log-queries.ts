import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  getLogStat,
  getOwnLogStat,
  listLogs,
  listOwnLogs,
  listOwnProblems,
  listProblems,
  type logSorts,
  searchLogs,
  searchOwnLogs,
} from "@tollgate/contract/figures/logs.ts";
import { api, atAttempt } from "../../api-queries.ts";
import { buildListPage } from "../../components/lists/list-page.ts";
import type { SortedView } from "../../components/texts/url-view.ts";
import type { LogFilterQuery } from "./log-filter-values.ts";

export type LogListView = SortedView<(typeof logSorts)[number]>;

/** Picks the endpoint: all users' or own logs, list or search. */
function defineEndpoint(admin: boolean, keyword: string) {
  if (keyword === "") return admin ? listLogs : listOwnLogs;
  return admin ? searchLogs : searchOwnLogs;
}

const listQuery = (query: LogFilterQuery, keyword: string, view: LogListView) => ({
  ...query,
  ...view,
  ...(keyword === "" ? {} : { keyword }),
});

/** `LogRequest` is what list, statistics and problems ask for. */
export type LogRequest = {
  query: LogFilterQuery;
  keyword: string;
  admin: boolean;
  /**
   * `askedAt` is when Refresh or Apply was last pressed, in milliseconds: a range with two fixed
   * ends does not move with the clock.
   */
  askedAt: number;
};

export function useLogs({ query, keyword, admin, askedAt }: LogRequest, view: LogListView) {
  const request = { query: listQuery(query, keyword, view) };
  return useQuery({
    ...atAttempt(api.query(defineEndpoint(admin, keyword), request), askedAt),
    placeholderData: keepPreviousData,
    select: (reply) => ({ ...buildListPage(reply, view), searchedBackTo: reply.searched_back_to }),
  });
}

export function useLogStat({ query, admin, askedAt }: LogRequest, enabled: boolean) {
  const options = admin ? api.query(getLogStat, { query }) : api.query(getOwnLogStat, { query });
  return useQuery({ ...atAttempt(options, askedAt), enabled, select: (reply) => reply.data });
}

export function useProblems({ query, keyword, admin, askedAt }: LogRequest) {
  const request = { query: { ...query, ...(keyword === "" ? {} : { keyword }) } };
  const options = admin ? api.query(listProblems, request) : api.query(listOwnProblems, request);
  return useQuery({
    ...atAttempt(options, askedAt),
    placeholderData: keepPreviousData,
    select: (reply) => ({
      groups: reply.data,
      searchedBackTo: reply.searched_back_to,
      overTime: reply.over_time,
    }),
  });
}

/** Refetches the statistics and the problems if they are shown. */
export const refreshLogFigures = (admin: boolean) =>
  Promise.all(
    (admin ? [getLogStat, listProblems] : [getOwnLogStat, listOwnProblems]).map(api.refresh),
  );
