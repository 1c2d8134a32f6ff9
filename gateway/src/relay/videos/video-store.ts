/** SQL on the videos that providers make. */
import type { Database, Write } from "../../storage/database.ts";
import { planFewerRows } from "../../storage/rows-per-user.ts";
import type { VideoTaskRow } from "../../storage/tables/call-tables.ts";
import { findRowHolder, hasOwner, type KeptOwner, readOwner } from "../admission/kept-owner.ts";

export type VideoStore = ReturnType<typeof createVideoStore>;

export interface VideoPage {
  after: number | undefined;
  order: "asc" | "desc";
  limit: number;
}

/**
 * `openVideosMax` is that of one user at a time: each occupies a part of the balance for up to a
 * day.
 */
export const openVideosMax = 50;
/** Videos that one round asks about. */
const dueMax = 20;

export function createVideoStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const open = (id: number) =>
    sql.updateTable("video_tasks").where("id", "=", id).where("state", "<>", "settled");
  const ofOwner = (owner: KeptOwner) => sql.selectFrom("video_tasks").where(hasOwner(owner));
  return {
    /** Misses where the user has as many videos that are not charged yet as a user may have. */
    insert(row: VideoTaskRow): Write[] {
      const notCharged = ofOwner(readOwner(row)).where("state", "<>", "settled");
      const counted = notCharged.select(({ fn }) => fn.countAll<number>().as("count"));
      const isAllowed = planFewerRows({ sql }, findRowHolder(row), counted, { max: openVideosMax });
      return [...isAllowed, { query: sql.insertInto("video_tasks").values(row) }];
    },

    /** Nothing changes a video that is charged: another node may have been faster. */
    change: (id: number, columns: Partial<Omit<VideoTaskRow, "id">>): Write => ({
      query: open(id).set(columns),
    }),

    /** The provider has taken it. Its hold must not have ended meanwhile. */
    accept: (id: number, columns: Partial<Omit<VideoTaskRow, "id">>): Write => ({
      query: open(id).set(columns).where("state", "=", "creating"),
      rows: 1,
    }),

    remove: (id: number): Write => ({ query: sql.deleteFrom("video_tasks").where("id", "=", id) }),

    async find(owner: KeptOwner, videoId: string): Promise<VideoTaskRow | undefined> {
      const rows = ofOwner(owner)
        .selectAll()
        .where("video_id", "=", videoId)
        .where("state", "<>", "creating");
      return (await read(rows))[0];
    },

    page(owner: KeptOwner, { after, order, limit }: VideoPage): Promise<VideoTaskRow[]> {
      const rows = ofOwner(owner)
        .selectAll()
        .where("state", "<>", "creating")
        .orderBy("id", order)
        .limit(limit);
      return read(
        after === undefined ? rows : rows.where("id", order === "asc" ? ">" : "<", after),
      );
    },

    due: (now: number): Promise<VideoTaskRow[]> =>
      read(
        sql
          .selectFrom("video_tasks")
          .selectAll()
          .where("state", "<>", "settled")
          .where("due_at", "<=", now)
          .where("lease_until", "<=", now)
          .orderBy("due_at")
          .limit(dueMax),
      ),

    /** Affects no row where another node was faster. */
    claim: ({ id }: VideoTaskRow, now: number, lease_until: number): Write => ({
      query: open(id)
        .set({ lease_until })
        .where("lease_until", "<=", now)
        .where("due_at", "<=", now),
    }),

    /** Charged, and long over. Run by the clock. */
    sweep: (createdBefore: number): Write => ({
      query: sql
        .deleteFrom("video_tasks")
        .where("state", "=", "settled")
        .where("created_at", "<", createdBefore),
    }),
  };
}
