import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  getLogStat,
  getOwnLogStat,
  listLogs,
  listOwnLogs,
  type logSorts,
  searchLogs,
  searchOwnLogs,
} from "@tollgate/contract/logs.ts";
import { api } from "../../api-queries.ts";
import { toListPage } from "../../components/list-page.ts";
import type { SortedView } from "../../components/url-view.ts";
import type { LogFilterQuery } from "./log-filter-values.ts";

export type LogListView = SortedView<(typeof logSorts)[number]>;

/** Picks the endpoint: all users' or own logs, list or search. */
function endpointFor(admin: boolean, keyword: string) {
  if (keyword === "") return admin ? listLogs : listOwnLogs;
  return admin ? searchLogs : searchOwnLogs;
}

const listQuery = (query: LogFilterQuery, keyword: string, view: LogListView) => ({
  ...query,
  ...view,
  ...(keyword === "" ? {} : { keyword }),
});

export function useLogs(query: LogFilterQuery, keyword: string, view: LogListView, admin: boolean) {
  return useQuery({
    ...api.query(endpointFor(admin, keyword), { query: listQuery(query, keyword, view) }),
    placeholderData: keepPreviousData,
    select: (reply) => ({ ...toListPage(reply, view), searchedBackTo: reply.searched_back_to }),
  });
}

export function useLogStat(query: LogFilterQuery, admin: boolean, enabled: boolean) {
  const options = admin ? api.query(getLogStat, { query }) : api.query(getOwnLogStat, { query });
  return useQuery({ ...options, enabled, select: (reply) => reply.data });
}

/** Refetches the statistics if they are shown. */
export const refreshLogStat = (admin: boolean) => api.refresh(admin ? getLogStat : getOwnLogStat);
