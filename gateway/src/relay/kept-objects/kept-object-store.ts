/** SQL on the objects that users made at providers: conversations, vector stores, containers. */
import type { Database, Write } from "../../storage/database.ts";
import type { KeptObjectRow } from "../../storage/tables/call-tables.ts";
import { hasOwner, type KeptOwner } from "../admission/kept-owner.ts";

export type KeptObjectStore = ReturnType<typeof createKeptObjectStore>;

export interface KeptObjectPage {
  after: number | undefined;
  order: "asc" | "desc";
  limit: number;
}

const dayMs = 24 * 3_600_000;
/**
 * Providers end these by themselves; rows of most stay as long as what else users leave behind.
 * Google keeps files for 48 hours.
 */
const keptForMs: Readonly<Record<string, number>> = {
  container: 30 * dayMs,
  cache: 30 * dayMs,
  gemini_file: 3 * dayMs,
};
const endingKinds = Object.keys(keptForMs);

export function createKeptObjectStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const ofOwner = (owner: KeptOwner, kind: string) =>
    sql.selectFrom("provider_objects").where(hasOwner(owner)).where("kind", "=", kind);
  return {
    insert: (row: KeptObjectRow): Write => ({
      query: sql.insertInto("provider_objects").values(row),
    }),

    remove: (objectId: string, channelId: number): Write => ({
      query: sql
        .deleteFrom("provider_objects")
        .where("object_id", "=", objectId)
        .where("channel_id", "=", channelId),
    }),

    async find(
      owner: KeptOwner,
      kind: string,
      objectId: string,
    ): Promise<KeptObjectRow | undefined> {
      const [row] = await read(ofOwner(owner, kind).selectAll().where("object_id", "=", objectId));
      return row;
    },

    page(
      owner: KeptOwner,
      kind: string,
      { after, order, limit }: KeptObjectPage,
    ): Promise<KeptObjectRow[]> {
      const rows = ofOwner(owner, kind).selectAll().orderBy("id", order).limit(limit);
      return read(
        after === undefined ? rows : rows.where("id", order === "asc" ? ">" : "<", after),
      );
    },

    async count(owner: KeptOwner, kind: string): Promise<number> {
      const [counted] = await read(
        ofOwner(owner, kind).select(({ fn }) => fn.countAll<number>().as("count")),
      );
      return Number(counted?.count ?? 0);
    },

    /**
     * `latestChannelId` says where a user without files has objects: what is stored next should be
     * named together with them.
     */
    async latestChannelId(owner: KeptOwner): Promise<number | undefined> {
      const rows = sql.selectFrom("provider_objects").select("channel_id").where(hasOwner(owner));
      const [latest] = await read(
        rows.where("kind", "not in", endingKinds).orderBy("id", "desc").limit(1),
      );
      return latest?.channel_id;
    },

    /** Run by the clock. */
    sweep: (now: number): Write => ({
      query: sql
        .deleteFrom("provider_objects")
        .where(({ or, and, eb }) =>
          or(
            Object.entries(keptForMs).map(([kind, forMs]) =>
              and([eb("kind", "=", kind), eb("created_at", "<", now - forMs)]),
            ),
          ),
        ),
    }),
  };
}
