// The largest body that each endpoint reads, in ten shapes: what it costs the main thread of a
// running gateway until it is known that nothing serves it, by the processor time that the kernel
// counts for that thread. No such body may keep the others waiting.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WebSocket } from "ws";
import { variantTag } from "../../../scripts/test-tags.ts";
import { startTestGateway, type TestGateway } from "../harness/test-gateway.ts";
import {
  type CannedRealtimeProvider,
  startCannedRealtimeProvider,
} from "../relay/canned-realtime-provider.ts";
import { bodyShapes, costBoundMs, medianCostMs } from "../support/body-shapes.ts";

const mebi = 1024 * 1024;
const messages = [{ role: "user", content: "hi" }];
const contents = [{ role: "user", parts: [{ text: "hi" }] }];

/** Each address that reads JSON as a whole: the members of a request, and what it reads at most. */
const endpoints: readonly (readonly [path: string, members: object, mebibytes: number])[] = [
  ["/v1/chat/completions", { model: "m", messages }, 32],
  ["/v1/completions", { model: "m", prompt: "hi" }, 32],
  ["/v1/embeddings", { model: "m", input: "hi" }, 32],
  ["/v1/messages", { model: "m", max_tokens: 5, messages }, 32],
  ["/v1/messages/count_tokens", { model: "m", messages }, 32],
  [
    "/v1/messages/batches",
    { requests: [{ custom_id: "a", params: { model: "m", max_tokens: 5, messages } }] },
    32,
  ],
  ["/v1/responses", { model: "m", input: "hi" }, 32],
  ["/v1/responses/compact", { model: "m", input: "hi" }, 32],
  ["/v1/responses/input_tokens", { model: "m", input: "hi" }, 32],
  ["/v1/moderations", { model: "m", input: "hi" }, 32],
  ["/v1/rerank", { model: "m", query: "q", documents: ["hi"] }, 32],
  ["/v1/images/generations", { model: "m", prompt: "hi" }, 32],
  ["/v1/audio/speech", { model: "m", input: "hi", voice: "alloy" }, 32],
  [
    "/v1/ocr",
    { model: "m", document: { type: "image_url", image_url: "https://e.org/a.png" } },
    32,
  ],
  ["/v1/videos", { model: "m", prompt: "hi" }, 32],
  ["/v1/conversations", { items: [] }, 8],
  ["/v1/vector_stores", { name: "n" }, 8],
  [
    "/v1/batches",
    { input_file_id: "file-1", endpoint: "/v1/embeddings", completion_window: "24h" },
    1 / 16,
  ],
  ["/v1beta/cachedContents", { model: "models/m", contents }, 32],
  ["/v1beta/models/m:generateContent", { contents }, 32],
  ["/v1beta/models/m:countTokens", { contents }, 32],
  [
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "a", arguments: {} } },
    4,
  ],
  ["/api/token/", { name: "n" }, 1],
  ["/api/user/login", { username: "u", password: "p" }, 1 / 16],
];

/**
 * The cases of every endpoint with every shape, of which CI takes all shapes of the first endpoint
 * and a third of those of the others: they share the code that reads a body, and each case parses
 * hundreds of megabytes.
 */
const tagsOf = (endpointIndex: number, shapeIndex: number): string[] =>
  endpointIndex === 0 || (endpointIndex + shapeIndex) % 3 === 0 ? [] : [variantTag.name];

const isLinux = process.platform === "linux";

describe.skipIf(!isLinux)("the largest bodies", () => {
  let gateway: TestGateway;
  let provider: CannedRealtimeProvider;
  let key: string;
  beforeAll(async () => {
    provider = await startCannedRealtimeProvider();
    gateway = await startTestGateway({
      upstreams: [provider.url],
      env: { API_RATE_LIMIT: "0", CRITICAL_RATE_LIMIT: "0" },
    });
    await gateway.given.channel({ key: "k", base_url: provider.url, models: "gpt-realtime" });
    key = (await gateway.given.token()).key;
  });
  afterAll(async () => {
    await gateway.close();
    await provider.close();
  });

  /** Of the main thread since its start, in milliseconds. */
  const cpuMs = (): number => {
    const { pid } = gateway.process;
    return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]) / 1e6;
  };
  const expectCheap = async (act: () => Promise<unknown>): Promise<void> => {
    const bound = await costBoundMs();
    expect(await medianCostMs(act, bound, cpuMs)).toBeLessThan(bound);
  };

  for (const [endpointIndex, [path, members, size]] of endpoints.entries()) {
    for (const [shapeIndex, { shape, bodyOf }] of bodyShapes.entries()) {
      const options = { timeout: 60_000, tags: tagsOf(endpointIndex, shapeIndex) };
      test(`at ${path} as ${shape} costs little`, options, async () => {
        const body = bodyOf(members, size * mebi);
        const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
        await expectCheap(async () => {
          const response = await fetch(gateway.url + path, { method: "POST", headers, body });
          await response.arrayBuffer();
        });
      });
    }
  }

  test.each(
    ["/v1/responses", "/v1/realtime?model=gpt-realtime"].flatMap((path) =>
      bodyShapes.map((one) => ({ path, ...one })),
    ),
  )(
    "as a message at $path as $shape costs little",
    { timeout: 60_000 },
    async ({ path, bodyOf }) => {
      const socket = new WebSocket(gateway.url.replace(/^http/, "ws") + path, {
        headers: { authorization: `Bearer ${key}` },
      });
      await once(socket, "open");
      const message = bodyOf({ type: "response.create", model: "m" }, 15 * mebi);
      // What follows it is refused, which shows that it was read.
      await expectCheap(async () => {
        const refused = new Promise((resolve) => {
          socket.on("message", (data) => String(data).includes('"error"') && resolve(undefined));
          socket.once("close", resolve);
        });
        socket.send(message, { binary: false });
        socket.send("no JSON");
        await refused;
      });
      socket.terminate();
    },
  );
});
