/** The values that the form of an MCP server holds and sends. Pure. */
import type { BodyIn } from "@tollgate/contract/api/endpoint.ts";
import {
  type createMcpServer,
  type McpServer,
  mcpServerNamePattern,
  mcpTimeoutMs,
  mcpToolPattern,
  type updateMcpServer,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import * as z from "zod/mini";
import { buildEntityIds } from "../../compat/entity-ids.ts";
import { defineWholeNumber, numberText } from "../../components/forms/whole-number.ts";

type McpHeaderValues = { name: string; value: string };

/**
 * A tool that the server has, or that an administrator named. `price` is empty for the server's
 * own.
 */
export type ToolValues = { name: string; offered: boolean; price: string };

/** Form values: text as typed. */
export type McpServerFormValues = {
  name: string;
  description: string;
  url: string;
  /** Stored headers are never shown: they stay, or all of them are replaced. */
  replaces_headers: boolean;
  headers: McpHeaderValues[];
  enabled: boolean;
  named_only: boolean;
  groups: string[];
  /** Only the offered tools, instead of all that the server has. */
  is_limited: boolean;
  tools: ToolValues[];
  /** Units. */
  call_price: string;
  timeout_seconds: string;
};

/** The values after validation. */
export type McpServerFormOutput = Omit<McpServerFormValues, "call_price" | "timeout_seconds"> & {
  call_price: number;
  timeout_seconds: number;
};

const secondMs = 1_000;
export const timeoutSeconds = {
  min: mcpTimeoutMs.min / secondMs,
  max: mcpTimeoutMs.max / secondMs,
};

export const newMcpServer: McpServerFormValues = {
  name: "",
  description: "",
  url: "",
  replaces_headers: true,
  headers: [],
  enabled: true,
  named_only: true,
  groups: [],
  is_limited: false,
  tools: [],
  call_price: "0",
  timeout_seconds: String(mcpTimeoutMs.usual / secondMs),
};

/** The translated validation messages. */
export type McpServerFormMessages = {
  name: string;
  url: string;
  header: string;
  price: string;
  timeout: string;
  /** No tool is offered. */
  tools: string;
};

export function defineMcpServerFormSchema(
  messages: McpServerFormMessages,
): z.ZodMiniType<McpServerFormOutput, McpServerFormValues> {
  const price = defineWholeNumber(messages.price);
  const values = z.object({
    name: z.string().check(z.trim(), z.regex(mcpServerNamePattern, messages.name)),
    description: z.string().check(z.trim()),
    url: z.string().check(
      z.trim(),
      z.refine(
        (text) => /^https?:\/\//.test(text) && URL.canParse(text) && !text.includes("#"),
        messages.url,
      ),
    ),
    replaces_headers: z.boolean(),
    headers: z.array(
      z.object({
        name: z.string().check(z.trim(), z.minLength(1, messages.header)),
        value: z.string().check(z.trim(), z.minLength(1, messages.header)),
      }),
    ),
    enabled: z.boolean(),
    named_only: z.boolean(),
    groups: z.array(z.string()),
    is_limited: z.boolean(),
    tools: z.array(
      z.object({
        name: z.string(),
        offered: z.boolean(),
        price: z.string().check(
          z.trim(),
          z.refine((text) => text === "" || price.safeParse(text).success, messages.price),
        ),
      }),
    ),
    call_price: price,
    timeout_seconds: defineWholeNumber(messages.timeout, timeoutSeconds.min, timeoutSeconds.max),
  });
  // An empty list would mean every tool.
  const isSomeOffered = ({ is_limited, tools }: z.output<typeof values>) =>
    !is_limited || tools.some(({ offered }) => offered);
  return values.check(z.refine(isSomeOffered, { error: messages.tools, path: ["is_limited"] }));
}

export function buildMcpServerForm(server: McpServer): McpServerFormValues {
  const { name, description, url, enabled, named_only, groups, tools, tool_prices } = server;
  const names = [...new Set([...tools, ...Object.keys(tool_prices)])];
  return {
    name,
    description,
    url,
    replaces_headers: server.header_names.length === 0,
    headers: [],
    enabled,
    named_only,
    groups,
    is_limited: tools.length > 0,
    tools: names.map((tool) => ({
      name: tool,
      offered: tools.includes(tool),
      price: tool_prices[tool] === undefined ? "" : numberText(tool_prices[tool]),
    })),
    call_price: numberText(server.call_price),
    timeout_seconds: numberText(Math.ceil(server.timeout_ms / secondMs)),
  };
}

/** The rows with those of the tools that have none yet. */
export function addTools(rows: readonly ToolValues[], names: readonly string[]): ToolValues[] {
  const known = new Set(rows.map(({ name }) => name));
  const added = names.filter((name) => mcpToolPattern.test(name) && !known.has(name));
  return [...rows, ...[...new Set(added)].map((name) => ({ name, offered: false, price: "" }))];
}

export const buildMcpServerCreate = (
  values: McpServerFormOutput,
): BodyIn<typeof createMcpServer> => ({
  ...buildCommonFields(values),
  headers: buildHeaders(values),
});

export const buildMcpServerUpdate = (
  values: McpServerFormOutput,
  read: McpServer,
): BodyIn<typeof updateMcpServer> => ({
  ...buildEntityIds(read),
  ...buildCommonFields(values),
  // Without any before and now, an untouched form changes nothing.
  ...(values.replaces_headers &&
    (values.headers.length > 0 || read.header_names.length > 0) && {
      headers: buildHeaders(values),
    }),
  // A time of less than whole seconds that an API client set stays until another one is typed.
  ...(values.timeout_seconds === Math.ceil(read.timeout_ms / secondMs) && {
    timeout_ms: read.timeout_ms,
  }),
  updated_at: read.updated_at,
});

const buildHeaders = ({ headers }: McpServerFormOutput): Record<string, string> =>
  Object.fromEntries(headers.map(({ name, value }) => [name, value]));

function buildCommonFields(values: McpServerFormOutput) {
  const { name, description, url, enabled, named_only, groups, is_limited, tools, call_price } =
    values;
  return {
    name,
    description,
    url,
    enabled,
    named_only,
    groups,
    tools: is_limited ? tools.filter(({ offered }) => offered).map((tool) => tool.name) : [],
    call_price,
    tool_prices: Object.fromEntries(
      tools.filter(({ price }) => price !== "").map((tool) => [tool.name, Number(tool.price)]),
    ),
    timeout_ms: values.timeout_seconds * secondMs,
  };
}
