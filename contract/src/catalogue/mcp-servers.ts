/**
 * Servers of the Model Context Protocol that the gateway passes tool calls on to: `POST /mcp/:name`
 * reaches one of them, `POST /mcp` all that the API key may use.
 */
import * as z from "zod/mini";
import { endpoint } from "../api/endpoint.ts";
import { makeAboutField } from "../api/field-message.ts";
import { bodyReference, byId, isNamed, namedExplanation } from "../api/ids.ts";
import { line, nameList, quotaUnits, unixMillis } from "../api/scalars.ts";
import { findHeaderIssue } from "./channel-overrides.ts";

/** `tools/list` at `/mcp` asks every one of them. */
export const mcpServersMax = 50;
/** `mcpToolsMax` bounds the tools of one server that are offered to clients. */
export const mcpToolsMax = 500;
const groupsMax = 100;
const headersMax = 20;
/** A tool waits for people or builds at most; a client's connection does not live longer. */
export const mcpTimeoutMs = { min: 1_000, usual: 60_000, max: 600_000 } as const;

/** Part of the address and of prefixed names of tools, which is why it has no underscore. */
export const mcpServerNamePattern = /^[a-z][a-z0-9-]{0,30}$/;
const mcpServerName = z
  .string()
  .check(
    z.regex(
      mcpServerNamePattern,
      makeAboutField(
        "must begin with a letter and hold only lower-case letters, digits and hyphens",
      ),
    ),
  );

/**
 * `mcpToolPattern` is as the protocol recommends; other names could not be told apart in lists and
 * prices.
 */
export const mcpToolPattern = /^[A-Za-z0-9_./-]{1,128}$/;
const toolName = z
  .string()
  .check(
    z.regex(
      mcpToolPattern,
      makeAboutField("must be a tool's name: letters, digits and _ . / - alone"),
    ),
  );

const url = z.string().check(
  z.maxLength(500),
  z.refine(
    (text) => /^https?:\/\//.test(text) && URL.canParse(text) && !text.includes("#"),
    makeAboutField("must be the server's address, beginning with https://"),
  ),
);

/**
 * Sent with each request to the server, and shown nowhere. The protocol's own headers are the
 * gateway's.
 */
const headers = z.record(z.string(), z.string()).check(
  z.refine(
    (all) => Object.keys(all).length <= headersMax,
    makeAboutField(`must be at most ${headersMax}`),
  ),
  z.refine(
    (all) =>
      Object.entries(all).every(
        ([name, value]) => findHeaderIssue(name, value) === undefined && !isOwn(name),
      ),
    makeAboutField("must be names and values of headers that the gateway does not send itself"),
  ),
);

const isOwn = (name: string): boolean =>
  /^(?:mcp-.*|accept|content-type|last-event-id)$/i.test(name);

const settings = {
  description: line(200),
  url,
  enabled: z.boolean(),
  /**
   * Only API keys that name it, or one of its tools, may use it: a key that was made for something
   * else must not get tools that act. Otherwise it is open to every key without a list of its own.
   */
  named_only: z.boolean(),
  /** Groups of accounts that may use it; empty for every group. */
  groups: z.array(line(64).check(z.minLength(1))).check(z.maxLength(groupsMax)),
  /** The tools that are offered; empty for all that the server has. */
  tools: z.array(toolName).check(z.maxLength(mcpToolsMax)),
  /** Units for each call of a tool that has no price of its own. */
  call_price: quotaUnits,
  /** Units for each call, by the tool. */
  tool_prices: z
    .record(toolName, quotaUnits)
    .check(
      z.refine(
        (all) => Object.keys(all).length <= mcpToolsMax,
        makeAboutField(`must be at most ${mcpToolsMax}`),
      ),
    ),
  /** Until the whole answer to a call is there. */
  timeout_ms: z.int().check(z.minimum(mcpTimeoutMs.min), z.maximum(mcpTimeoutMs.max)),
};

export const mcpServer = z.object({
  id: z.int(),
  uuid: z.string(),
  name: z.string(),
  ...settings,
  /** Names of the headers that are sent; their values are never shown. */
  header_names: z.array(z.string()),
  /** The configuration file that manages it; empty for none. */
  managed_by: z.string(),
  created_at: unixMillis,
  updated_at: unixMillis,
});
export type McpServer = z.output<typeof mcpServer>;

export const mcpServerInput = z.object({
  name: mcpServerName,
  description: z._default(settings.description, ""),
  url: settings.url,
  headers: z._default(headers, {}),
  enabled: z._default(settings.enabled, true),
  named_only: z._default(settings.named_only, true),
  groups: z._default(settings.groups, []),
  tools: z._default(settings.tools, []),
  call_price: z._default(settings.call_price, 0),
  tool_prices: z._default(settings.tool_prices, {}),
  timeout_ms: z._default(settings.timeout_ms, mcpTimeoutMs.usual),
});
export type McpServerInput = z.output<typeof mcpServerInput>;

const changeable = {
  description: z.optional(settings.description),
  url: z.optional(settings.url),
  /** Replaces all of them. A server at another host needs them again. */
  headers: z.optional(headers),
  enabled: z.optional(settings.enabled),
  named_only: z.optional(settings.named_only),
  groups: z.optional(settings.groups),
  tools: z.optional(settings.tools),
  call_price: z.optional(settings.call_price),
  tool_prices: z.optional(settings.tool_prices),
  timeout_ms: z.optional(settings.timeout_ms),
};

/**
 * `mcpServerByName` asks only the first request for the members that a new one needs. A missing
 * member keeps its value.
 */
export const mcpServerByName = z.object(changeable);
export type McpServerByName = z.output<typeof mcpServerByName>;

/** A missing member keeps its value. */
export const mcpServerChange = z
  .object({
    ...bodyReference,
    name: z.optional(mcpServerName),
    ...changeable,
    /** Empty: the server belongs to its configuration file no longer. */
    managed_by: z.optional(z.literal("")),
    /** The version that the form read; refused when it is older than the stored one. */
    updated_at: z.optional(unixMillis),
  })
  .check(z.refine(isNamed, namedExplanation));
export type McpServerChange = z.output<typeof mcpServerChange>;

/** A server, or a tool of one as `server/tool`. */
export const mcpToolEntryPattern = /^[a-z][a-z0-9-]{0,30}(?:\/[A-Za-z0-9_./-]{1,128})?$/;

/**
 * The restriction of an API key: names of servers, and tools as `server/tool`, joined with commas.
 */
export const mcpToolList = nameList(10_000).check(
  z.refine(
    (text) => text === "" || text.split(",").every((one) => mcpToolEntryPattern.test(one)),
    makeAboutField(
      "must be names of MCP servers, or tools such as search/find_pages, separated by commas",
    ),
  ),
);

const tokenMcpServer = z.object({
  name: z.string(),
  description: z.string(),
  named_only: settings.named_only,
  /** Empty for all that the server has. */
  tools: z.array(z.string()),
  call_price: z.int(),
  tool_prices: z.record(z.string(), z.int()),
});
export type TokenMcpServer = z.output<typeof tokenMcpServer>;

/** `listTokenMcpServers` are what a token may name in `mcp_tools`. */
export const listTokenMcpServers = endpoint("GET", "/api/token/mcp_servers", {
  access: "user",
  scope: "tokens:read",
  summary:
    "The MCP servers that the caller's tokens may use, by name, with the price of a call in units",
  data: z.array(tokenMcpServer),
});

export const listMcpServers = endpoint("GET", "/api/mcp_server/", {
  access: "admin",
  scope: "channels:read",
  summary: "All MCP servers by name, or the one of a name",
  query: z.object({ name: z.optional(mcpServerName) }),
  data: z.array(mcpServer),
});

export const getMcpServer = endpoint("GET", "/api/mcp_server/:id", {
  access: "admin",
  scope: "channels:read",
  summary: "One MCP server",
  params: byId,
  data: mcpServer,
});

export const createMcpServer = endpoint("POST", "/api/mcp_server/", {
  access: "admin",
  scope: "channels:write",
  summary: "Register an MCP server",
  body: mcpServerInput,
  data: mcpServer,
});

export const updateMcpServer = endpoint("PUT", "/api/mcp_server/", {
  access: "admin",
  scope: "channels:write",
  summary: "Change an MCP server; the next call obeys it",
  body: mcpServerChange,
  data: mcpServer,
});

export const putMcpServer = endpoint("PUT", "/api/mcp_server/by-name/:name", {
  access: "admin",
  scope: "channels:write",
  summary: "Register the MCP server of this name, or change it; a repetition changes nothing",
  params: z.object({ name: mcpServerName }),
  body: mcpServerByName,
  data: mcpServer,
});

export const deleteMcpServer = endpoint("DELETE", "/api/mcp_server/:id", {
  access: "admin",
  scope: "channels:write",
  summary: "Delete an MCP server",
  params: byId,
});

const mcpTool = z.object({
  name: z.string(),
  description: z.string(),
  /**
   * Clients may call it: the server's list of tools allows it, and its name is one that the gateway
   * can pass on.
   */
  offered: z.boolean(),
  /** Units. */
  price: z.int(),
});
export type McpToolShown = z.output<typeof mcpTool>;

export const testMcpServer = endpoint("POST", "/api/mcp_server/:id/test", {
  access: "admin",
  scope: "channels:write",
  summary: "Ask an MCP server for its tools; calls none of them",
  params: byId,
  data: z.object({
    ok: z.boolean(),
    /** `issue` says why not, in words; empty otherwise. */
    issue: z.string(),
    /** The revision of the protocol that the server speaks; empty while it is not known. */
    protocol: z.string(),
    tools: z.array(mcpTool),
  }),
  timeoutMs: 60_000,
});
