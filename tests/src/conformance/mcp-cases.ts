/** Tools of MCP servers: clients of both revisions of the protocol over servers of both. */
import { createMcpServer } from "@tollgate/contract/catalogue/mcp-servers.ts";
import { beforeAll, describe, expect } from "vitest";
import {
  sessionMcpClient,
  statelessMcpClient,
  toolNames,
  toolText,
} from "../support/mcp-clients.ts";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";

export const mcpTable = "Tools of MCP servers";

const servers = {
  "2026-07-28": { name: "pages", tools: ["fail", "find"], tool: "find", answer: /^found moss$/ },
  "2025-11-25": { name: "counter", tools: ["count", "work"], tool: "count", answer: /^\d$/ },
} as const;
const clients = { "2026-07-28": statelessMcpClient, "2025-11-25": sessionMcpClient } as const;

export const mcpRows = Object.keys(servers);
export const mcpColumns = Object.keys(clients).map((revision) => `client of ${revision}`);

export function testMcp(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  describe("MCP servers", () => {
    beforeAll(async () => {
      const root = await gateway.world.root();
      for (const { name, tools } of Object.values(servers)) {
        const body = {
          name,
          url: gateway.mcp[name],
          tools: [...tools],
          call_price: 7,
          named_only: false,
        };
        await root.call(createMcpServer, { body });
      }
    });
    for (const [row, { name, tools, tool, answer }] of Object.entries(servers)) {
      for (const [revision, connect] of Object.entries(clients)) {
        const cell = { table: mcpTable, row, column: `client of ${revision}` };
        grid.test(cell, "the protocol's library", async () => {
          const { url, key } = gateway.access;
          const before = await gateway.world.settled();
          const client = await connect(new URL(`${url}/mcp/${name}`), key);
          expect(toolNames(await client.listTools())).toEqual(tools);
          const { charged } = await gateway.world.settled();
          expect(charged).toBe(before.charged);
          expect(
            toolText(await client.callTool({ name: tool, arguments: { text: "moss" } })),
          ).toMatch(answer);
          await client.close();
          expect((await gateway.world.settled()).charged).toBe(before.charged + 7);
        });
      }
    }
  });
}
