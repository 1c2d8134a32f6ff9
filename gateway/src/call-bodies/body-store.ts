/**
 * The calls that have kept contents, with the key of each object. The objects themselves are
 * elsewhere.
 */
import type { Database, Write } from "../storage/database.ts";
import type { CallBodiesTable } from "../storage/tables/call-body-table.ts";

export type BodyStore = ReturnType<typeof createBodyStore>;

/** Users who are deleted keep their row. */
const deletedUser = 3;

export function createBodyStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const living = () =>
    sql
      .selectFrom("call_bodies")
      .innerJoin("tokens", "tokens.id", "call_bodies.token_id")
      .innerJoin("users", "users.id", "call_bodies.user_id")
      .where("users.status", "<>", deletedUser)
      .where("call_bodies.key_sealed", "<>", "");
  const erased = { key_sealed: "" };
  const kept = () => sql.selectFrom("call_bodies").select("id").where("key_sealed", "<>", "");
  const eraseAll = (ids: ReturnType<typeof kept>): Write => ({
    query: sql.updateTable("call_bodies").set(erased).where("id", "in", ids),
  });

  return {
    /** Stale where the key does not keep contents any more, or is gone. */
    insert: ({ id, user_id, token_id, mode, key_sealed, created_at }: CallBodiesTable): Write => ({
      query: sql
        .insertInto("call_bodies")
        .columns(["id", "user_id", "token_id", "mode", "key_sealed", "created_at"])
        .expression(
          sql
            .selectFrom("tokens")
            .select(({ val }) => [
              val(id).as("id"),
              val(user_id).as("user_id"),
              val(token_id).as("token_id"),
              val(mode).as("mode"),
              val(key_sealed).as("key_sealed"),
              val(created_at).as("created_at"),
            ])
            .where("tokens.id", "=", token_id)
            .where("tokens.bodies", "=", mode),
        ),
      rows: 1,
    }),

    /**
     * Undefined for a call without kept contents, and as soon as its key or its user is deleted.
     */
    async find(id: number) {
      const [row] = await read(
        living()
          .select(["call_bodies.id", "call_bodies.user_id", "call_bodies.mode"])
          .select(["call_bodies.key_sealed", "call_bodies.created_at", "users.role as user_role"])
          .where("call_bodies.id", "=", id),
      );
      return row;
    },

    /**
     * `erase` removes the key, without which the object cannot be read any more; `removeErased`
     * removes it.
     */
    erase: (id: number): Write => ({
      query: sql
        .updateTable("call_bodies")
        .set(erased)
        .where("id", "=", id)
        .where("key_sealed", "<>", ""),
      rows: 1,
      missed: "body_not_found",
    }),
    eraseBefore: (createdBefore: number, max: number): Write =>
      eraseAll(kept().where("created_at", "<", createdBefore).orderBy("created_at").limit(max)),
    eraseOfToken: (tokenId: number, max: number): Write =>
      eraseAll(kept().where("token_id", "=", tokenId).limit(max)),

    /**
     * Keys that are gone, or whose users are, and that have kept contents: found by steps over the
     * index, not over all rows.
     */
    async deletedTokens(max: number): Promise<number[]> {
      const rows = await read(
        sql
          .withRecursive("known(token_id)", (cte) =>
            cte
              .selectFrom("call_bodies")
              .select(({ fn }) => fn.min<number | null>("token_id").as("token_id"))
              .where("key_sealed", "<>", "")
              .unionAll(
                cte
                  .selectFrom("known")
                  .select(({ selectFrom }) =>
                    selectFrom("call_bodies")
                      .select(({ fn }) =>
                        fn.min<number | null>("call_bodies.token_id").as("token_id"),
                      )
                      .whereRef("call_bodies.token_id", ">", "known.token_id")
                      .where("call_bodies.key_sealed", "<>", "")
                      .as("token_id"),
                  )
                  .where("known.token_id", "is not", null),
              ),
          )
          .selectFrom("known")
          .select("known.token_id")
          .where("known.token_id", "is not", null)
          .where(({ not, exists, selectFrom }) =>
            not(
              exists(
                selectFrom("tokens")
                  .innerJoin("users", "users.id", "tokens.user_id")
                  .select("tokens.id")
                  .whereRef("tokens.id", "=", "known.token_id")
                  .where("users.status", "<>", deletedUser),
              ),
            ),
          )
          .limit(max),
      );
      return rows.flatMap(({ token_id }) => (token_id === null ? [] : [token_id]));
    },

    erased: (max: number) =>
      read(
        sql
          .selectFrom("call_bodies")
          .select(["id", "created_at"])
          .where("key_sealed", "=", "")
          .limit(max),
      ),

    /** Objects of these are gone. */
    forget: (ids: readonly number[]): Write => ({
      query: sql.deleteFrom("call_bodies").where("id", "in", ids).where("key_sealed", "=", ""),
    }),
  };
}
