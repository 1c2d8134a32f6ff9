/** Differences of compatible servers in the dashboard. */
import type { Dashboard, listDashboardUsers, ModelUsage } from "@tollgate/contract/dashboard.ts";
import type { DataOf } from "@tollgate/contract/endpoint.ts";

/** A row that compatible servers may send as well: without the measured members. */
export type UsageRow = Pick<
  ModelUsage,
  "Day" | "ModelName" | "RequestCount" | "Quota" | "PromptTokens" | "CompletionTokens"
> &
  Partial<Pick<ModelUsage, "failures" | "success_rate" | "avg_latency_ms" | "p95_latency_ms" | "ttft_ms">>;

/** A compatible server may answer with a bare array, or with null for no rows. */
export function usageRows(data: Dashboard | readonly UsageRow[] | null): readonly UsageRow[] {
  return (data !== null && "logs" in data ? data.logs : data) ?? [];
}

/** Only our gateway says how far the previous day was at this time. */
export const sameTimeOf = (data: Dashboard | readonly UsageRow[] | null) =>
  (data !== null && "logs" in data ? (data as Partial<Dashboard>).same_time : undefined) ?? undefined;

/** Some compatible servers send an entry for all users; the filter bar adds its own. */
export const withoutAllUsers = (users: DataOf<typeof listDashboardUsers>) =>
  users.filter((user) => user.id !== "all" && user.uuid !== "all");
