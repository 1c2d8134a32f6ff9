/** SQL on the ids that providers issued. The ids themselves are not stored, only their hashes. */
import type { Database, Write } from "../../storage/database.ts";
import type { ProviderStateRow } from "../../storage/tables/call-tables.ts";

/**
 * The row in `chores` that a migration or an import leaves: until its moment, ids from before are
 * let through.
 */
const graceChore = "unknown state allowed";

/** No user has this id: what it owns, no user may name. */
const withoutOwner = 0;

export type ProviderStateStore = ReturnType<typeof createProviderStateStore>;

export function createProviderStateStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    withHashes: (hashes: readonly string[]): Promise<ProviderStateRow[]> =>
      read(sql.selectFrom("provider_states").selectAll().where("id_hash", "in", hashes)),

    /**
     * An id that its channel issued to two users names what one of them alone should read, and the
     * gateway cannot know whose it is: it has no owner from then on. Servers with short ids do so.
     * `rows` holds each id once.
     */
    put: (rows: readonly ProviderStateRow[]): Write => ({
      query: sql
        .insertInto("provider_states")
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .columns(["id_hash", "channel_id"])
            .doUpdateSet({ user_id: withoutOwner, team_id: withoutOwner })
            .where(({ or, eb, ref }) =>
              or([
                eb("provider_states.user_id", "<>", ref("excluded.user_id")),
                eb("provider_states.team_id", "<>", ref("excluded.team_id")),
              ]),
            ),
        ),
    }),

    /** Tokens of the context that these ids of a channel stand for. */
    setContextTokens: (
      hashes: readonly string[],
      channelId: number,
      context_tokens: number,
    ): Write => ({
      query: sql
        .updateTable("provider_states")
        .set({ context_tokens })
        .where("id_hash", "in", hashes)
        .where("channel_id", "=", channelId),
    }),

    /** More of what the id of a channel stands for; what was not counted stays unknown. */
    addContextTokens: (hash: string, channelId: number, tokens: number): Write => ({
      query: sql
        .updateTable("provider_states")
        .set((column) => ({ context_tokens: column("context_tokens", "+", tokens) }))
        .where("id_hash", "=", hash)
        .where("channel_id", "=", channelId),
    }),

    /**
     * A container is paid for from `next` on; rejects as stale where another call has paid
     * meanwhile.
     */
    payContainer: ({ id_hash, channel_id, created_at }: ProviderStateRow, next: number): Write => ({
      query: sql
        .updateTable("provider_states")
        .set({ created_at: next })
        .where("id_hash", "=", id_hash)
        .where("channel_id", "=", channel_id)
        .where("created_at", "=", created_at),
      rows: 1,
    }),

    touch: (hashes: readonly string[], used_at: number): Write => ({
      query: sql.updateTable("provider_states").set({ used_at }).where("id_hash", "in", hashes),
    }),

    remove: (hash: string, channelId: number): Write => ({
      query: sql
        .deleteFrom("provider_states")
        .where("id_hash", "=", hash)
        .where("channel_id", "=", channelId),
    }),

    /**
     * Files, collections of them and conversations stay until they are deleted. Run by the clock.
     */
    sweep: (usedBefore: number): Write => ({
      query: sql
        .deleteFrom("provider_states")
        .where("used_at", "<", usedBefore)
        .where("kind", "not in", ["file", "vector_store", "conversation"]),
    }),

    /**
     * `site` has the facts that decide whether ids that are in no row are let through by default.
     */
    async site(): Promise<{ hasOneUser: boolean; graceUntil: number }> {
      const [users, [grace]] = await Promise.all([
        read(sql.selectFrom("users").select("id").limit(2)),
        read(sql.selectFrom("chores").select("due_at").where("name", "=", graceChore)),
      ]);
      return { hasOneUser: users.length < 2, graceUntil: grace?.due_at ?? 0 };
    },
  };
}
