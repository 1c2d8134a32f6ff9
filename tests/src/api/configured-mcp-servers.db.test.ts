import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabases } from "../support/test-databases.ts";
import { describeVariants } from "../support/variants.ts";
import { applyDocument, configurationProgram } from "./configuration-program.ts";
import {
  type ManagementGateway,
  startManagementGateway,
  type TestApiClient,
} from "./management-gateway.ts";

const url = "https://mcp.example.com/rpc";
const secret = "Bearer canary-of-the-server";
const pages = {
  name: "pages",
  url,
  headers: { Authorization: secret },
  tools: ["find", "read"],
  callPrice: 500,
};

describeVariants(testDatabases)("MCP servers of a configuration document on $name", (database) => {
  let gateway: ManagementGateway;
  let root: TestApiClient;
  let program: TestApiClient;
  beforeAll(async () => {
    gateway = await startManagementGateway(database);
    root = await gateway.signIn("root");
    program = await configurationProgram(gateway, root);
  });
  afterAll(() => gateway.close());

  const apply = (document: object, more: object = {}) => applyDocument(program, document, more);
  const ask = async (...asked: Parameters<TestApiClient>) => (await root(...asked)).body;
  const servers = async () => (await ask("GET", "/api/mcp_server/")).data;
  const codes = ({ problems }: { problems: { name: string; code: string }[] }) =>
    problems.map(({ name, code }) => [name, code]);
  const mask = { Authorization: "********" };

  test("are planned, applied once, and changed by the members that differ, which the plan names without their values", async () => {
    const plan = await apply({ mcpServers: [pages] }, { preview: true });
    expect(plan.changes).toEqual([
      { kind: "mcp_server", name: "pages", action: "create", members: [] },
    ]);
    expect(await servers()).toEqual([]);
    expect(await apply({ mcpServers: [pages] })).toEqual(plan);
    expect(await servers()).toMatchObject([
      {
        managed_by: "site.yaml",
        url,
        header_names: ["authorization"],
        tools: ["find", "read"],
        call_price: 500,
      },
    ]);
    for (const headers of [pages.headers, mask, { AUTHORIZATION: secret }])
      expect(await apply({ mcpServers: [{ ...pages, headers }] })).toMatchObject({
        changes: [],
        unchanged: 1,
      });
    const other = {
      ...pages,
      headers: { Authorization: "Bearer another-canary" },
      toolPrices: { find: 9 },
    };
    expect((await apply({ mcpServers: [other] })).changes).toEqual([
      { kind: "mcp_server", name: "pages", action: "update", members: ["tool_prices", "headers"] },
    ]);
    expect((await apply({ mcpServers: [{ ...other, headers: {} }] })).changes[0]).toMatchObject({
      members: ["headers"],
    });
    expect((await servers())[0].header_names).toEqual([]);
    const recorded = await gateway.db.read(gateway.db.sql.selectFrom("audit_entries").selectAll());
    const stored = await gateway.db.read(gateway.db.sql.selectFrom("mcp_servers").selectAll());
    expect(JSON.stringify([recorded, stored])).not.toContain("canary");
    expect(recorded.at(-1)?.change).toContain("site.yaml");
  });

  test("are what an export holds, with references in the place of headers, and applying it changes nothing", async () => {
    await apply({ mcpServers: [pages] });
    await ask("POST", "/api/mcp_server/", {
      body: {
        name: "by-hand",
        url,
        headers: { "X-Api-Key": "canary" },
        enabled: false,
        named_only: false,
      },
    });
    const { data: document } = (await program("GET", "/api/config/")).body;
    expect(JSON.stringify(document)).not.toContain("canary");
    const [byHand, ofFile] = document.mcpServers;
    expect(byHand.headers).toEqual({ "x-api-key": "env:TOLLGATE_MCP_SERVER_BY_HAND_X_API_KEY" });
    expect(ofFile).toMatchObject({ name: "pages", callPrice: 500, namedOnly: true });
    const masked = [
      { ...byHand, headers: { "x-api-key": "********" } },
      { ...ofFile, headers: mask },
    ];
    expect(await apply({ mcpServers: masked })).toMatchObject({
      changes: [],
      problems: [],
      unchanged: 2,
    });
  });

  test("are the file's alone, which says nothing of whether they are switched on, until an administrator takes them over", async () => {
    const byHand = { name: "by-hand", url, callPrice: 1, headers: { "X-Api-Key": "canary" } };
    expect(codes(await apply({ mcpServers: [byHand] }))).toEqual([["by-hand", "not_of_this_file"]]);
    const adopted = await apply({ mcpServers: [pages, byHand] }, { adopt: true });
    expect(
      adopted.changes.map(({ name, action }: Record<string, string>) => [name, action]),
    ).toEqual([["by-hand", "adopt"]]);
    const find = async (name: string) =>
      (await servers()).find((one: { name: string }) => one.name === name);
    const { id } = await find("pages");
    const change = (body: object) => ask("PUT", "/api/mcp_server/", { body: { id, ...body } });
    expect(await change({ call_price: 1 })).toMatchObject({ code: "managed_by_file" });
    expect(await ask("DELETE", `/api/mcp_server/${id}`)).toMatchObject({ code: "managed_by_file" });
    expect((await change({ enabled: false })).success).toBe(true);
    expect(await apply({ mcpServers: [pages, byHand] })).toMatchObject({
      changes: [],
      unchanged: 2,
    });
    expect((await change({ call_price: 1, managed_by: "" })).data).toMatchObject({
      managed_by: "",
      enabled: false,
    });
    expect(codes(await apply({ mcpServers: [pages, byHand] }))).toEqual([
      ["pages", "not_of_this_file"],
    ]);

    expect((await apply({ mcpServers: [] })).changes).toMatchObject([
      { name: "by-hand", action: "left" },
    ]);
    expect((await apply({ mcpServers: [] }, { prune: true })).changes).toMatchObject([
      { name: "by-hand", action: "delete" },
    ]);
    expect(await servers()).toMatchObject([{ name: "pages" }]);
  });

  test("send stored headers to no other host, and are refused with every fault named", async () => {
    const moved = "https://other.example.com/rpc";
    const wanted = (members: object) =>
      apply({ mcpServers: [{ ...pages, ...members }] }, { adopt: true });
    await wanted({});
    expect(codes(await wanted({ url: moved, headers: mask }))).toEqual([
      ["pages", "mcp_headers_required"],
    ]);
    expect((await wanted({ url: moved })).changes).toMatchObject([{ members: ["url"] }]);
    const faults = [
      { name: "one", url, headers: mask },
      { name: "two", url: "http://127.0.0.1/rpc" },
      { name: "three", url, groups: ["nobody"] },
      { name: "three", url },
      { name: "four", url, groups: ["new"] },
    ];
    expect(codes(await apply({ mcpServers: faults, groups: { default: 1, new: 2 } }))).toEqual([
      ["one", "invalid_request"],
      ["two", "invalid_request"],
      ["three", "invalid_request"],
      ["three", "configuration_twice"],
    ]);
    expect(await servers()).toHaveLength(1);
    expect(gateway.problems).toEqual([]);
  });
});
