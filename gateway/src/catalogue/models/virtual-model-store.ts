/** SQL on virtual models. */
import {
  type TargetUsage,
  virtualModelUsageHours,
  virtualModelUsageRows,
} from "@tollgate/contract/catalogue/virtual-models.ts";
import { sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { findNamedRows, type NamedTableRow } from "../../storage/named-rows.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";

const hourMs = 3_600_000;
/** The type of log rows of calls. */
const consume = 2;

export type VirtualModelRow = NamedTableRow<"virtual_models">;
export type VirtualModelStore = ReturnType<typeof createVirtualModelStore>;

export function createVirtualModelStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    ...findNamedRows({ sql, read }, "virtual_models", "virtual_model_name_taken"),

    /** The models of enabled channels as their rows hold them. */
    servedModels: () =>
      read(
        sql
          .selectFrom("channels")
          .select(["models", "hidden_models", "group"])
          .where("status", "=", 1),
      ),

    /** Calls to a name by the model that answered, most calls first. */
    async usage(name: string, now: number): Promise<TargetUsage[]> {
      const since = computeIdFloor(now - virtualModelUsageHours * hourMs);
      // No index leads to the requested name: a bound on rows keeps the scan short on a busy
      // server.
      const newest = sql
        .selectFrom("logs")
        .where("id", ">=", since)
        .selectAll()
        .orderBy("id", "desc")
        .limit(virtualModelUsageRows)
        .as("newest");
      const rows = await read(
        sql
          .selectFrom(newest)
          .where("origin_model_name", "=", name)
          .where("type", "=", consume)
          .groupBy("model_name")
          .select(["model_name as model"])
          .select([
            raw<number>`count(*)`.as("calls"),
            raw<number>`sum(case when outcome = 'failed' then 1 else 0 end)`.as("failures"),
            raw<number>`sum(case when outcome <> 'failed' and retries > 0 then 1 else 0 end)`.as(
              "after_failure",
            ),
            raw<number | null>`avg(nullif(ttft_ms, 0))`.as("first_content_ms"),
            raw<number>`sum(prompt_tokens + completion_tokens)`.as("tokens"),
            raw<number>`sum(quota)`.as("quota"),
          ])
          .orderBy("calls", "desc")
          .orderBy("model"),
      );
      return rows.map(({ model, first_content_ms, ...sums }) => ({
        model,
        calls: Number(sums.calls),
        failures: Number(sums.failures),
        after_failure: Number(sums.after_failure),
        first_content_ms: first_content_ms === null ? null : Math.round(Number(first_content_ms)),
        tokens: Number(sums.tokens),
        quota: Number(sums.quota),
      }));
    },
  };
}
