/** SQL on channels. */

import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import {
  type ChannelStateFilter,
  channelStatus,
  type searchChannels,
} from "@tollgate/contract/catalogue/channels.ts";
import { type RawBuilder, sql as raw, type Selectable } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import {
  byLetters,
  byReference,
  matchesKeyword,
  type PagedRows,
  readPagedList,
} from "../../storage/paged-list.ts";
import { escapeLike } from "../../storage/pagination.ts";
import type { LogRow } from "../../storage/tables/call-tables.ts";
import type { ChannelsTable } from "../../storage/tables/channel-tables.ts";
import type { ProxyColumns } from "./channel-proxy.ts";

export type ChannelRow = Selectable<ChannelsTable>;
type ChannelListQuery = QueryOf<typeof searchChannels>;

const sortColumns: Record<string, RawBuilder<unknown>> = {
  id: raw.ref("id"),
  name: byLetters("name"),
  type: raw.ref("type"),
  status: raw.ref("status"),
  group: byLetters("group"),
  response_time: raw.ref("response_time"),
  test_time: raw.ref("tested_at"),
  priority: raw.ref("priority"),
  weight: raw.ref("weight"),
  tag: byLetters("tag"),
  used_quota: raw.ref("used_quota"),
  balance: raw`coalesce(balance_micros, 0)`,
  balance_updated_time: raw.ref("balance_updated_at"),
  created_at: raw.ref("created_at"),
  created_time: raw.ref("created_at"),
  updated_at: raw.ref("updated_at"),
};
const idColumn = raw.ref("id");
/** More than a list to choose from can show. */
const tagsMax = 1_000;

/** `hasState` says in SQL what the console's list shows as the state of a channel. */
const enabled = raw`status = ${raw.lit(channelStatus.enabled)}`;
const hasState: Readonly<Record<ChannelStateFilter, RawBuilder<boolean>>> = {
  active: raw`(${enabled} and priority >= 0)`,
  paused: raw`(${enabled} and priority < 0)`,
  disabled: raw`status = ${raw.lit(channelStatus.disabled)}`,
  auto_disabled: raw`status = ${raw.lit(channelStatus.autoDisabled)}`,
  test_failed: raw`(${enabled} and tested_at > 0 and response_time <= 0)`,
  never_tested: raw`(${enabled} and tested_at <= 0 and used_quota = 0)`,
  no_models: raw`(${enabled} and trim(models) = '')`,
};

/** `servesGroup` finds one name among those of a comma-separated list. */
const servesGroup = (group: string) =>
  raw<boolean>`(',' || ${raw.ref("group")} || ',') like ${`%,${escapeLike(group)},%`} escape '!'`;

export type ChannelStore = ReturnType<typeof createChannelStore>;

export function createChannelStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    page(query: ChannelListQuery): Promise<PagedRows<ChannelRow>> {
      const { keyword, status, state, type, group, tag, external_id } = query;
      const found = sql
        .selectFrom("channels")
        .where(matchesKeyword("channels", ["name", "tag", "base_url", "key_hint"], keyword))
        .$if(status !== undefined, (channels) => channels.where("status", "=", status ?? 0))
        .$if(state !== undefined, (channels) => channels.where(hasState[state ?? "active"]))
        .$if(type !== undefined, (channels) => channels.where("type", "=", type ?? 0))
        .$if(group !== undefined, (channels) => channels.where(servesGroup(group ?? "")))
        .$if(tag !== undefined, (channels) => channels.where("tag", "=", tag ?? ""))
        .$if(external_id !== undefined, (channels) =>
          channels.where("external_id", "=", external_id ?? ""),
        );
      return readPagedList(
        { sql, read },
        { rows: found.selectAll(), counted: found.select("id"), sortColumns, idColumn, query },
      );
    },

    async find(reference: Reference): Promise<ChannelRow | undefined> {
      const [row] = await read(
        sql.selectFrom("channels").selectAll().where(byReference("channels", reference)),
      );
      return row;
    },

    async byExternalId(externalId: string): Promise<ChannelRow | undefined> {
      const [row] = await read(
        sql.selectFrom("channels").selectAll().where("external_id", "=", externalId),
      );
      return row;
    },

    withUuids: (uuids: readonly string[]): Promise<ChannelRow[]> =>
      read(sql.selectFrom("channels").selectAll().where("uuid", "in", uuids).orderBy("id")),

    async withIds(ids: readonly number[]): Promise<ChannelRow[]> {
      return ids.length === 0
        ? []
        : await read(sql.selectFrom("channels").selectAll().where("id", "in", ids));
    },

    insert: (row: Omit<ChannelsTable, "id" | "used_quota">): Write => ({
      query: sql.insertInto("channels").values(row),
      rows: 1,
      conflict: "external_id_taken",
    }),

    /** Misses when the channel changed after it was read. */
    update: (
      { id, updated_at }: ChannelRow,
      change: Partial<Omit<ChannelsTable, "id" | "used_quota">>,
    ): Write => ({
      query: sql
        .updateTable("channels")
        .set(change)
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
      conflict: "external_id_taken",
    }),

    /** Measurements are not edits: `updated_at` stays. */
    tested: ({ id }: ChannelRow, response_time: number, tested_at: number): Write => ({
      query: sql.updateTable("channels").set({ response_time, tested_at }).where("id", "=", id),
    }),

    balanced: ({ id }: ChannelRow, balance_micros: number, balance_updated_at: number): Write => ({
      query: sql
        .updateTable("channels")
        .set({ balance_micros, balance_updated_at })
        .where("id", "=", id),
    }),

    /**
     * `proxied` leaves the columns that administrators edit as they are, and so `updated_at`: a
     * form that was read before can still be saved.
     */
    proxied: ({ id }: ChannelRow, proxy: ProxyColumns): Write => ({
      query: sql.updateTable("channels").set(proxy).where("id", "=", id),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    addLog: (row: LogRow): Write => ({ query: sql.insertInto("logs").values(row), rows: 1 }),

    remove: ({ id }: ChannelRow): Write => ({
      query: sql.deleteFrom("channels").where("id", "=", id),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    /** Misses when one of them has another status by now. */
    removeWithStatus: (ids: readonly number[], status: number): Write => ({
      query: sql.deleteFrom("channels").where("id", "in", ids).where("status", "=", status),
      rows: ids.length,
      missed: "changed_meanwhile",
    }),

    /** A file would make its channels anew. */
    disabledOfNoFile: (limit: number): Promise<ChannelRow[]> =>
      read(
        sql
          .selectFrom("channels")
          .selectAll()
          .where("status", "=", channelStatus.disabled)
          .where("managed_by", "=", "")
          .orderBy("id")
          .limit(limit),
      ),

    tags: (): Promise<{ tag: string; channels: number; enabled: number }[]> =>
      read(
        sql
          .selectFrom("channels")
          .select(({ fn }) => [
            "tag",
            fn.countAll<number>().as("channels"),
            raw<number>`sum(case when status = ${channelStatus.enabled} then 1 else 0 end)`.as(
              "enabled",
            ),
          ])
          .where("tag", "<>", "")
          .groupBy("tag")
          .orderBy(byLetters("tag"))
          .orderBy("tag")
          .limit(tagsMax),
      ),

    /** `all` gives those that a configuration may mean. */
    all: (): Promise<ChannelRow[]> => read(sql.selectFrom("channels").selectAll().orderBy("id")),

    /** Oldest first. */
    withStatus: (statuses: readonly number[], limit: number): Promise<ChannelRow[]> =>
      read(
        sql
          .selectFrom("channels")
          .selectAll()
          .where("status", "in", statuses)
          .orderBy("id")
          .limit(limit),
      ),
  };
}
