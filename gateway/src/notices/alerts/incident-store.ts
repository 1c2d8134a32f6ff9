/**
 * SQL on what happened in a span of time. Every statement is bounded, and uses the index on calls
 * with problems.
 */

import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import { incidentProblemsMax } from "@tollgate/contract/notices/incidents.ts";
import type { LogRowFilter } from "../../figures/logs/log-filter.ts";
import type { LogStore } from "../../figures/logs/log-store.ts";
import type { Database } from "../../storage/database.ts";
import { byTime, type TimeSpan } from "../../storage/log-time.ts";
import { computeIdFloor, computeIdTime } from "../../storage/time-ids.ts";
import type { AlertRow } from "./alert-store.ts";
import type { IncidentCall } from "./incident-rules.ts";

/** Entries of the record of changes in a span of hours; more are made by programs. */
const changesMax = 200;
const alertsMax = 200;

export interface IncidentChange {
  at: number;
  action: string;
  /** Empty for what the gateway did itself. */
  actor: string;
  target: string;
  /** JSON. */
  change: string;
}

export type IncidentStore = ReturnType<typeof createIncidentStore>;

export function createIncidentStore({ sql, read }: Pick<Database, "sql" | "read">, logs: LogStore) {
  return {
    /**
     * Calls that did not go smoothly, the oldest first, and the moment of the oldest where there
     * are more.
     */
    async calls(span: TimeSpan): Promise<{ calls: IncidentCall[]; readFrom: number | null }> {
      const filter: LogRowFilter = { ...span, isProblem: true };
      const page = {
        column: byTime,
        direction: "desc",
        limit: incidentProblemsMax + 1,
        offset: 0,
      } as const;
      const found = await logs.page(filter, page);
      const rows = found.slice(0, incidentProblemsMax).reverse();
      const [oldest] = rows;
      if (oldest === undefined) return { calls: [], readFrom: null };
      const traces = await read(
        sql
          .selectFrom("traces")
          .select(["id", "data"])
          .where("id", ">=", oldest.id)
          .where("id", "<", computeIdFloor(span.to))
          .where(
            "id",
            "in",
            rows.map(({ id }) => id),
          ),
      );
      const byId = new Map(traces.map(({ id, data }) => [id, JSON.parse(data) as TraceRecord]));
      return {
        calls: rows.map((row) => ({ ...row, trace: byId.get(row.id) })),
        readFrom: found.length > incidentProblemsMax ? computeIdTime(oldest.id) : null,
      };
    },

    /** Alerts of operators that fired at some time of the span. */
    alerts: ({
      from,
      to,
    }: TimeSpan): Promise<Pick<AlertRow, "rule" | "since" | "resolved_at" | "facts">[]> =>
      read(
        sql
          .selectFrom("alerts")
          .select(["rule", "since", "resolved_at", "facts"])
          .where("user_id", "=", 0)
          .where("since", "<", to)
          .where(({ or, eb }) => or([eb("resolved_at", "is", null), eb("resolved_at", ">=", from)]))
          .orderBy("since", "desc")
          .limit(alertsMax),
      ) as Promise<Pick<AlertRow, "rule" | "since" | "resolved_at" | "facts">[]>,

    changes: async ({ from, to }: TimeSpan): Promise<IncidentChange[]> =>
      (
        await read(
          sql
            .selectFrom("audit_entries")
            .leftJoin("users", "users.id", "audit_entries.actor_id")
            .select([
              "audit_entries.at",
              "audit_entries.action",
              "audit_entries.target",
              "audit_entries.change",
            ])
            .select("users.username as actor")
            .where("audit_entries.at", ">=", from)
            .where("audit_entries.at", "<", to)
            .orderBy("audit_entries.at", "desc")
            .orderBy("audit_entries.id", "desc")
            .limit(changesMax),
        )
      ).map((row) => ({ ...row, actor: row.actor ?? "" })),
  };
}
