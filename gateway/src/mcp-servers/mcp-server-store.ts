/** SQL on MCP servers. */
import type { Reference } from "@tollgate/contract/ids.ts";
import type { Insertable, Selectable } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { byReference } from "../storage/paged-list.ts";
import type { McpServersTable } from "../storage/tables/mcp-server-table.ts";

export type McpServerRow = Selectable<McpServersTable>;
type McpServerColumns = Omit<Insertable<McpServersTable>, "id">;

export type McpServerStore = ReturnType<typeof mcpServerStore>;

export function mcpServerStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    all: (): Promise<McpServerRow[]> => read(sql.selectFrom("mcp_servers").selectAll().orderBy("name")),

    async find(reference: Reference): Promise<McpServerRow | undefined> {
      const [row] = await read(sql.selectFrom("mcp_servers").selectAll().where(byReference("mcp_servers", reference)));
      return row;
    },

    async byName(name: string): Promise<McpServerRow | undefined> {
      const [row] = await read(sql.selectFrom("mcp_servers").selectAll().where("name", "=", name));
      return row;
    },

    insert: (row: McpServerColumns): Write => ({
      query: sql.insertInto("mcp_servers").values(row),
      rows: 1,
      conflict: "mcp_server_name_taken",
    }),

    /** Misses when the row changed after it was read. */
    update: ({ id, updated_at }: McpServerRow, change: Partial<McpServerColumns>): Write => ({
      query: sql.updateTable("mcp_servers").set(change).where("id", "=", id).where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
      conflict: "mcp_server_name_taken",
    }),

    remove: ({ id }: McpServerRow): Write => ({
      query: sql.deleteFrom("mcp_servers").where("id", "=", id),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
