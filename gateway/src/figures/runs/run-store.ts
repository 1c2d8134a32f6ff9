/** SQL on runs of agents. A run is found by its name, and lists by an index on its latest call. */
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { runStepsMax } from "@tollgate/contract/figures/runs.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { readIdTimes } from "../../storage/id-clock.ts";
import { byReference, type PagedRows, readPagedList } from "../../storage/paged-list.ts";
import type { PageQuery } from "../../storage/pagination.ts";
import { isKeptFor, type PayerScope } from "../../storage/payer-scope.ts";
import type { RunPartRow, RunRow } from "../../storage/tables/run-tables.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";

/** `NamedRun` comes with the names of its account and key; null for what is gone. */
export type NamedRun = RunRow & { username: string | null; token_name: string | null };

export interface RunFilter {
  /** `payer` is missing for the whole site. */
  payer?: PayerScope | undefined;
  user?: Reference | undefined;
  /** `since` comes with a call since this moment. */
  since?: number | undefined;
}

/** Calls of a run whose costs are added up for its page. */
const costedCallsMax = 20_000;
/** More models and tools than a page shows; the gateway names at most a hundred tools of a run. */
const partsMax = 200;
const runKeptMs = 400 * 86_400_000;
const purgedMax = 1_000;

export type AgentRunStore = ReturnType<typeof createRunStore>;

export function createRunStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const named = () =>
    sql
      .selectFrom("runs")
      .leftJoin("users", "users.id", "runs.user_id")
      .leftJoin("tokens", "tokens.id", "runs.token_id")
      .selectAll("runs")
      .select(["users.username", "tokens.name as token_name"]);

  const filterRuns = ({ payer, user, since }: RunFilter) => {
    let found = named();
    if (payer !== undefined) found = found.where(isKeptFor(payer, "runs"));
    if (user !== undefined) found = found.where(byReference("users", user));
    if (since !== undefined) found = found.where("runs.last_call_at", ">=", since);
    return found;
  };

  return {
    page(filter: RunFilter, query: PageQuery): Promise<PagedRows<NamedRun>> {
      const rows = filterRuns(filter);
      const counted = rows.clearSelect().select("runs.run");
      const idColumn = raw.ref("runs.last_call_at");
      return readPagedList({ sql, read }, { rows, counted, sortColumns: {}, idColumn, query });
    },

    async find(run: string): Promise<NamedRun | undefined> {
      return (await read(named().where("runs.run", "=", run)))[0];
    },

    /** Models by what they cost, tools by how often they ran. */
    parts: (run: string): Promise<RunPartRow[]> =>
      read(
        sql
          .selectFrom("run_parts")
          .selectAll()
          .where("run", "=", run)
          .orderBy("quota", "desc")
          .orderBy("calls", "desc")
          .orderBy("name")
          .limit(partsMax),
      ),

    /**
     * `costs` gives what each of some equal parts of its time cost, oldest first; a part without a
     * call is missing.
     */
    async costs({ run, calls, first_call_at, last_call_at }: RunRow) {
      if (calls > costedCallsMax) return [];
      const first = computeIdFloor(first_call_at);
      const width = Math.max(
        1,
        Math.ceil((computeIdFloor(last_call_at + 1) - first) / runStepsMax),
      );
      const steps = await read(
        sql
          .selectFrom("logs")
          .select([
            raw<number>`(id - ${raw.lit(first)}) / ${raw.lit(width)}`.as("step"),
            raw<number>`cast(sum(quota) as bigint)`.as("quota"),
            raw<number>`count(*)`.as("calls"),
            raw<number>`max(id)`.as("last"),
          ])
          .where("run", "=", run)
          .where("id", ">=", first)
          .groupBy(raw`1`)
          .orderBy(raw`1`)
          .limit(runStepsMax + 1),
      );
      const timeOf = await readIdTimes({ sql, read });
      return steps.map(({ quota, calls: made, last }) => ({
        ...{ at: timeOf(Number(last)), quota: Number(quota), calls: Number(made) },
      }));
    },

    /** The account and the team of a key; undefined where there is none. */
    async ownerOfToken(
      tokenId: number,
    ): Promise<{ user_id: number; team_id: number | null } | undefined> {
      return (
        await read(
          sql.selectFrom("tokens").select(["user_id", "team_id"]).where("id", "=", tokenId),
        )
      )[0];
    },

    stop: (run: string, now: number): Write => ({
      query: sql.updateTable("runs").set({ stopped_at: now }).where("run", "=", run),
      rows: 1,
      missed: "run_not_found",
    }),

    continue: (run: string): Write => ({
      query: sql.updateTable("runs").set({ stopped_at: null }).where("run", "=", run),
      rows: 1,
      missed: "run_not_found",
    }),

    /** `stopOf` gives those of a key or an account that are open and not stopped. */
    stopOf: (
      whose: { token_id: number } | { user_id: number },
      since: number,
      now: number,
    ): Write => ({
      query: sql
        .updateTable("runs")
        .set({ stopped_at: now })
        .where(({ and }) => and(whose))
        .where("last_call_at", ">=", since)
        .where("stopped_at", "is", null)
        .returning("run"),
    }),
  };
}

/** Run by the purge of expired rows, a bounded number at a time. */
export function purgeRuns({ sql }: Pick<Database, "sql">, now: number): Write[] {
  const old = sql
    .selectFrom("runs")
    .select("run")
    .where("last_call_at", "<", now - runKeptMs);
  const some = old.orderBy("last_call_at").orderBy("run").limit(purgedMax);
  return [
    { query: sql.deleteFrom("run_parts").where("run", "in", some) },
    { query: sql.deleteFrom("runs").where("run", "in", some) },
  ];
}
