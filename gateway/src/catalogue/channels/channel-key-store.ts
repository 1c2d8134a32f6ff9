/**
 * SQL on the key states of channels with several keys; the keys themselves are sealed in the
 * channel's row.
 */
import type { Database, Write } from "../../storage/database.ts";
import type { ChannelKeyRow } from "../../storage/tables/channel-tables.ts";

export type ChannelKeyStore = ReturnType<typeof createChannelKeyStore>;

export function createChannelKeyStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const deleteRows = (uuids: readonly string[]) =>
    sql.deleteFrom("channel_keys").where("channel_uuid", "in", uuids);
  const insert = (rows: readonly ChannelKeyRow[]): Write[] =>
    rows.length === 0
      ? []
      : [{ query: sql.insertInto("channel_keys").values(rows), rows: rows.length }];
  return {
    /** `ofChannels` gives them in the order of the keys. */
    async ofChannels(uuids: readonly string[]): Promise<ChannelKeyRow[]> {
      if (uuids.length === 0) return [];
      const some = sql.selectFrom("channel_keys").selectAll().where("channel_uuid", "in", uuids);
      return await read(some.orderBy("channel_uuid").orderBy("place"));
    },

    insert,

    /** Replaces the states of all keys of a channel. */
    replace: (uuid: string, rows: readonly ChannelKeyRow[]): Write[] => [
      { query: deleteRows([uuid]) },
      ...insert(rows),
    ],

    remove: (uuids: readonly string[]): Write[] =>
      uuids.length === 0 ? [] : [{ query: deleteRows(uuids) }],

    /** Misses when the status of the key changed after it was read. */
    change: (
      { channel_uuid, place, status }: ChannelKeyRow,
      change: Pick<ChannelKeyRow, "status" | "reason" | "changed_at">,
    ): Write => ({
      query: sql
        .updateTable("channel_keys")
        .set(change)
        .where("channel_uuid", "=", channel_uuid)
        .where("place", "=", place)
        .where("status", "=", status),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
