/** SQL on the dual run and on what its calls cost here and there. */
import type {
  ShadowDifference,
  ShadowReason,
  ShadowRun,
} from "@tollgate/contract/figures/shadow.ts";
import { sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import type { ShadowCallRow } from "../../storage/tables/record-tables.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";

/** `runId` is one run at a time. */
const runId = 1;
/** Twice as long as the longest run. */
const keptMs = 62 * 86_400_000;
/** `differencesMax` is that of models and reasons; a client may ask for any name. */
const differencesMax = 500;
/** Here and there round differently. */
const roundingUnits = 1;

/**
 * `reason` is the fault of the call where it went wrong before its price mattered; where no charge
 * is known there, none can be told.
 */
const reason = raw<ShadowReason>`case
  when reason in ('failed', 'not_served') then reason
  when source_charge is null then 'unmatched'
  when charge = source_charge then 'same'
  when abs(charge - source_charge) <= ${raw.lit(roundingUnits)} then 'rounding'
  when reason = 'estimated' then reason
  else 'price' end`;

export type ShadowStore = ReturnType<typeof createShadowStore>;

export function createShadowStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    /** `run` gives one whose time is over, too. */
    async run(): Promise<ShadowRun | undefined> {
      const [row] = await read(
        sql.selectFrom("shadow_runs").select(["address", "until"]).where("id", "=", runId),
      );
      return row;
    },

    start: ({ address, until }: ShadowRun, now: number): Write => ({
      query: sql
        .insertInto("shadow_runs")
        .values({ id: runId, address, until, changed_at: now })
        .onConflict((row) => row.column("id").doUpdateSet({ address, until, changed_at: now })),
      rows: 1,
    }),

    stop: (): Write => ({ query: sql.deleteFrom("shadow_runs").where("id", "=", runId) }),

    insert: (calls: readonly ShadowCallRow[]): Write => ({
      query: sql.insertInto("shadow_calls").values(calls),
    }),

    async differences(): Promise<ShadowDifference[]> {
      const ours = raw<number>`sum(charge)`;
      const theirs = raw<number>`sum(coalesce(source_charge, 0))`;
      const rows = await read(
        sql
          .selectFrom("shadow_calls")
          .select(["model_name as model", reason.as("reason")])
          .select(({ fn }) => fn.countAll<number>().as("calls"))
          .select([ours.as("ours"), theirs.as("theirs")])
          .groupBy(["model_name", raw`2`])
          .orderBy(raw`abs(${ours} - ${theirs})`, "desc")
          .orderBy("model_name")
          .limit(differencesMax),
      );
      return rows.map(({ calls, ours, theirs, ...row }) => ({
        ...row,
        calls: Number(calls),
        ours: Number(ours),
        theirs: Number(theirs),
      }));
    },

    /**
     * `unmatched` gives those of these ids of the other gateway whose charge there is not known.
     */
    async unmatched(upstreamIds: readonly string[]): Promise<ReadonlySet<string>> {
      if (upstreamIds.length === 0) return new Set();
      const rows = await read(
        sql
          .selectFrom("shadow_calls")
          .select("upstream_id")
          .where("source_charge", "is", null)
          .where("upstream_id", "<>", "")
          .where("upstream_id", "in", upstreamIds),
      );
      return new Set(rows.map(({ upstream_id }) => upstream_id));
    },

    /** The oldest call whose charge there is not known; undefined where there is none. */
    async oldestUnmatched(): Promise<number | undefined> {
      const [row] = await read(
        sql
          .selectFrom("shadow_calls")
          .select(({ fn }) => fn.min("id").as("id"))
          .where("source_charge", "is", null)
          .where("upstream_id", "<>", ""),
      );
      return row?.id ?? undefined;
    },

    match: (upstreamId: string, charge: number): Write => ({
      query: sql
        .updateTable("shadow_calls")
        .set({ source_charge: charge })
        .where("upstream_id", "=", upstreamId)
        .where("upstream_id", "<>", "")
        .where("source_charge", "is", null),
    }),

    purge: (now: number): Write => ({
      query: sql.deleteFrom("shadow_calls").where("id", "<", computeIdFloor(now - keptMs)),
    }),
  };
}
