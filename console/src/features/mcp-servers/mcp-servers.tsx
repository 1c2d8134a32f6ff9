import { useParams } from "@tanstack/react-router";
import { McpServerAddPage } from "./mcp-server-add-page.tsx";
import { McpServerEditPage } from "./mcp-server-edit-page.tsx";
import { McpServerListPage } from "./mcp-server-list-page.tsx";

/**
 * The pages of MCP servers as one part: each part of its own adds to the script that every page
 * loads.
 */
export function McpServers() {
  const { id } = useParams({ strict: false });
  if (id === undefined) return <McpServerListPage />;
  return id === "add" ? <McpServerAddPage /> : <McpServerEditPage />;
}
