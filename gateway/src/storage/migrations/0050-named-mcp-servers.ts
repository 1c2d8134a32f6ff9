/** An MCP server may be for keys alone that name it, and may belong to a configuration file. Registered servers stay as they are. */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table mcp_servers add column named_only bigint not null default 0",
  "alter table mcp_servers add column managed_by text not null default ''",
];

export const namedMcpServers: Migration = {
  id: 50,
  name: "named mcp servers",
  sqlite: statements,
  postgres: statements,
};
