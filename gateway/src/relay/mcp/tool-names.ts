/** Names of tools where several servers stand behind one address: `search__find_pages`. Pure. */
import type { JsonRecord } from "../wire/json-parts.ts";

/** Names of servers hold no underscore, so that the first one divides. */
const divider = "__";

export const formatPrefixedName = (server: string, tool: string): string =>
  `${server}${divider}${tool}`;

export function formatDividedName(name: string): { server: string; tool: string } | undefined {
  const at = name.indexOf(divider);
  return at <= 0 ? undefined : { server: name.slice(0, at), tool: name.slice(at + divider.length) };
}

/** A tool as the joined list shows it. */
export const buildPrefixedTool = (
  server: string,
  tool: string,
  described: JsonRecord,
): JsonRecord => ({
  ...described,
  name: formatPrefixedName(server, tool),
});

/**
 * `formatLoggedToolName` gives the name by which log rows, budgets and totals know the calls of a
 * tool, as they know those of a model by its name.
 */
export const formatLoggedToolName = (server: string, tool: string): string =>
  `mcp/${server}/${tool}`;
