/**
 * The enabled MCP servers in memory, replaced whenever one changes on any node, with the gateway's
 * connection to each.
 */
import { mcpToolPattern, mcpToolsMax } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { openMcpHeaders } from "../../catalogue/mcp-servers/mcp-headers.ts";
import {
  type McpServerAccess,
  type McpServerAnswer,
  readAccess,
} from "../../catalogue/mcp-servers/mcp-server-rules.ts";
import type { McpServerRow, McpServerStore } from "../../catalogue/mcp-servers/mcp-server-store.ts";
import type { Exit } from "../../egress/egress.ts";
import type { Sealer } from "../../secrets/seal.ts";
import type { Database } from "../../storage/database.ts";
import { makeSingleFlight } from "../../storage/single-flight.ts";
import { redact } from "../upstream/redact-secrets.ts";
import { type JsonRecord, records, text } from "../wire/json-parts.ts";
import { McpFailure } from "./mcp-failure.ts";
import { createMcpLink, type McpLink } from "./mcp-link.ts";
import { stripSecrets } from "./mcp-secrets.ts";

/** Agents ask for the list at each start; servers change it rarely. */
const listFreshMs = 30_000;
/** A call of an unknown tool asks again, but not more often. */
const listAgainMs = 2_000;
/** A server with more pages repeats itself. */
const pagesMax = 20;
const listWithinMs = 20_000;

export interface McpTool {
  name: string;
  /** `described` is the server's own description, without secrets. */
  described: JsonRecord;
}

export interface LiveMcpServer {
  access: McpServerAccess;
  url: URL;
  timeoutMs: number;
  link: McpLink;
  /** `secrets` are in the headers that reach it; must not come back to a client. */
  secrets: readonly string[];
  /**
   * `tools` gives all its tools, also those that a caller may not use: at most 30 seconds old.
   * Rejects with `McpFailure`.
   */
  tools(): Promise<readonly McpTool[]>;
  /** Asks the server again where the tool is not in the list. */
  hasTool(name: string): Promise<boolean>;
}

export interface McpServers {
  /** `all` gives those that are enabled, by name. */
  all(): readonly LiveMcpServer[];
  find(name: string): LiveMcpServer | undefined;
  /** Asks a server of any state, with a connection of its own. */
  listTools(row: McpServerRow): Promise<McpServerAnswer>;
}

interface McpServersDeps {
  db: Pick<Database, "onChange">;
  store: Pick<McpServerStore, "all">;
  seal: Sealer;
  exit: Exit;
  now(): number;
  onError(error: unknown): void;
}

export async function openMcpServers({
  db,
  store,
  seal,
  exit,
  now,
  onError,
}: McpServersDeps): Promise<McpServers> {
  const open = (row: McpServerRow): LiveMcpServer =>
    openServer(row, openMcpHeaders(seal, row), exit, now);
  let live = new Map<string, { row: McpServerRow; server: LiveMcpServer }>();
  const refresh = makeSingleFlight(async () => {
    const before = live;
    const next: typeof live = new Map();
    for (const row of await store.all()) {
      if (row.enabled === 0) continue;
      const known = before.get(row.name);
      const isSame = known?.row.uuid === row.uuid && known.row.updated_at === row.updated_at;
      try {
        next.set(row.name, isSame ? known : { row, server: open(row) });
      } catch (error) {
        // Sealed with another master key: without its headers it must not be called.
        onError(error);
      }
    }
    live = next;
  });
  db.onChange("mcp_servers", refresh);
  await refresh();
  return {
    all: () => [...live.values()].map(({ server }) => server),
    find: (name) => live.get(name)?.server,
    async listTools(row) {
      try {
        const server = open(row);
        const tools = await server.tools();
        const shown = tools.map(({ name, described }) => ({
          name,
          description: text(described.description),
        }));
        return { protocol: server.link.revision(), tools: shown };
      } catch (error) {
        if (error instanceof McpFailure) return { issue: redact(error.message, ...secretsIn(row)) };
        onError(error);
        return { issue: "the headers of the server cannot be read" };
      }
    },
  };

  function secretsIn(row: McpServerRow): string[] {
    return listSecrets(openMcpHeaders(seal, row));
  }
}

/** Values of headers, and what follows a scheme such as `Bearer`. */
const listSecrets = (headers: Readonly<Record<string, string>>): string[] =>
  Object.values(headers).flatMap((value) => {
    const credential = /^[A-Za-z]+ +(\S+)$/.exec(value)?.[1];
    return credential === undefined ? [value] : [value, credential];
  });

function openServer(
  row: McpServerRow,
  headers: Readonly<Record<string, string>>,
  exit: Exit,
  now: () => number,
): LiveMcpServer {
  const url = new URL(row.url);
  const link = createMcpLink(exit, { url, headers });
  const secrets = listSecrets(headers);
  let listed: { at: number; tools: Promise<readonly McpTool[]> } | undefined;
  const tools = (freshMs = listFreshMs): Promise<readonly McpTool[]> => {
    if (listed && now() - listed.at < freshMs) return listed.tools;
    const reading = readTools(link, secrets);
    const entry = { at: now(), tools: reading };
    listed = entry;
    reading.catch(() => {
      if (listed === entry) listed = undefined;
    });
    return reading;
  };
  return {
    access: readAccess(row),
    url,
    timeoutMs: row.timeout_ms,
    link,
    secrets,
    tools: () => tools(),
    async hasTool(name) {
      const isListed = async (freshMs: number) =>
        (await tools(freshMs)).some((tool) => tool.name === name);
      return (await isListed(listFreshMs)) || (await isListed(listAgainMs));
    },
  };
}

/** Tools with a name that can be passed on, once each; no more than the gateway offers. */
async function readTools(link: McpLink, secrets: readonly string[]): Promise<McpTool[]> {
  const signal = AbortSignal.timeout(listWithinMs);
  const found = new Map<string, McpTool>();
  let cursor: string | undefined;
  for (let page = 1; page <= pagesMax; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const reply = await link.ask(
      { method: "tools/list", params },
      { id: `list-${page}`, holder: 0, signal },
    );
    if ("error" in reply) throw new McpFailure("refused", `tools/list: ${reply.error.message}`);
    for (const tool of records(reply.result.tools)) {
      const name = text(tool.name);
      if (!mcpToolPattern.test(name) || found.has(name) || found.size >= mcpToolsMax) continue;
      found.set(name, { name, described: stripSecrets(tool, secrets) });
    }
    cursor = text(reply.result.nextCursor) || undefined;
    if (cursor === undefined || found.size >= mcpToolsMax) break;
  }
  return [...found.values()];
}
