/**
 * MCP servers of both eras, by the protocol's own libraries, and one whose answers tests write
 * themselves.
 */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { McpServer as SessionServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { createMcpHandler, McpServer as StatelessServer } from "@modelcontextprotocol/server";
import * as z from "zod";

export interface SeenRequest {
  method: string;
  headers: IncomingMessage["headers"];
  // biome-ignore lint/suspicious/noExplicitAny: whatever was sent
  body: any;
}

export interface McpTestServer {
  url: string;
  seen: SeenRequest[];
  close(): Promise<void>;
}

type ScriptedAnswer = (
  request: IncomingMessage,
  response: ServerResponse,
  body: string,
) => Promise<void> | void;

async function listen(answer: ScriptedAnswer): Promise<McpTestServer> {
  const seen: SeenRequest[] = [];
  const server: Server = createServer((request, response) => {
    response.on("error", () => undefined);
    void (async () => {
      const body = Buffer.concat(await request.toArray()).toString("utf8");
      seen.push({
        method: request.method ?? "",
        headers: request.headers,
        body: body === "" ? undefined : JSON.parse(body),
      });
      await answer(request, response, body);
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/rpc`,
    seen,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** `echoed` gives what the tools of both servers do. */
const echoed = (text: string) => ({ content: [{ type: "text" as const, text }] });
const broken = { content: [{ type: "text" as const, text: "no such page" }], isError: true };

/** `startStatelessMcpServer` is about revision 2026-07-28: each request is whole. */
export async function startStatelessMcpServer(): Promise<McpTestServer> {
  const handler = createMcpHandler(
    () => {
      const server = new StatelessServer({ name: "pages", version: "1" });
      server.registerTool(
        "find",
        { description: "Finds pages", inputSchema: z.object({ text: z.string() }) },
        ({ text }) => echoed(`found ${text}`),
      );
      server.registerTool("fail", { description: "Always fails" }, () => broken);
      server.registerTool("remove", { description: "Removes pages" }, () => echoed("removed"));
      return server;
    },
    { legacy: "reject" },
  );
  return listen(async (request, response, body) => {
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers))
      if (typeof value === "string") headers.set(name, value);
    const reply = await handler.fetch(
      new Request("http://pages/rpc", { method: "POST", headers, body }),
    );
    response.writeHead(reply.status, Object.fromEntries(reply.headers));
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
}

/** Of revision 2025-11-25, with sessions that count the calls made in them, and with progress. */
export async function startSessionMcpServer() {
  const sessions = new Map<string, StreamableHTTPServerTransport>();
  const open = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    const server = new SessionServer({ name: "counter", version: "1" });
    let calls = 0;
    server.registerTool("count", { description: "Counts its calls" }, () => {
      calls += 1;
      return echoed(String(calls));
    });
    server.registerTool(
      "work",
      { description: "Works for a while" },
      async ({ _meta, sendNotification }) => {
        const progressToken = _meta?.progressToken;
        if (progressToken !== undefined)
          await sendNotification({
            method: "notifications/progress",
            params: { progressToken, progress: 1, total: 2 },
          });
        return echoed("done");
      },
    );
    await server.connect(transport as Parameters<typeof server.connect>[0]);
    return transport;
  };
  const listening = await listen(async (request, response, body) => {
    const id = request.headers["mcp-session-id"];
    const known = typeof id === "string" ? sessions.get(id) : undefined;
    if (typeof id === "string" && !known) {
      response.writeHead(404).end();
      return;
    }
    await (known ?? (await open())).handleRequest(
      request,
      response,
      body === "" ? undefined : JSON.parse(body),
    );
  });
  return { ...listening, forgetSessions: () => sessions.clear() };
}

/** Answers `server/discover` and `tools/list` properly, and calls as the test says. */
export async function startScriptedMcpServer(tools: readonly string[]) {
  const script: { answer: ScriptedAnswer } = {
    answer: (_request, response) => void response.writeHead(500).end(),
  };
  const server = await listen(async (request, response, body) => {
    const { id, method } = JSON.parse(body) as { id: unknown; method: string };
    const reply = (result: unknown) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    };
    if (method === "server/discover")
      return reply({ supportedVersions: ["2026-07-28"], capabilities: { tools: {} } });
    if (method === "tools/list")
      return reply({ tools: tools.map((name) => ({ name, inputSchema: { type: "object" } })) });
    await script.answer(request, response, body);
  });
  return { ...server, script };
}
