// Tools of MCP servers through the gateway, by the protocol's own client libraries: who may use
// which, what a call costs, what a server can do to it.

import type { McpServer, McpServerInput } from "@tollgate/contract/catalogue/mcp-servers.ts";
import {
  createMcpServer,
  deleteMcpServer,
  testMcpServer,
  updateMcpServer,
} from "@tollgate/contract/catalogue/mcp-servers.ts";
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import type { LogRow } from "@tollgate/gateway/storage/tables/call-tables.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ApiSession } from "../harness/api-session.ts";
import { eventually } from "../harness/eventually.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import { describeLarge } from "../support/large-tests.ts";
import {
  sessionMcpClient,
  statelessMcpClient,
  toolNames,
  toolText,
} from "../support/mcp-clients.ts";
import {
  type McpTestServer,
  startScriptedMcpServer,
  startSessionMcpServer,
  startStatelessMcpServer,
} from "../support/mcp-test-servers.ts";

const credential = "Bearer upstream-credential-1234567890";

describeLarge(["sqlite", "postgres"] as const)("MCP servers on %s", (store) => {
  let gateway: TestGateway;
  let root: ApiSession;
  let pages: McpTestServer;
  let counter: Awaited<ReturnType<typeof startSessionMcpServer>>;
  let scripted: Awaited<ReturnType<typeof startScriptedMcpServer>>;
  let key: string;

  const register = async (
    input: Partial<McpServerInput> & { name: string; url: string },
  ): Promise<McpServer> =>
    (await root.call(createMcpServer, { body: { named_only: false, ...input } })).data;

  beforeAll(async () => {
    [pages, counter, scripted] = await Promise.all([
      startStatelessMcpServer(),
      startSessionMcpServer(),
      startScriptedMcpServer(["act", "other"]),
    ]);
    const hosts = [pages, counter, scripted].map(({ url }) => new URL(url).host).join(",");
    gateway = await startTestGateway({
      store,
      env: { API_RATE_LIMIT: "0", MCP_PRIVATE_HOSTS: hosts },
    });
    root = await gateway.root();
    await register({
      name: "pages",
      url: pages.url,
      headers: { Authorization: credential },
      tools: ["find", "fail"],
      call_price: 7,
      tool_prices: { find: 30 },
    });
    await register({ name: "counter", url: counter.url, call_price: 2 });
    await register({ name: "scripted", url: scripted.url, call_price: 11 });
    ({ key } = await gateway.given.token());
  }, 120_000);
  afterAll(async () => {
    await gateway.close();
    await Promise.all([pages, counter, scripted].map((server) => server?.close()));
  });

  const addressOf = (path: string) => new URL(`${gateway.url}${path}`);
  const stateless = (path: string, apiKey = key) => statelessMcpClient(addressOf(path), apiKey);
  const handshaking = (path: string, apiKey = key) => sessionMcpClient(addressOf(path), apiKey);
  const rows = async (): Promise<LogRow[]> => {
    await gateway.settled();
    return gateway.rows<LogRow>(`select * from logs where type = ${logTypes.tool} order by id`);
  };
  const post = async (
    path: string,
    body: unknown,
    headers: Record<string, string> = {},
    apiKey = key,
  ) => {
    const response = await fetch(gateway.url + path, {
      method: "POST",
      headers: {
        authorization: `Bearer ${apiKey}`,
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await response.text();
    const data =
      text
        .split("\n")
        .findLast((line) => line.startsWith("data:"))
        ?.slice(5) ?? text;
    return {
      status: response.status,
      text,
      // biome-ignore lint/suspicious/noExplicitAny: messages of every structure
      message: (data === "" ? undefined : JSON.parse(data)) as any,
    };
  };
  const call = (name: string, more: object = {}) => ({
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: {}, ...more },
  });

  test("a client of either revision uses a server of either, and pays the price of the tool", async () => {
    for (const connect of [stateless, handshaking]) {
      const before = await gateway.settled();
      const client = await connect("/mcp/pages");
      expect(toolNames(await client.listTools())).toEqual(["fail", "find"]);
      expect(toolText(await client.callTool({ name: "find", arguments: { text: "moss" } }))).toBe(
        "found moss",
      );
      await client.close();
      const older = await connect("/mcp/counter");
      expect(toolNames(await older.listTools())).toEqual(["count", "work"]);
      expect(toolText(await older.callTool({ name: "count", arguments: {} }))).toMatch(/^\d$/);
      await older.close();
      const after = await gateway.settled();
      expect(after.charged - before.charged).toBe(30 + 2);
      expect(before.balance - after.balance).toBe(32);
      const [find, count] = (await rows()).slice(-2);
      expect(find).toMatchObject({
        model_name: "mcp/pages/find",
        channel_name: "pages",
        quota: 30,
        outcome: "success",
        prompt_tokens: 0,
      });
      expect(count).toMatchObject({ model_name: "mcp/counter/count", quota: 2 });
    }
  });

  test("the row of a call has a trace, and its charge is in the totals of its user", async () => {
    const [newest] = (await rows()).slice(-1);
    const [trace] = await gateway.rows<{ data: string }>(
      `select data from traces where id = ${newest?.id}`,
    );
    expect(JSON.parse(trace?.data ?? "{}")).toMatchObject({
      url: "/mcp/counter",
      status: 200,
      attempts: [{ channel_name: "counter", status: 200, outcome: "success", error: null }],
    });
    const sum = (await rows()).reduce((total, { quota }) => total + quota, 0);
    // On PostgreSQL the roll-ups follow within a second.
    await eventually(async () => {
      expect(await root.data<{ quota: number }>("GET", "/api/log/stat")).toMatchObject({
        quota: sum,
      });
    });
  });

  test("the joined address has the tools of all servers under prefixed names", async () => {
    const client = await handshaking("/mcp");
    expect(toolNames(await client.listTools())).toEqual([
      "counter__count",
      "counter__work",
      "pages__fail",
      "pages__find",
      "scripted__act",
      "scripted__other",
    ]);
    const found = await client.callTool({ name: "pages__find", arguments: { text: "fern" } });
    expect(toolText(found)).toBe("found fern");
    await client.close();
  });

  test("the server gets the operator's headers and neither the API key nor what the client says of itself", async () => {
    const client = await stateless("/mcp/pages");
    await client.callTool({ name: "find", arguments: { text: "x" } });
    await client.close();
    const { headers, body } = pages.seen.findLast((one) => one.body?.method === "tools/call") ?? {
      headers: {},
      body: {},
    };
    expect(headers).toMatchObject({
      authorization: credential,
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "tools/call",
      "mcp-name": "find",
    });
    expect(JSON.stringify([headers, body])).not.toContain(key.replace("sk-", ""));
    expect(body.params._meta["io.modelcontextprotocol/clientInfo"].name).toBe("tollgate");
  });

  test("each API key has a session of its own with a server that keeps some, and a lost session is opened anew", async () => {
    const { key: second } = await gateway.given.token();
    const { key: third } = await gateway.given.token();
    const count = async (apiKey: string) =>
      (await post("/mcp/counter", call("count"), {}, apiKey)).message;
    expect((await count(second)).result.content[0].text).toBe("1");
    expect((await count(second)).result.content[0].text).toBe("2");
    expect((await count(third)).result.content[0].text).toBe("1");
    counter.forgetSessions();
    expect((await count(second)).result.content[0].text).toBe("1");
  });

  test("progress reaches the client while the tool works", async () => {
    const client = await handshaking("/mcp/counter");
    const told: unknown[] = [];
    const result = await client.callTool({ name: "work", arguments: {} }, undefined, {
      onprogress: (progress) => told.push(progress),
    });
    expect(toolText(result)).toBe("done");
    expect(told).toEqual([{ progress: 1, total: 2 }]);
    await client.close();
  });

  test("the list and the call obey one rule: tools of the server, groups, and what the key may use", {
    tags: ["MC-01"],
  }, async () => {
    const { key: narrow } = await gateway.given.token({ mcp_tools: "pages/find,counter" });
    const client = await handshaking("/mcp", narrow);
    const listed = toolNames(await client.listTools());
    await client.close();
    expect(listed).toEqual(["counter__count", "counter__work", "pages__find"]);
    const before = await gateway.settled();
    for (const name of [
      "pages__fail",
      "scripted__act",
      "pages__remove",
      "none__find",
      "pages__nothing",
      "find",
    ]) {
      const { message } = await post("/mcp", call(name), {}, narrow);
      expect([name, message.error]).toEqual([
        name,
        { code: -32602, message: expect.stringContaining("There is no tool") },
      ]);
    }
    expect((await post("/mcp/scripted", call("act"), {}, narrow)).status).toBe(404);
    expect((await post("/mcp/unknown", call("act"), {}, narrow)).status).toBe(404);
    // The server has this tool, and does not offer it to anyone.
    expect((await post("/mcp/pages", call("remove"))).message.error.code).toBe(-32602);
    expect((await gateway.settled()).charged).toBe(before.charged);
    const { uuid } =
      (await root.data<McpServer[]>("GET", "/api/mcp_server/")).find(
        ({ name }) => name === "pages",
      ) ?? {};
    await root.call(updateMcpServer, { body: { uuid: uuid ?? "", groups: ["vip"] } });
    expect((await post("/mcp/pages", call("find"))).status).toBe(404);
    await root.call(updateMcpServer, { body: { uuid: uuid ?? "", groups: [] } });
  });

  test("a new server is for keys that name it, until its administrator opens it", {
    tags: ["MC-01"],
  }, async () => {
    const { data } = await root.call(createMcpServer, {
      body: { name: "closed", url: scripted.url },
    });
    const { key: named } = await gateway.given.token({ mcp_tools: "closed/act" });
    const listed = async (apiKey: string) => {
      const { message } = await post(
        "/mcp/closed",
        { jsonrpc: "2.0", id: 1, method: "tools/list" },
        {},
        apiKey,
      );
      return message.result === undefined ? message.error.data.code : toolNames(message.result);
    };
    expect([data.named_only, await listed(key), await listed(named)]).toEqual([
      true,
      "mcp_server_not_found",
      ["act"],
    ]);
    await root.call(updateMcpServer, { body: { uuid: data.uuid, named_only: false } });
    expect(await listed(key)).toEqual(["act", "other"]);
    await root.call(deleteMcpServer, { params: { id: data.uuid } });
  });

  test("only a result is charged, once: errors, refusals, silence and questions cost nothing", {
    tags: ["MC-02"],
  }, async () => {
    const json =
      (body: object) =>
      (_request: unknown, response: import("node:http").ServerResponse, sent: string) => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, ...body }));
      };
    const before = await gateway.settled();
    const free: [string, typeof scripted.script.answer, string, number][] = [
      [
        "the tool reports an error",
        json({ result: { isError: true, content: [] } }),
        "failed",
        200,
      ],
      ["an error of the protocol", json({ error: { code: -32000, message: "no" } }), "failed", 200],
      [
        "a question",
        json({ result: { resultType: "input_required", inputRequests: {} } }),
        "success",
        200,
      ],
      [
        "a result of another kind",
        json({ result: { resultType: "task", taskId: "1" } }),
        "failed",
        502,
      ],
      ["neither result nor error", json({}), "failed", 502],
      ["a reply to another request", json({ id: "other", result: {} }), "failed", 502],
      [
        "no JSON",
        (_q, response) =>
          void response.writeHead(200, { "content-type": "application/json" }).end("{"),
        "failed",
        502,
      ],
      [
        "a page",
        (_q, response) => void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
        "failed",
        502,
      ],
      ["status 503", (_q, response) => void response.writeHead(503).end("busy"), "failed", 502],
      [
        "a redirect",
        (_q, response) => void response.writeHead(307, { location: pages.url }).end(),
        "failed",
        502,
      ],
      ["a broken connection", (_q, response) => void response.destroy(), "failed", 502],
    ];
    for (const [what, answer, outcome, status] of free) {
      scripted.script.answer = answer;
      const reply = await post("/mcp/scripted", call("act"));
      const [row] = (await rows()).slice(-1);
      expect([what, reply.status, row?.outcome, row?.quota]).toEqual([what, status, outcome, 0]);
    }
    await register({ name: "hasty", url: scripted.url, call_price: 11, timeout_ms: 1_000 });
    scripted.script.answer = () => undefined;
    expect((await post("/mcp/hasty", call("act"))).status).toBe(504);
    expect((await rows()).at(-1)).toMatchObject({
      outcome: "failed",
      quota: 0,
      model_name: "mcp/hasty/act",
    });
    const after = await gateway.settled();
    expect([after.charged, after.balance, after.held]).toEqual([before.charged, before.balance, 0]);
    scripted.script.answer = json({ result: { content: [{ type: "text", text: "ok" }] } });
    expect((await post("/mcp/scripted", call("act"))).message.result.content).toEqual([
      { type: "text", text: "ok" },
    ]);
    expect((await gateway.settled()).charged).toBe(before.charged + 11);
  });

  test("a result that comes after its client has left is charged, for the tool has acted", {
    tags: ["MC-02"],
  }, async () => {
    const before = await gateway.settled();
    const leaving = new AbortController();
    let acted = (): void => undefined;
    const hasActed = new Promise<void>((resolve) => {
      acted = resolve;
    });
    scripted.script.answer = (_request, response, sent) => {
      leaving.abort();
      acted();
      setTimeout(() => {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(
          JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, result: { content: [] } }),
        );
      }, 300);
    };
    const sent = fetch(`${gateway.url}/mcp/scripted`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(call("act")),
      signal: leaving.signal,
    });
    await expect(sent).rejects.toThrow();
    await hasActed;
    expect((await gateway.settled()).charged).toBe(before.charged + 11);
    const row = (await rows()).at(-1);
    expect(row?.quota).toBe(11);
    // A busy gateway may learn after the result that its client is gone.
    expect(["client_left", "success"]).toContain(row?.outcome);
  });

  test("a balance, key or limit that does not cover the price refuses the call before the server hears of it", {
    tags: ["MC-02"],
  }, async () => {
    const { key: poor } = await gateway.given.token({ unlimited_quota: false, remain_quota: 10 });
    const { key: slow } = await gateway.given.token({ rpm_limit: 1 });
    scripted.script.answer = (_request, response, sent) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, result: { content: [] } }),
      );
    };
    const heard = () => scripted.seen.filter(({ body }) => body?.method === "tools/call").length;
    const before = heard();
    const refused = await post("/mcp/scripted", call("act"), {}, poor);
    expect([refused.status, refused.message.id, refused.message.error.data.code]).toEqual([
      403,
      1,
      "pre_consume_token_quota_failed",
    ]);
    expect(heard()).toBe(before);
    expect((await post("/mcp/scripted", call("act"), {}, slow)).status).toBe(200);
    expect((await post("/mcp/scripted", call("act"), {}, slow)).status).toBe(429);
    expect(heard()).toBe(before + 1);
  });

  test("a server that quotes the gateway's credential back does not show it", {
    tags: ["MC-03"],
  }, async () => {
    const echoing = await register({
      name: "echoing",
      url: scripted.url,
      headers: { Authorization: credential },
    });
    const secret = credential.slice("Bearer ".length);
    const quotes: typeof scripted.script.answer = (request, response, sent) => {
      const { id } = JSON.parse(sent) as { id: string };
      const got = String(request.headers.authorization);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const told = {
        jsonrpc: "2.0",
        method: "notifications/message",
        params: { level: "info", data: got },
      };
      response.write(`event: message\ndata: ${JSON.stringify(told)}\n\n`);
      const result = {
        content: [{ type: "text", text: `I got ${got}` }],
        structuredContent: { [got]: secret },
      };
      response.end(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result })}\n\n`);
    };
    scripted.script.answer = quotes;
    const { text } = await post("/mcp/echoing", call("act"));
    expect(text).toContain("I got [key]");
    expect(text).not.toContain(secret);
    scripted.script.answer = (request, response, sent) => {
      response.writeHead(200, { "content-type": "application/json" });
      const error = {
        code: -32000,
        message: `bad ${request.headers.authorization}`,
        data: { got: secret },
      };
      response.end(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(sent).id, error }));
    };
    expect((await post("/mcp/echoing", call("act"))).text).not.toContain(secret);
    const everything = await gateway.rows<object>(
      "select content, '' as data from logs union all select '', data from traces",
    );
    expect(JSON.stringify(everything)).not.toContain(secret);
    const [shown] = (await root.data<McpServer[]>("GET", "/api/mcp_server/")).filter(
      ({ uuid }) => uuid === echoing.uuid,
    );
    expect(shown).toMatchObject({ header_names: ["authorization"] });
    expect(JSON.stringify(shown)).not.toContain(secret);
  });

  test("an address inside the network is refused unless MCP_PRIVATE_HOSTS names it", {
    tags: ["MC-03"],
  }, async () => {
    for (const url of ["http://127.0.0.1:1/rpc", "http://169.254.169.254/latest", gateway.url])
      await expect(register({ name: "inside", url })).rejects.toThrow(/MCP_PRIVATE_HOSTS/);
  });

  test("the test of a server lists its tools with prices, and says what is wrong with one that gives none", async () => {
    const all = await root.data<McpServer[]>("GET", "/api/mcp_server/");
    const found = all.find(({ name }) => name === "pages");
    const { data } = await root.call(testMcpServer, { params: { id: found?.uuid ?? "" } });
    expect(data).toMatchObject({ ok: true, protocol: "2026-07-28" });
    expect(data.tools).toEqual([
      { name: "find", description: "Finds pages", offered: true, price: 30 },
      { name: "fail", description: "Always fails", offered: true, price: 7 },
      { name: "remove", description: "Removes pages", offered: false, price: 7 },
    ]);
  });

  test("messages that are none of the protocol get its errors, and costs nothing but an answer", async () => {
    const list = { jsonrpc: "2.0", id: 7, method: "tools/list", params: {} };
    const meta = (version: string) => ({
      ...list,
      params: { _meta: { "io.modelcontextprotocol/protocolVersion": version } },
    });
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list" };
    const codeOf = async (...sent: Parameters<typeof post>) => {
      const { status, message } = await post(...sent);
      return [status, message.error.code];
    };
    expect(await codeOf("/mcp", "{")).toEqual([400, -32700]);
    expect(await codeOf("/mcp", [list])).toEqual([400, -32600]);
    expect(await codeOf("/mcp", { ...list, method: "prompts/list" })).toEqual([200, -32601]);
    expect(
      await codeOf("/mcp", meta("2026-07-28"), { ...headers, "mcp-method": "tools/call" }),
    ).toEqual([400, -32020]);
    expect(
      await codeOf("/mcp", meta("2030-01-01"), {
        ...headers,
        "mcp-protocol-version": "2030-01-01",
      }),
    ).toEqual([400, -32022]);
    expect(
      (await post("/mcp", { jsonrpc: "2.0", method: "notifications/initialized" })).status,
    ).toBe(202);
    expect((await post("/mcp", list, {}, "sk-unknown")).status).toBe(401);
    const get = await fetch(`${gateway.url}/mcp`, { headers: { authorization: `Bearer ${key}` } });
    expect([get.status, get.headers.get("allow")]).toEqual([405, "POST"]);
  });

  test("after all of it the books agree", async () => {
    expect(await gateway.audit()).toBe("The books agree.");
  });
});
