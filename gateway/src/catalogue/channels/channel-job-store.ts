/** SQL on background jobs. The latest job of each kind is kept, with its results. */
import type { Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import type { ChannelJobResultRow, ChannelJobRow } from "../../storage/tables/channel-tables.ts";

export type ChannelJobRecord = Selectable<ChannelJobRow>;
export type ChannelJobKind = ChannelJobRow["kind"];

/** A longer list is cut; failures come first. */
const resultsShownMax = 500;

export type ChannelJobStore = ReturnType<typeof createChannelJobStore>;

export function createChannelJobStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const running = (id: number) =>
    sql.updateTable("channel_jobs").where("id", "=", id).where("state", "=", "running");
  return {
    all: (): Promise<ChannelJobRecord[]> =>
      read(sql.selectFrom("channel_jobs").selectAll().orderBy("kind", "desc")),

    async find(id: number): Promise<ChannelJobRecord | undefined> {
      const [row] = await read(sql.selectFrom("channel_jobs").selectAll().where("id", "=", id));
      return row;
    },

    results: (id: number): Promise<ChannelJobResultRow[]> =>
      read(
        sql
          .selectFrom("channel_job_results")
          .selectAll()
          .where("job_id", "=", id)
          .orderBy("outcome")
          .orderBy("channel_id")
          .limit(resultsShownMax),
      ),

    /** Replaces the last job of its kind; a conflict while that one is running. */
    begin(job: ChannelJobRow, now: number): Write[] {
      const ended = sql
        .selectFrom("channel_jobs")
        .select("id")
        .where("kind", "=", job.kind)
        .where(({ or, eb }) => or([eb("state", "<>", "running"), eb("lease_until", "<", now)]));
      return [
        { query: sql.deleteFrom("channel_job_results").where("job_id", "in", ended) },
        {
          query: sql
            .deleteFrom("channel_jobs")
            .where("kind", "=", job.kind)
            .where(({ or, eb }) => or([eb("state", "<>", "running"), eb("lease_until", "<", now)])),
        },
        { query: sql.insertInto("channel_jobs").values(job), rows: 1 },
      ];
    },

    /** Misses when the job was cancelled. */
    recordResult: (result: ChannelJobResultRow, lease_until: number): Write[] => [
      {
        query: running(result.job_id).set(({ eb }) => ({
          done: eb("done", "+", 1),
          ...(result.outcome === "failed" && { failed: eb("failed", "+", 1) }),
          lease_until,
        })),
        rows: 1,
      },
      { query: sql.insertInto("channel_job_results").values(result), rows: 1 },
    ],

    end: (
      id: number,
      state: Exclude<ChannelJobRow["state"], "running">,
      ended_at: number,
    ): Write => ({
      query: running(id).set({ state, ended_at }),
    }),
  };
}
