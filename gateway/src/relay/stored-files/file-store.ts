/** SQL on the files that users store at providers. */
import type { Database, Write } from "../../storage/database.ts";
import type { ProviderFileRow } from "../../storage/tables/call-tables.ts";
import { hasOwner, type KeptOwner } from "../admission/kept-owner.ts";

export type FileStore = ReturnType<typeof createFileStore>;

export interface FilePage {
  /** A purpose; undefined for all. */
  purpose: string | undefined;
  /** Files behind this one in the order. */
  after: number | undefined;
  order: "asc" | "desc";
  limit: number;
}

export function createFileStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const ofOwner = (owner: KeptOwner) => sql.selectFrom("provider_files").where(hasOwner(owner));
  return {
    insert: (row: ProviderFileRow): Write => ({
      query: sql.insertInto("provider_files").values(row),
    }),

    remove: (fileId: string, channelId: number): Write => ({
      query: sql
        .deleteFrom("provider_files")
        .where("file_id", "=", fileId)
        .where("channel_id", "=", channelId),
    }),

    async find(owner: KeptOwner, fileId: string): Promise<ProviderFileRow | undefined> {
      const [row] = await read(ofOwner(owner).selectAll().where("file_id", "=", fileId));
      return row;
    },

    page(owner: KeptOwner, { purpose, after, order, limit }: FilePage): Promise<ProviderFileRow[]> {
      let rows = ofOwner(owner).selectAll().orderBy("id", order).limit(limit);
      if (purpose !== undefined) rows = rows.where("purpose", "=", purpose);
      if (after !== undefined) rows = rows.where("id", order === "asc" ? ">" : "<", after);
      return read(rows);
    },

    /** `held` says how many files a user has, and where the latest one is. */
    async held(owner: KeptOwner): Promise<{ count: number; latestChannelId: number | undefined }> {
      const [[counted], [latest]] = await Promise.all([
        read(ofOwner(owner).select(({ fn }) => fn.countAll<number>().as("count"))),
        read(ofOwner(owner).select("channel_id").orderBy("id", "desc").limit(1)),
      ]);
      return { count: Number(counted?.count ?? 0), latestChannelId: latest?.channel_id };
    },

    /** The provider has deleted them. Run by the clock. */
    sweep: (now: number): Write => ({
      query: sql.deleteFrom("provider_files").where("expires_at", "<", now),
    }),
  };
}
