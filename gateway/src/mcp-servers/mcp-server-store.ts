/** SQL on MCP servers. */
import type { Database } from "../storage/database.ts";
import { type NamedTableRow, namedRows } from "../storage/named-rows.ts";

export type McpServerRow = NamedTableRow<"mcp_servers">;
export type McpServerStore = ReturnType<typeof mcpServerStore>;

export const mcpServerStore = (db: Pick<Database, "sql" | "read">) =>
  namedRows(db, "mcp_servers", "mcp_server_name_taken");
