import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { getDashboard, getDashboardInsight, listDashboardUsers } from "@tollgate/contract/dashboard.ts";
import { ApiError } from "../../api-error.ts";
import { api, atAttempt } from "../../api-queries.ts";
import { withoutAllUsers } from "../../compat/dashboard-compat.ts";
import { isAdmin, useSession } from "../../session.ts";
import type { DashboardView } from "./dashboard-view.ts";
import type { DateRange } from "./date-range.ts";
import { previousPeriod } from "./date-range.ts";

/** `attempt` is one more for each press of Apply with the same view: what fails then clears the figures, as a new view does. */
export type DashboardRequest = { view: DashboardView; admin: boolean; today: string; valid: boolean; attempt: number };

/** Figures of a view that ends today refresh so often, and when the tab comes to the front; not while it is hidden. */
const refreshedEveryMs = 60_000;

const liveQuery = ({ to }: DateRange, today: string) =>
  to === today ? ({ refetchInterval: refreshedEveryMs, refetchOnWindowFocus: true } as const) : {};

const userFilter = ({ view, admin }: DashboardRequest) => (admin ? { user_id: view.user } : {});

const usageQuery = (request: DashboardRequest, { from, to }: DateRange) =>
  atAttempt(
    api.query(getDashboard, { query: { from_date: from, to_date: to, ...userFilter(request) } }),
    request.attempt,
  );

export function useUsage(request: DashboardRequest) {
  return useQuery({
    ...usageQuery(request, request.view),
    ...liveQuery(request.view, request.today),
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
  const previous = request.valid ? previousPeriod(request.view, request.today, request.admin) : undefined;
  const query = useQuery({
    ...usageQuery(request, previous ?? request.view),
    enabled: previous !== undefined,
    select: (reply) => reply.data.logs,
  });
  // A query that is off still holds what the cache has under its key: here the rows of the current period.
  return previous === undefined ? undefined : query.data;
}

export function useSummary(request: DashboardRequest) {
  return useQuery({
    ...atAttempt(api.query(getDashboard, { query: userFilter(request) }), request.attempt),
    ...liveQuery(request.view, request.today),
    placeholderData: keepPreviousData,
    select: (reply) => reply.data,
  });
}

export function useInsight(request: DashboardRequest) {
  const { from, to } = request.view;
  const query = api.query(getDashboardInsight, { query: { from_date: from, to_date: to, ...userFilter(request) } });
  return useQuery({
    ...atAttempt(query, request.attempt),
    ...liveQuery(request.view, request.today),
    placeholderData: keepPreviousData,
    select: (reply) => reply.data,
  });
}

/** By the name that the selector shows. */
function sortedByName<User extends { username: string; display_name: string }>(users: readonly User[]): User[] {
  const shown = ({ display_name, username }: User) => display_name || username;
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  return users.toSorted((one, other) => compare(shown(one), shown(other)));
}

/**
 * Whose usage the user may see. A compatible server may reserve the user list for root; an administrator then sees only
 * their own usage.
 */
export function useDashboardScope() {
  const isAdminUser = isAdmin(useSession().user);
  const users = useQuery({
    ...api.query(listDashboardUsers),
    enabled: isAdminUser,
    select: (reply) => sortedByName(withoutAllUsers(reply.data)),
  });
  const isRefused = users.error instanceof ApiError && users.error.status === 200;
  return {
    admin: isAdminUser && !isRefused,
    isKnown: !isAdminUser || !users.isPending,
    /** Undefined when there is no choice of users. */
    users: isAdminUser && users.error === null ? (users.data ?? []) : undefined,
  };
}
