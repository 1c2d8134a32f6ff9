import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  buildMcpServerColumns,
  changeMcpServer,
  type McpCaller,
  mayCallTool,
  mayUseServer,
  readAccess,
  showTool,
  showToTokens,
} from "./mcp-server-rules.ts";
import type { McpServerRow } from "./mcp-server-store.ts";

const settings = {
  name: "pages",
  description: "",
  url: "https://mcp.example.com/rpc",
  enabled: true,
  named_only: false,
  groups: [] as string[],
  tools: [] as string[],
  call_price: 7,
  tool_prices: { find: 30 } as Record<string, number>,
  timeout_ms: 60_000,
};
const rowOf = (changes: Partial<typeof settings> = {}, sealed = ""): McpServerRow => ({
  id: 1,
  uuid: "0199aa10-0000-7000-8000-000000000001",
  ...buildMcpServerColumns({ ...settings, ...changes }),
  headers_sealed: sealed,
  header_names: "[]",
  managed_by: "",
  created_at: 1,
  updated_at: 1,
});
const caller = (mcpTools: string[] | null = null, groups = ["default"]): McpCaller => ({
  groups,
  mcpTools: mcpTools && new Set(mcpTools),
});

describe("who may use a tool", () => {
  test("without lists, every key may use every tool that has a name to pass on", {
    tags: ["MC-01"],
  }, () => {
    const server = readAccess(rowOf());
    expect(mayCallTool(server, caller(), "find")).toBe(true);
    for (const name of ["", "a b", "ä", "a\nb", "a,b", "x".repeat(129)])
      expect([name, mayCallTool(server, caller(), name)]).toEqual([name, false]);
  });

  test("a tool needs the server's list, one of the key's groups, and the key's own list", {
    tags: ["MC-01"],
  }, () => {
    const server = readAccess(rowOf({ tools: ["find", "read"], groups: ["vip", "staff"] }));
    expect(mayCallTool(server, caller(null, ["default", "staff"]), "find")).toBe(true);
    expect(mayCallTool(server, caller(null, ["default"]), "find")).toBe(false);
    expect(mayCallTool(server, caller(null, ["vip"]), "remove")).toBe(false);
    expect(mayCallTool(server, caller(["pages"], ["vip"]), "read")).toBe(true);
    expect(mayCallTool(server, caller(["pages/read"], ["vip"]), "read")).toBe(true);
    expect(mayCallTool(server, caller(["pages/read"], ["vip"]), "find")).toBe(false);
    expect(mayCallTool(server, caller(["page", "pages2", "pages2/find"], ["vip"]), "find")).toBe(
      false,
    );
  });

  test("a server for named keys alone gives nothing to a key that does not name it", {
    tags: ["MC-01"],
  }, () => {
    const server = readAccess(rowOf({ named_only: true, groups: ["default"] }));
    expect([mayUseServer(server, caller()), mayCallTool(server, caller(), "find")]).toEqual([
      false,
      false,
    ]);
    expect(
      [caller(["pages"]), caller(["pages/find"])].map((by) => mayCallTool(server, by, "find")),
    ).toEqual([true, true]);
    expect(mayCallTool(server, caller(["pages"], ["vip"]), "find")).toBe(false);
  });

  test("a key that may call a tool may use its server, whatever the lists are", {
    tags: ["MC-01"],
  }, () => {
    const tool = fc.constantFrom("find", "read", "a/b", "pages");
    const listed = fc.constantFrom<string>(
      "pages",
      "pages/find",
      "pages/a/b",
      "other",
      "other/find",
      "pag",
    );
    fc.assert(
      fc.property(
        fc.array(tool),
        fc.array(fc.constantFrom("default", "vip")),
        fc.option(fc.array(listed)),
        fc.array(fc.constantFrom("default", "vip", "staff")),
        tool,
        fc.boolean(),
        (tools, groups, keyTools, keyGroups, called, named_only) => {
          const server = readAccess(rowOf({ tools, groups, named_only }));
          const by = caller(keyTools, keyGroups);
          if (mayCallTool(server, by, called)) expect(mayUseServer(server, by)).toBe(true);
          const isListed =
            keyTools === null
              ? !named_only
              : keyTools.includes("pages") || keyTools.includes(`pages/${called}`);
          const isInGroup =
            groups.length === 0 || groups.some((group) => keyGroups.includes(group));
          const isOffered = tools.length === 0 || tools.includes(called);
          expect(mayCallTool(server, by, called)).toBe(isListed && isInGroup && isOffered);
        },
      ),
    );
  });
});

test("a tool costs its own price, or else that of its server, and names of prototypes have none", () => {
  const server = readAccess(rowOf());
  expect([server.priceOf("find"), server.priceOf("read"), server.priceOf("constructor")]).toEqual([
    30, 7, 7,
  ]);
  expect(showTool(server, "read", "x".repeat(600))).toEqual({
    name: "read",
    description: "x".repeat(500),
    offered: true,
    price: 7,
  });
});

test("users see servers that are on and open to a group of theirs, without what leads to them", () => {
  const shown = showToTokens(rowOf({ groups: ["vip"] }, "sealed"), ["default", "vip"]);
  expect(shown).toEqual({
    name: "pages",
    description: "",
    named_only: false,
    tools: [],
    call_price: 7,
    tool_prices: { find: 30 },
  });
  expect(showToTokens(rowOf({ groups: ["vip"] }), ["default"])).toBeUndefined();
  expect(showToTokens(rowOf({ enabled: false }), ["default"])).toBeUndefined();
});

test("headers do not follow a server to another host, and stay where the host stays", {
  tags: ["MC-03"],
}, () => {
  const row = rowOf({}, "sealed");
  const change = { id: { id: 1 } };
  const refusal = expect.objectContaining({ code: "mcp_headers_required" });
  for (const url of [
    "https://other.example.com/rpc",
    "http://mcp.example.com/rpc",
    "https://mcp.example.com:444/rpc",
  ])
    expect(() => changeMcpServer(row, { ...change, url })).toThrow(refusal);
  expect(changeMcpServer(row, { ...change, url: "https://mcp.example.com/v2" }).url).toBe(
    "https://mcp.example.com/v2",
  );
  expect(
    changeMcpServer(row, { ...change, url: "https://other.example.com/", headers: {} }).name,
  ).toBe("pages");
  expect(changeMcpServer(rowOf(), { ...change, url: "https://other.example.com/" }).name).toBe(
    "pages",
  );
  expect(() => changeMcpServer(row, { ...change, updated_at: 9 })).toThrow();
});
