/** SQL on MCP servers. */
import type { Database } from "../../storage/database.ts";
import { findNamedRows, type NamedTableRow } from "../../storage/named-rows.ts";

export type McpServerRow = NamedTableRow<"mcp_servers">;
export type McpServerStore = ReturnType<typeof createMcpServerStore>;

export const createMcpServerStore = (db: Pick<Database, "sql" | "read">) =>
  findNamedRows(db, "mcp_servers", "mcp_server_name_taken");
