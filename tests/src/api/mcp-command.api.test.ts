// An agent operates the gateway through the command `mcp`, by the protocol's own client library.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freePort } from "../harness/free-port.ts";
import { gatewayProgram } from "../harness/gateway-program.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";

let gateway: TestGateway;
let client: Client;
beforeAll(async () => {
  gateway = await startTestGateway();
  const scopes = [
    "users:read",
    "users:write",
    "tokens:read",
    "tokens:write",
    "options:read",
    "redemptions:write",
    "wallets:grant",
  ];
  const body = { name: "agent", scopes, lifetime_days: 1 };
  const { key } = await gateway.api<{ key: string }>("POST", "/api/management_key/", body);
  const program = gatewayProgram();
  client = new Client({ name: "test", version: "1" });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [...program.args, "mcp"],
      env: {
        ...program.env,
        PATH: process.env.PATH ?? "",
        TOLLGATE_URL: gateway.url,
        TOLLGATE_KEY: key,
      },
    }),
  );
}, 120_000);
afterAll(async () => {
  await client?.close();
  await gateway?.close();
});

const use = async (name: string, input: Record<string, unknown> = {}) => {
  const { content, isError } = await client.callTool({ name, arguments: input });
  const [{ text } = { text: "" }] = content as { text: string }[];
  return { isError: isError === true, text, data: isError === true ? undefined : JSON.parse(text) };
};

test("the tools are the operations of the contract that a management key may call, each with a schema", async () => {
  const { tools } = await client.listTools();
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  expect(byName.get("listUsers")).toMatchObject({ annotations: { readOnlyHint: true } });
  expect(byName.get("deleteUser")).toMatchObject({
    annotations: { readOnlyHint: false, destructiveHint: true },
  });
  expect(byName.get("createToken")?.inputSchema).toMatchObject({
    properties: { body: { required: ["name"] }, dry_run: { default: true } },
    required: ["body"],
  });
  for (const closed of [
    "createManagementKey",
    "waiveDebt",
    "getOpenApi",
    "exportLogs",
    "testChannelByGet",
  ])
    expect(byName.has(closed), closed).toBe(false);
  expect(client.getInstructions()).toContain("dry run first");
});

test("a change is made only after the same call was a dry run, which shows what is there and changes nothing", async () => {
  const input = { body: { username: "by-agent", password: "a password of an agent" } };
  const unseen = await use("createUser", { ...input, dry_run: false });
  expect(unseen).toMatchObject({ isError: true, text: expect.stringContaining("was not tried") });
  expect((await use("createUser", input)).data).toMatchObject({
    dry_run: true,
    operation: "POST /api/user/",
  });
  const find = { query: { keyword: "by-agent" } };
  expect((await use("searchUsers", find)).data).toMatchObject({ data: [], total: 0 });
  const other = { body: { ...input.body, username: "another" } };
  expect((await use("createUser", { ...other, dry_run: false })).isError).toBe(true);
  const made = (await use("createUser", { ...input, dry_run: false })).data.data;
  expect(made).toMatchObject({ username: "by-agent" });

  const disable = { body: { id: made.id, status: 2 } };
  expect((await use("updateUserStatus", disable)).data).toMatchObject({
    present: { username: "by-agent", status: 1 },
  });
  expect((await use("updateUserStatus", { ...disable, dry_run: false })).data.data).toMatchObject({
    status: 2,
  });
  expect((await use("updateUserStatus", { ...disable, dry_run: false })).isError).toBe(true);
  const entries = await gateway.api<{ change: unknown }[]>("GET", "/api/audit/?action=user.create");
  expect(JSON.stringify(entries)).toContain("by-agent");
});

test("an act on many rows is previewed by the gateway itself", async () => {
  const { id } = (await use("searchUsers", { query: { keyword: "by-agent" } })).data.data[0];
  const many = { body: { ids: [id], verb: "enable" } };
  expect((await use("changeManyUsers", many)).data).toMatchObject({
    dry_run: true,
    preview: expect.anything(),
  });
  expect((await use("getUser", { params: { id } })).data.data).toMatchObject({ status: 2 });
  await use("changeManyUsers", { ...many, dry_run: false });
  expect((await use("getUser", { params: { id } })).data.data).toMatchObject({ status: 1 });
});

test("a new key is masked, and so are codes; names of settings stay readable", async () => {
  const input = { body: { name: "of the agent" } };
  await use("createToken", input);
  const { text, data } = await use("createToken", { ...input, dry_run: false });
  expect(data.data.key).toMatch(/^sk-.\*\*\*....$/);
  const whole = await gateway.api<{ key: string; name: string }[]>("GET", "/api/token/");
  const stored = whole.find(({ name }) => name === "of the agent")?.key ?? "";
  expect(stored).toHaveLength(51);
  expect(text).not.toContain(stored.slice(3));
  const codes = { body: { name: "codes", count: 2, quota: 5 } };
  await use("createRedemptions", codes);
  const made = (await use("createRedemptions", { ...codes, dry_run: false })).data.data as string[];
  expect(made).toHaveLength(2);
  for (const code of made) expect(code).toMatch(/^.{4}\*\*\*.{4}$/);
  expect((await use("listOptions")).text).toContain('"SystemName"');
});

test("what does not fit, is unknown or beyond the key's scopes is told to the agent", async () => {
  expect(await use("createToken", { body: { name: "" } })).toMatchObject({
    isError: true,
    text: expect.stringMatching(/name/),
  });
  expect(await use("getUser", { params: { id: "7; drop" } })).toMatchObject({ isError: true });
  // What the gateway would refuse is refused in the dry run, and so allows no change.
  const channel = { body: { name: "c", type: 1, key: "k" } };
  expect(await use("createChannel", channel)).toMatchObject({
    isError: true,
    text: expect.stringContaining("lacks its scope"),
  });
  expect((await use("createChannel", { ...channel, dry_run: false })).text).toContain(
    "was not tried",
  );
  expect(await use("listChannels")).toMatchObject({
    isError: true,
    text: expect.stringContaining("lacks its scope"),
  });
  await expect(client.callTool({ name: "createManagementKey", arguments: {} })).rejects.toThrow(
    /no such tool/,
  );
});

test("a gateway that is down, or that does not know the key, is told to the agent with its address", async () => {
  const program = gatewayProgram();
  const closed = `http://127.0.0.1:${await freePort()}`;
  for (const [url, key, words] of [
    [closed, "tgm-any", `${closed} cannot be reached`],
    [gateway.url, "tgm-unknown", "management key is unknown"],
  ] as const) {
    const other = new Client({ name: "test", version: "1" });
    const env = {
      ...program.env,
      PATH: process.env.PATH ?? "",
      TOLLGATE_URL: url,
      TOLLGATE_KEY: key,
    };
    await other.connect(
      new StdioClientTransport({ command: process.execPath, args: [...program.args, "mcp"], env }),
    );
    try {
      const { content, isError } = await other.callTool({ name: "listUsers", arguments: {} });
      const [{ text } = { text: "" }] = content as { text: string }[];
      expect([isError, text]).toEqual([true, expect.stringContaining(words)]);
      expect(text).not.toContain(key);
    } finally {
      await other.close();
    }
  }
});
