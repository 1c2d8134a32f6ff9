/**
 * SQL on what is said of the ends of models: by administrators, and by the providers of channels.
 */
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { ModelFactRow } from "../../storage/tables/channel-tables.ts";
import type { ChannelRow } from "../channels/channel-store.ts";
import type { StatedModelEnds } from "./known-model-ends.ts";
import { endsInText } from "./told-ends.ts";

/** Asked in one round: their providers may be slow. */
const channelsPerRound = 20;

export type ModelFactStore = ReturnType<typeof createModelFactStore>;

export interface DueChannel {
  channel: ChannelRow;
  /** `dueAt` is when it was due; undefined for a channel that was never asked. */
  dueAt: number | undefined;
}

export function createModelFactStore({ sql, read }: Pick<Database, "sql" | "read">) {
  const set = (): Promise<ModelFactRow[]> =>
    read(sql.selectFrom("model_facts").selectAll().orderBy("model_name"));

  return {
    set,

    async ofModel(model: string): Promise<ModelFactRow | undefined> {
      const [row] = await read(
        sql.selectFrom("model_facts").selectAll().where("model_name", "=", model),
      );
      return row;
    },

    async stated(): Promise<StatedModelEnds> {
      const [facts, told] = await Promise.all([
        set(),
        read(sql.selectFrom("told_model_ends").selectAll()),
      ]);
      return {
        set: new Map(
          facts.map(({ model_name, ends_on, replacement }) => [
            model_name,
            { ends_on, replacement },
          ]),
        ),
        told: new Map(told.map(({ channel_uuid, ends }) => [channel_uuid, endsInText(ends)])),
      };
    },

    say: (row: ModelFactRow): Write => ({
      query: sql
        .insertInto("model_facts")
        .values(row)
        .onConflict((taken) =>
          taken.column("model_name").doUpdateSet({
            ...{ ends_on: row.ends_on, replacement: row.replacement, updated_at: row.updated_at },
          }),
        ),
    }),

    forget: (model: string): Write => ({
      query: sql.deleteFrom("model_facts").where("model_name", "=", model),
      rows: 1,
      missed: "changed_meanwhile",
    }),

    /** Enabled channels whose providers are asked now, those that waited longest first. */
    async due(now: number): Promise<DueChannel[]> {
      const rows = await read(
        sql
          .selectFrom("channels")
          .leftJoin("told_model_ends", "told_model_ends.channel_uuid", "channels.uuid")
          .selectAll("channels")
          .select("told_model_ends.due_at as told_due_at")
          .where("channels.status", "=", channelStatus.enabled)
          .where(({ or, eb }) =>
            or([eb("told_model_ends.due_at", "is", null), eb("told_model_ends.due_at", "<=", now)]),
          )
          .orderBy("channels.id")
          .limit(channelsPerRound),
      );
      return rows.map(({ told_due_at, ...channel }) => ({
        channel,
        dueAt: told_due_at ?? undefined,
      }));
    },

    /** Misses, or conflicts, where another node was first. */
    claim({ channel: { uuid }, dueAt }: DueChannel, due_at: number): Write {
      const lost = { rows: 1, missed: "changed_meanwhile", conflict: "changed_meanwhile" } as const;
      if (dueAt === undefined) {
        return {
          query: sql
            .insertInto("told_model_ends")
            .values({ channel_uuid: uuid, ends: "{}", due_at }),
          ...lost,
        };
      }
      return {
        query: sql
          .updateTable("told_model_ends")
          .set({ due_at })
          .where("channel_uuid", "=", uuid)
          .where("due_at", "=", dueAt),
        ...lost,
      };
    },

    async toldTo({ uuid }: Pick<ChannelRow, "uuid">): Promise<string | undefined> {
      const [row] = await read(
        sql.selectFrom("told_model_ends").select("ends").where("channel_uuid", "=", uuid),
      );
      return row?.ends;
    },

    tell: ({ uuid }: Pick<ChannelRow, "uuid">, ends: string, due_at: number): Write => ({
      query: sql
        .insertInto("told_model_ends")
        .values({ channel_uuid: uuid, ends, due_at })
        .onConflict((taken) => taken.column("channel_uuid").doUpdateSet({ ends, due_at })),
    }),

    /** `sweep` removes the facts that channels were told which are gone. */
    sweep: (): Write => ({
      query: sql
        .deleteFrom("told_model_ends")
        .where("channel_uuid", "not in", sql.selectFrom("channels").select("uuid")),
    }),
  };
}
