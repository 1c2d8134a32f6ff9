import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Dashboard, getDashboard, listDashboardUsers } from "@tollgate/contract/dashboard.ts";
import { ApiError } from "../../api-error.ts";
import { api } from "../../api-queries.ts";
import { isAdmin, useSession } from "../../session.ts";
import type { DashboardView } from "./dashboard-view.ts";
import type { DateRange } from "./date-range.ts";
import { previousPeriod } from "./date-range.ts";
import type { UsageRow } from "./usage-metrics.ts";

type DashboardRequest = { view: DashboardView; admin: boolean; today: string; valid: boolean };

const userFilter = ({ view, admin }: DashboardRequest) => (admin ? { user_id: view.user } : {});

const usageQuery = (request: DashboardRequest, { from, to }: DateRange) =>
  api.query(getDashboard, { query: { from_date: from, to_date: to, ...userFilter(request) } });

/** A server may answer with the bare rows, and with nothing where there are none. */
function usageRows(data: Dashboard | readonly UsageRow[] | null): readonly UsageRow[] {
  return (data !== null && "logs" in data ? data.logs : data) ?? [];
}

export function useUsage(request: DashboardRequest) {
  return useQuery({
    ...usageQuery(request, request.view),
    enabled: request.valid,
    placeholderData: keepPreviousData,
    select: (reply) => usageRows(reply.data),
  });
}

/** Only where the person may look that far back; a refusal just leaves the comparison out. */
export function usePreviousUsage(request: DashboardRequest) {
  const previous = request.valid ? previousPeriod(request.view, request.today, request.admin) : undefined;
  return useQuery({
    ...usageQuery(request, previous ?? request.view),
    enabled: previous !== undefined,
    select: (reply) => usageRows(reply.data),
  });
}

export function useSummary(request: DashboardRequest) {
  return useQuery({ ...api.query(getDashboard, { query: userFilter(request) }), select: (reply) => reply.data });
}

/** Whose usage this person may see. Servers that keep it for root show an administrator what they show everybody. */
export function useDashboardScope() {
  const isAdminUser = isAdmin(useSession().user);
  const users = useQuery({
    ...api.query(listDashboardUsers),
    enabled: isAdminUser,
    // Some servers send an entry for everybody, some do not: ours stands before the list.
    select: (reply) => reply.data.filter((user) => user.id !== "all" && user.uuid !== "all"),
  });
  const isRefused = users.error instanceof ApiError && users.error.status === 200;
  return {
    admin: isAdminUser && !isRefused,
    isKnown: !isAdminUser || !users.isPending,
    /** Absent where there is nobody to choose from. */
    users: isAdminUser && users.error === null ? (users.data ?? []) : undefined,
  };
}
