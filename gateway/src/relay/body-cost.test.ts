// What the largest bodies cost the main thread before anything is known of them: by its own
// processor time, so that a busy machine changes little. tests/src/trust/body-cost.large.test.ts
// measures the same at the endpoints of a running gateway.
import {
  bodyShapes,
  costBoundMs,
  largestAllowed,
  medianCostMs,
} from "@tollgate/tests/support/body-shapes.ts";
import { testLarge } from "@tollgate/tests/support/large-tests.ts";
import { describe, expect } from "vitest";
import { readJson } from "../http/read-json-body.ts";
import { parseBatchRequests } from "./batches/create-message-batch.ts";
import type { ClientFormat } from "./formats/api-format.ts";
import { chatCompletions } from "./formats/chat-completions.ts";
import { gemini } from "./formats/gemini.ts";
import { embeddings } from "./formats/openai-basic-formats.ts";
import { parseObjectBody } from "./kept-objects/object-body.ts";
import { buildBounds, callOfJson } from "./read-request.ts";
import { readTurnRequest } from "./response-socket/turn-request.ts";
import { planUpstreamCall } from "./routing/translation-registry.ts";

const mebi = 1024 * 1024;

const readAs = (format: ClientFormat) => (body: Buffer) =>
  callOfJson(
    body,
    {},
    { formatFor: () => format, isEstimateRough: true, hasChoice: () => true, isServed: () => true },
    buildBounds(format),
  );

describe("a body of the largest size", { tags: ["FT-25"] }, () => {
  testLarge(bodyShapes)("a chat of 32 MiB as $shape costs little", async ({ bodyOf }) => {
    const body = bodyOf({ model: "m", messages: [{ role: "user", content: "hi" }] }, 32 * mebi);
    expect(body.length).toBeLessThanOrEqual(32 * mebi);
    const bound = await costBoundMs();
    expect(await medianCostMs(() => readAs(chatCompletions)(body), bound)).toBeLessThan(bound);
  });

  testLarge(largestAllowed)(
    "a request of Gemini as $shape is translated at little cost",
    async ({ bodyOf }) => {
      const body = bodyOf({ contents: [{ role: "user", parts: [{ text: "hi" }] }] }, mebi);
      const call = readAs(gemini)(body);
      const urls = { chat_completions: new URL("http://provider/v1/chat/completions") };
      const bound = await costBoundMs();
      expect(await medianCostMs(() => planUpstreamCall(call, urls, "m"), bound)).toBeLessThan(
        bound,
      );
    },
  );
});

/** `readers` are one reader of each kind, and a request that it accepts. */
const readers: [kind: string, members: object, read: (body: Buffer) => unknown][] = [
  ["embeddings", { model: "m", input: [1, 2, 3] }, readAs(embeddings)],
  [
    "a message of a WebSocket",
    { type: "response.create", model: "m" },
    (body) => readTurnRequest(body, undefined),
  ],
  ["a batch", { requests: [{ custom_id: "a", params: { model: "m" } }] }, parseBatchRequests],
  ["an object", { items: [] }, (body) => parseObjectBody(body, ["items"])],
];

describe.each(readers)("%s of 16 MiB", { tags: ["FT-25"] }, (_kind, members, read) => {
  testLarge(largestAllowed)("as $shape costs little", async ({ bodyOf }) => {
    const body = bodyOf(members, 16 * mebi);
    const bound = await costBoundMs();
    expect(await medianCostMs(() => read(body), bound)).toBeLessThan(bound);
  });
});

describe("the management API", { tags: ["FT-25"] }, () => {
  testLarge(largestAllowed)("a body as $shape costs little", async ({ bodyOf }) => {
    const body = bodyOf({ name: "n" }, mebi);
    const headers = { "content-type": "application/json" };
    const request = () => new Request("http://gateway", { method: "POST", headers, body });
    const bound = await costBoundMs();
    expect(await medianCostMs(() => readJson(request(), mebi), bound)).toBeLessThan(bound);
  });
});
