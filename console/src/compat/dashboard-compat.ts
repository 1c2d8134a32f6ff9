/** Differences of compatible servers in the dashboard. */

import type { DataOf } from "@tollgate/contract/api/endpoint.ts";
import type { listDashboardUsers, ModelUsage } from "@tollgate/contract/figures/dashboard.ts";

export type MeasuredUsage = Pick<ModelUsage, "avg_latency_ms" | "success_rate" | "ttft_ms">;

/**
 * `isMeasured` says whether the server measured the calls: those that did not leave the members
 * out. Null is a day without calls.
 */
export const isMeasured = ({ avg_latency_ms, success_rate }: MeasuredUsage): boolean =>
  !Number.isNaN(avg_latency_ms) || !Number.isNaN(success_rate);

/**
 * `stripAllUsers` leaves out the entry for all users that some compatible servers send; the filter
 * bar adds its own.
 */
export const stripAllUsers = (users: DataOf<typeof listDashboardUsers>) =>
  users.filter((user) => user.id !== "all" && user.uuid !== "all");
