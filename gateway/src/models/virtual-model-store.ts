/** SQL on virtual models. */
import type { Reference } from "@tollgate/contract/ids.ts";
import type { Insertable, Selectable } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { byReference } from "../storage/paged-list.ts";
import type { VirtualModelsTable } from "../storage/tables/channel-tables.ts";

export type VirtualModelRow = Selectable<VirtualModelsTable>;
type VirtualModelColumns = Omit<Insertable<VirtualModelsTable>, "id">;

export type VirtualModelStore = ReturnType<typeof virtualModelStore>;

export function virtualModelStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    all: (): Promise<VirtualModelRow[]> => read(sql.selectFrom("virtual_models").selectAll().orderBy("name")),

    async find(reference: Reference): Promise<VirtualModelRow | undefined> {
      const [row] = await read(
        sql.selectFrom("virtual_models").selectAll().where(byReference("virtual_models", reference)),
      );
      return row;
    },

    /** The models of enabled channels as their rows hold them. */
    servedModels: () =>
      read(sql.selectFrom("channels").select(["models", "hidden_models", "group"]).where("status", "=", 1)),

    insert: (row: VirtualModelColumns): Write => ({
      query: sql.insertInto("virtual_models").values(row),
      rows: 1,
      conflict: "virtual_model_name_taken",
    }),

    /** Misses when the row changed after it was read. */
    update: ({ id, updated_at }: VirtualModelRow, change: Partial<VirtualModelColumns>): Write => ({
      query: sql.updateTable("virtual_models").set(change).where("id", "=", id).where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
      conflict: "virtual_model_name_taken",
    }),

    remove: ({ id }: VirtualModelRow): Write => ({
      query: sql.deleteFrom("virtual_models").where("id", "=", id),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
