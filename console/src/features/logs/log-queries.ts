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
import { api } from "../../api.ts";
import { listPage } from "../../pieces/list-page.ts";
import type { SortedView } from "../../pieces/url-view.ts";
import { completeLog } from "../../wire.ts";
import type { LogQuery } from "./log-filter.ts";

export type LogView = SortedView<(typeof logSorts)[number]>;

/** Everybody's or one's own, listed or searched: four doors to the same rows. */
function doorOf(admin: boolean, keyword: string) {
  if (keyword === "") return admin ? listLogs : listOwnLogs;
  return admin ? searchLogs : searchOwnLogs;
}

const asked = (query: LogQuery, keyword: string, view: LogView) => ({
  ...query,
  ...view,
  ...(keyword === "" ? {} : { keyword }),
});

export function useLogs(query: LogQuery, keyword: string, view: LogView, admin: boolean) {
  return useQuery({
    ...api.query(doorOf(admin, keyword), { query: asked(query, keyword, view) }),
    placeholderData: keepPreviousData,
    select: ({ data, ...reply }) => ({
      ...listPage({ ...reply, data: data.map(completeLog) }, view),
      searchedBackTo: reply.searched_back_to,
    }),
  });
}

export function useLogStat(query: LogQuery, admin: boolean, enabled: boolean) {
  const options = admin ? api.query(getLogStat, { query }) : api.query(getOwnLogStat, { query });
  return useQuery({ ...options, enabled, select: (reply) => reply.data });
}

/** Asks again for the statistics if they are shown. */
export const refreshLogStat = (admin: boolean) => api.refresh(admin ? getLogStat : getOwnLogStat);
