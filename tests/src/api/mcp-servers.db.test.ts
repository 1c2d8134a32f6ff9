import type { McpServer } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const path = "/api/mcp_server/";
const url = "https://mcp.example.com/rpc";

describeVariants(testDatabases)("MCP servers as rows on $name", (database) => {
  let gateway: ManagementGateway;
  let admin: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    await gateway.addUser("ada", { role: 10 });
    admin = await gateway.signIn("ada");
  });
  afterAll(() => gateway.close());

  const create = async (body: object) => (await admin("POST", path, { body })).body;

  test("are registered with usual values, changed in part, listed by name, and deleted", async () => {
    const one: McpServer = (await create({ name: "zeta", url })).data;
    expect(one).toMatchObject({
      enabled: true,
      named_only: true,
      groups: [],
      tools: [],
      call_price: 0,
      timeout_ms: 60_000,
    });
    await create({ name: "alpha", url, tool_prices: { find: 3 }, tools: ["find", "find"] });
    const listed = (await admin("GET", path)).body.data as McpServer[];
    expect(listed.map(({ name, tools }) => [name, tools])).toEqual([
      ["alpha", ["find"]],
      ["zeta", []],
    ]);
    expect(await create({ name: "alpha", url })).toMatchObject({ code: "mcp_server_name_taken" });
    const body = { id: one.id, call_price: 9, updated_at: one.updated_at };
    expect((await admin("PUT", path, { body })).body.data).toMatchObject({
      name: "zeta",
      url,
      call_price: 9,
    });
    expect((await admin("PUT", path, { body })).body).toMatchObject({ code: "changed_meanwhile" });
    expect((await admin("DELETE", `${path}${one.uuid}`)).body).toMatchObject({ success: true });
    expect((await admin("GET", `${path}${one.id}`)).body).toMatchObject({
      code: "mcp_server_not_found",
    });
  });

  test("are shown to users whose tokens may name them, without address and headers", async () => {
    await gateway.addUser("una");
    await create({ name: "open", url, description: "For all", named_only: false, call_price: 4 });
    const { data: off } = await create({ name: "off", url, enabled: false });
    const una = await gateway.signIn("una");
    const seen = (await una("GET", "/api/token/mcp_servers")).body.data as { name: string }[];
    expect(seen.find(({ name }) => name === "open")).toEqual({
      name: "open",
      description: "For all",
      named_only: false,
      tools: [],
      call_price: 4,
      tool_prices: {},
    });
    expect(seen.map(({ name }) => name)).not.toContain(off.name);
    expect((await una("GET", path)).body).toMatchObject({ success: false });
  });

  test("show the names of their headers, never the values, and ask for them again at another host", async () => {
    const headers = { Authorization: "Bearer a-secret-of-the-server" };
    const made = await create({ name: "sealed", url, headers });
    expect(made.data.header_names).toEqual(["authorization"]);
    const change = (body: object) => admin("PUT", path, { body: { id: made.data.id, ...body } });
    expect((await change({ url: "https://other.example.com/" })).body).toMatchObject({
      code: "mcp_headers_required",
    });
    expect((await change({ url: "https://other.example.com/", headers })).body).toMatchObject({
      success: true,
    });
    expect((await change({ headers: {} })).body.data.header_names).toEqual([]);
    const stored = await gateway.db.read(gateway.db.sql.selectFrom("mcp_servers").selectAll());
    const recorded = await gateway.db.read(gateway.db.sql.selectFrom("audit_entries").selectAll());
    expect(JSON.stringify([made, stored, recorded])).not.toContain("a-secret-of-the-server");
  });

  test("have groups that exist, and headers that are not the gateway's own", async () => {
    expect(await create({ name: "grouped", url, groups: ["nobody"] })).toMatchObject({
      code: "invalid_request",
    });
    for (const headers of [
      { "Mcp-Session-Id": "x" },
      { host: "x" },
      { accept: "x" },
      { "a b": "x" },
      { a: "x\ny" },
    ])
      expect(await create({ name: "headed", url, headers })).toMatchObject({
        code: "invalid_request",
      });
  });

  test("the test of a server tells what it offers at which price, or what is wrong with it", async () => {
    const { data } = await create({
      name: "tested",
      url,
      tools: ["find"],
      call_price: 5,
      tool_prices: { read: 8 },
    });
    const tried = async () => (await admin("POST", `${path}${data.id}/test`)).body.data;
    expect(await tried()).toEqual({ ok: false, issue: "status 500", protocol: "", tools: [] });
    const tools = ["find", "read", "a b"].map((name) => ({ name, description: "" }));
    gateway.tests.mcpTools = { protocol: "2025-11-25", tools };
    expect(await tried()).toMatchObject({
      ok: true,
      protocol: "2025-11-25",
      tools: [
        { name: "find", offered: true, price: 5 },
        { name: "read", offered: false, price: 8 },
        { name: "a b", offered: false, price: 5 },
      ],
    });
  });
});
