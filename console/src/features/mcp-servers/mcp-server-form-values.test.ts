import type { McpServer } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { expect, test } from "vitest";
import {
  addTools,
  buildMcpServerCreate,
  buildMcpServerForm,
  buildMcpServerUpdate,
  defineMcpServerFormSchema,
  type McpServerFormValues,
  newMcpServer,
} from "./mcp-server-form-values.ts";

const messages = {
  name: "name",
  url: "url",
  header: "header",
  price: "price",
  timeout: "timeout",
  tools: "tools",
};
const schema = defineMcpServerFormSchema(messages);

const server: McpServer = {
  id: 7,
  uuid: "0199aa10-0000-7000-8000-000000000007",
  name: "pages",
  description: "Pages of the intranet",
  url: "https://mcp.example.com/rpc",
  enabled: true,
  named_only: true,
  groups: ["vip"],
  tools: ["find", "read"],
  call_price: 5,
  tool_prices: { find: 30, remove: 0 },
  timeout_ms: 1_500,
  header_names: ["authorization"],
  managed_by: "",
  created_at: 1,
  updated_at: 2,
};
const values: McpServerFormValues = {
  ...newMcpServer,
  name: "pages",
  url: "https://mcp.example.com/rpc",
};
const issuesOf = (changes: Partial<McpServerFormValues>) =>
  schema.safeParse({ ...values, ...changes }).error?.issues.map(({ message }) => message) ?? [];

test("a server that is opened and saved stays as it is, and its headers are not sent", () => {
  const body = buildMcpServerUpdate(schema.parse(buildMcpServerForm(server)), server);
  const { id, uuid, header_names: _, created_at: __, managed_by: ___, ...same } = server;
  expect(body).toEqual({ ...(uuid === "" ? { id } : { id, uuid }), ...same });
});

test("stored headers are replaced by those entered, or by none, when that is asked for", () => {
  const opened = buildMcpServerForm(server);
  const replaced = { ...opened, replaces_headers: true };
  const headers = [{ name: "X-Key", value: "k" }];
  expect(buildMcpServerUpdate(schema.parse({ ...replaced, headers }), server).headers).toEqual({
    "X-Key": "k",
  });
  expect(buildMcpServerUpdate(schema.parse(replaced), server).headers).toEqual({});
  const bare = { ...server, header_names: [] };
  expect(buildMcpServerUpdate(schema.parse(buildMcpServerForm(bare)), bare)).not.toHaveProperty(
    "headers",
  );
});

test("a new server is for keys that name it, offers all tools, and has prices of its tools only where they are typed", () => {
  const tools = addTools(addTools([], ["find", "a b", "find"]), ["read"]).map((tool) =>
    tool.name === "read" ? { ...tool, price: "9" } : tool,
  );
  expect(buildMcpServerCreate(schema.parse({ ...values, tools }))).toMatchObject({
    named_only: true,
    tools: [],
    tool_prices: { read: 9 },
    call_price: 0,
    timeout_ms: 60_000,
    headers: {},
  });
  expect(tools.map(({ name }) => name)).toEqual(["find", "read"]);
});

test("what the server would refuse or misread is refused by the form", () => {
  expect(issuesOf({})).toEqual([]);
  expect(issuesOf({ name: "Pages" })).toEqual(["name"]);
  for (const url of ["mcp.example.com", "ftp://x", "https://", "https://x/#a"])
    expect([url, issuesOf({ url })]).toEqual([url, ["url"]]);
  expect(issuesOf({ headers: [{ name: "x", value: "" }] })).toEqual(["header"]);
  expect(issuesOf({ call_price: "1.5" })).toEqual(["price"]);
  expect(issuesOf({ tools: [{ name: "find", offered: true, price: "x" }] })).toEqual(["price"]);
  for (const timeout_seconds of ["0", "601", ""])
    expect(issuesOf({ timeout_seconds })).toEqual(["timeout"]);
  // Sent as an empty list, it would offer every tool.
  expect(
    issuesOf({ is_limited: true, tools: [{ name: "find", offered: false, price: "" }] }),
  ).toEqual(["tools"]);
});
