/** SQL on stored responses. */
import type { Database, Write } from "../../storage/database.ts";
import type { HeldResponseRow } from "../../storage/tables/call-tables.ts";
import { hasOwner, type KeptOwner } from "../admission/kept-owner.ts";

export type StoredResponseStore = ReturnType<typeof createStoredResponseStore>;

export function createStoredResponseStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    /** The sealed response; undefined if it is another user's or has expired. */
    async find(responseId: string, owner: KeptOwner, now: number): Promise<string | undefined> {
      const [row] = await read(
        sql
          .selectFrom("held_responses")
          .select("sealed")
          .where("response_id", "=", responseId)
          .where(hasOwner(owner))
          .where("expires_at", ">", now),
      );
      return row?.sealed;
    },

    put: (row: HeldResponseRow): Write => ({
      query: sql.insertInto("held_responses").values(row),
      rows: 1,
    }),

    /** Matches no row if the response is another user's. */
    remove: (responseId: string, owner: KeptOwner): Write => ({
      query: sql
        .deleteFrom("held_responses")
        .where("response_id", "=", responseId)
        .where(hasOwner(owner)),
      rows: 1,
    }),

    /** Run by the clock. */
    sweep: (now: number): Write => ({
      query: sql.deleteFrom("held_responses").where("expires_at", "<=", now),
    }),
  };
}
