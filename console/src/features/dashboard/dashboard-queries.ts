import { keepPreviousData, useQuery } from "@tanstack/react-query";
import {
  getDashboard,
  getDashboardInsight,
  listDashboardUsers,
} from "@tollgate/contract/figures/dashboard.ts";
import { ApiError } from "../../api-error.ts";
import { api, atAttempt } from "../../api-queries.ts";
import { stripAllUsers } from "../../compat/dashboard-compat.ts";
import { planTeamQuery } from "../../components/teams/team-payer.ts";
import { isAdmin, useSession } from "../../session.ts";
import type { DashboardView } from "./dashboard-view.ts";
import type { DateRange } from "./date-range.ts";
import { findPreviousPeriod } from "./date-range.ts";

/**
 * `attempt` is one more for each press of Apply with the same view: what fails then clears the
 * figures, as a new view does.
 */
export type DashboardRequest = {
  view: DashboardView;
  admin: boolean;
  /** The team that the figures are about; undefined for those of accounts. */
  team: string | undefined;
  today: string;
  valid: boolean;
  attempt: number;
};

/**
 * Figures of a view that ends today refresh so often, and when the tab comes to the front; not
 * while it is hidden.
 */
const refreshedEveryMs = 60_000;

export const planLiveQuery = ({ to }: DateRange, today: string) =>
  to === today ? ({ refetchInterval: refreshedEveryMs, refetchOnWindowFocus: true } as const) : {};

export const buildUserFilter = ({ view, admin, team }: DashboardRequest) =>
  admin ? { user_id: view.user } : planTeamQuery(team);

const planUsageQuery = (request: DashboardRequest, { from, to }: DateRange) =>
  atAttempt(
    api.query(getDashboard, {
      query: { from_date: from, to_date: to, ...buildUserFilter(request) },
    }),
    request.attempt,
  );

export function useUsage(request: DashboardRequest) {
  return useQuery({
    ...planUsageQuery(request, request.view),
    ...planLiveQuery(request.view, request.today),
    enabled: request.valid,
    placeholderData: keepPreviousData,
    select: ({ data }) => ({
      rows: data.logs,
      users: data.user_logs,
      tokens: data.token_logs,
      sameTime: data.same_time ?? undefined,
    }),
  });
}

/** Only when the user's role may read that far back; a refusal only hides the comparison. */
export function usePreviousUsage(request: DashboardRequest) {
  const previous = request.valid
    ? findPreviousPeriod(request.view, request.today, request.admin)
    : undefined;
  const query = useQuery({
    ...planUsageQuery(request, previous ?? request.view),
    enabled: previous !== undefined,
    select: (reply) => reply.data.logs,
  });
  // A query that is off still holds what the cache has under its key: here the rows of the current
  // period.
  return previous === undefined ? undefined : query.data;
}

export function useSummary(request: DashboardRequest) {
  return useQuery({
    ...atAttempt(api.query(getDashboard, { query: buildUserFilter(request) }), request.attempt),
    ...planLiveQuery(request.view, request.today),
    placeholderData: keepPreviousData,
    select: (reply) => reply.data,
  });
}

export function useInsight(request: DashboardRequest) {
  const { from, to } = request.view;
  const query = api.query(getDashboardInsight, {
    query: { from_date: from, to_date: to, ...buildUserFilter(request) },
  });
  return useQuery({
    ...atAttempt(query, request.attempt),
    ...planLiveQuery(request.view, request.today),
    placeholderData: keepPreviousData,
    select: (reply) => reply.data,
  });
}

/** `sortedByName` sorts by the name that the selector shows. */
function sortedByName<User extends { username: string; display_name: string }>(
  users: readonly User[],
): User[] {
  const shown = ({ display_name, username }: User) => display_name || username;
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return users.toSorted((one, other) => compare(shown(one), shown(other)));
}

/**
 * `useDashboardScope` says whose usage the user may see. A compatible server may reserve the user
 * list for root; an administrator then sees only their own usage.
 */
export function useDashboardScope(team: string | undefined) {
  const isAdminUser = isAdmin(useSession().user) && team === undefined;
  const users = useQuery({
    ...api.query(listDashboardUsers),
    enabled: isAdminUser,
    select: (reply) => sortedByName(stripAllUsers(reply.data)),
  });
  const isRefused = users.error instanceof ApiError && users.error.status === 200;
  return {
    admin: isAdminUser && !isRefused,
    isKnown: !isAdminUser || !users.isPending,
    /** Undefined when there is no choice of users. */
    users: isAdminUser && users.error === null ? (users.data ?? []) : undefined,
  };
}
