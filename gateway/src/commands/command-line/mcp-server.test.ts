import * as fc from "fast-check";
import { expect, test } from "vitest";
import { answerMcpLine, type McpTools, serveMcpLines } from "./mcp-server.ts";

const tools: McpTools = {
  instructions: "Read first.",
  list: [],
  call: async (name, input) =>
    name === "echo" ? { text: JSON.stringify(input), isError: false } : undefined,
};
const ask = async (message: unknown) => {
  const line = await answerMcpLine(
    typeof message === "string" ? message : JSON.stringify(message),
    tools,
    "1.2.3",
  );
  return line === undefined ? undefined : JSON.parse(line);
};
const request = (method: string, params?: unknown) => ({
  jsonrpc: "2.0",
  id: 7,
  method,
  ...(params !== undefined && { params }),
});

test.each([
  ["2025-03-26", "2025-03-26"],
  ["1999-01-01", "2025-06-18"],
])("a client that speaks %s is answered in %s", async (asked, answered) => {
  expect(await ask(request("initialize", { protocolVersion: asked }))).toMatchObject({
    id: 7,
    result: { protocolVersion: answered, capabilities: { tools: {} }, instructions: "Read first." },
  });
});

test.each([
  ["{", -32700, null],
  ["[]", -32600, null],
  [{ jsonrpc: "1.0", id: 7, method: "ping" }, -32600, null],
  [request("resources/list"), -32601, 7],
  [request("tools/call", {}), -32602, 7],
  [request("tools/call", { name: "absent" }), -32602, 7],
])("%j is the error %i", async (message, code, id) => {
  expect(await ask(message)).toMatchObject({ id, error: { code } });
});

test("a notification gets no reply", async () => {
  expect(await ask({ jsonrpc: "2.0", method: "notifications/initialized" })).toBeUndefined();
});

test("any line is answered by one line of JSON-RPC or by none", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (line) => {
      const reply = await answerMcpLine(line, tools, "1");
      if (reply !== undefined) {
        expect(reply).not.toContain("\n");
        expect(JSON.parse(reply)).toMatchObject({ jsonrpc: "2.0" });
      }
    }),
  );
});

test("messages are answered in order however the stream is cut, and one without an end is refused", async () => {
  const messages = ["é", "漢字", "x"].map((text) =>
    request("tools/call", { name: "echo", arguments: { text } }),
  );
  const bytes = Buffer.from(`${messages.map((message) => JSON.stringify(message)).join("\n")}\n\n`);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), async (size) => {
      const printed: string[] = [];
      async function* chunks() {
        for (let start = 0; start < bytes.length; start += size)
          yield bytes.subarray(start, start + size);
      }
      await serveMcpLines(
        chunks(),
        (line) => answerMcpLine(line, tools, "1"),
        (line) => void printed.push(line),
      );
      expect(
        printed.map((line) => JSON.parse(JSON.parse(line).result.content[0].text).text),
      ).toEqual(["é", "漢字", "x"]);
    }),
    { numRuns: 20 },
  );
  async function* endless() {
    for (;;) yield "x".repeat(1_000_000);
  }
  await expect(
    serveMcpLines(
      endless(),
      async () => undefined,
      () => undefined,
    ),
  ).rejects.toThrow(/longer than 4 MiB/);
});
