/** SQL on the queue of notices to each destination. */
import { type RawBuilder, sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { type PagedRows, readPagedList } from "../../storage/paged-list.ts";
import type { PageQuery } from "../../storage/pagination.ts";
import type { NoticeRow } from "../../storage/tables/alert-tables.ts";

export type ListedNotice = NoticeRow & { destination_name: string };

/** `waitingMax` is as many as can become digests at once. */
const waitingMax = 200;
const idColumn: RawBuilder<unknown> = raw.ref("notices.id");

export type NoticeStore = ReturnType<typeof createNoticeStore>;

export function createNoticeStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const own = ({ id, tries }: NoticeRow) =>
    sql
      .updateTable("notices")
      .where("id", "=", id)
      .where("tries", "=", tries)
      .where("state", "=", "waiting");

  return {
    waiting: (destinationId: number): Promise<NoticeRow[]> =>
      read(
        sql
          .selectFrom("notices")
          .selectAll()
          .where("state", "=", "waiting")
          .where("destination_id", "=", destinationId)
          .orderBy("id")
          .limit(waitingMax),
      ),

    async countSentSince(destinationId: number, since: number): Promise<number> {
      const sent = sql.selectFrom("notices").select(({ fn }) => fn.countAll<number>().as("count"));
      const [row] = await read(
        sent
          .where("state", "=", "sent")
          .where("destination_id", "=", destinationId)
          .where("ended_at", ">", since),
      );
      return Number(row?.count ?? 0);
    },

    /** Counts the try before it begins. Misses when another node has begun it. */
    claim: (notice: NoticeRow, leaseUntil: number): Write => ({
      query: own(notice).set({ tries: notice.tries + 1, lease_until: leaseUntil }),
      rows: 1,
    }),

    /**
     * `endTry` gives what became of a try. Changes nothing when the lease has run out meanwhile and
     * another try has begun.
     */
    endTry: (notice: NoticeRow, result: Partial<NoticeRow>): Write => ({
      query: own(notice).set({ lease_until: 0, ...result }),
    }),

    /** Misses when a try of one of them has begun. */
    merge: (notices: readonly NoticeRow[], digest: NoticeRow): Write[] => [
      {
        query: sql
          .updateTable("notices")
          .set({ state: "merged", ended_at: digest.created_at })
          .where(
            "id",
            "in",
            notices.map(({ id }) => id),
          )
          .where("state", "=", "waiting")
          .where("tries", "=", 0),
        rows: notices.length,
      },
      { query: sql.insertInto("notices").values(digest), rows: 1 },
    ],

    /** `findNotice` finds a notice to a destination of the site. */
    async findNotice(id: number): Promise<NoticeRow | undefined> {
      const named = sql
        .selectFrom("notices")
        .innerJoin("destinations", "destinations.id", "notices.destination_id");
      const [row] = await read(
        named
          .selectAll("notices")
          .where("notices.id", "=", id)
          .where("destinations.user_id", "=", 0),
      );
      return row;
    },

    /** `resend` begins its tries anew, with the same id. */
    resend: (id: number, now: number): Write => ({
      query: sql
        .updateTable("notices")
        .set({ state: "waiting", tries: 0, next_at: now, lease_until: 0, ended_at: null })
        .where("id", "=", id)
        .where("state", "in", ["sent", "failed"]),
      rows: 1,
      missed: "notice_not_found",
    }),

    page(
      query: PageQuery & { state?: string | undefined },
      userId: number,
    ): Promise<PagedRows<ListedNotice>> {
      const all = sql
        .selectFrom("notices")
        .innerJoin("destinations", "destinations.id", "notices.destination_id")
        .where("destinations.user_id", "=", userId);
      const found = query.state
        ? all.where("notices.state", "=", query.state as NoticeRow["state"])
        : all;
      const rows = found.selectAll("notices").select("destinations.name as destination_name");
      return readPagedList(
        { sql, read },
        { rows, counted: found.select("notices.id"), sortColumns: {}, idColumn, query },
      );
    },
  };
}
