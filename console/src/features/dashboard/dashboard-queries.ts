import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type Dashboard, getDashboard, listDashboardUsers } from "@tollgate/contract/dashboard.ts";
import { api } from "../../api.ts";
import { ApiError } from "../../api-error.ts";
import { isAdmin, useSession } from "../../session.ts";
import type { DashboardView } from "./dashboard-view.ts";
import type { DateRange } from "./date-range.ts";
import { previousPeriod } from "./date-range.ts";
import type { UsageRow } from "./figures.ts";

type Asked = { view: DashboardView; admin: boolean; today: string; valid: boolean };

const whose = ({ view, admin }: Asked) => (admin ? { user_id: view.user } : {});

const usageOf = (asked: Asked, { from, to }: DateRange) =>
  api.query(getDashboard, { query: { from_date: from, to_date: to, ...whose(asked) } });

/** A server may answer with the bare rows, and with nothing where there are none. */
function rowsIn(data: Dashboard | readonly UsageRow[] | null): readonly UsageRow[] {
  return (data !== null && "logs" in data ? data.logs : data) ?? [];
}

export function useUsage(asked: Asked) {
  return useQuery({
    ...usageOf(asked, asked.view),
    enabled: asked.valid,
    placeholderData: keepPreviousData,
    select: (reply) => rowsIn(reply.data),
  });
}

/** Only where the person may look that far back; a refusal just leaves the comparison out. */
export function usePreviousUsage(asked: Asked) {
  const before = asked.valid ? previousPeriod(asked.view, asked.today, asked.admin) : undefined;
  return useQuery({
    ...usageOf(asked, before ?? asked.view),
    enabled: before !== undefined,
    select: (reply) => rowsIn(reply.data),
  });
}

export function useSummary(asked: Asked) {
  return useQuery({ ...api.query(getDashboard, { query: whose(asked) }), select: (reply) => reply.data });
}

/** Whose usage this person may see. Servers that keep it for root show an administrator what they show everybody. */
export function useScope() {
  const isAsked = isAdmin(useSession().user);
  const users = useQuery({
    ...api.query(listDashboardUsers),
    enabled: isAsked,
    // Some servers send an entry for everybody, some do not: ours stands before the list.
    select: (reply) => reply.data.filter((user) => user.id !== "all" && user.uuid !== "all"),
  });
  const isRefused = users.error instanceof ApiError && users.error.status === 200;
  return {
    admin: isAsked && !isRefused,
    isKnown: !isAsked || !users.isPending,
    /** Absent where there is nobody to choose from. */
    users: isAsked && users.error === null ? (users.data ?? []) : undefined,
  };
}
