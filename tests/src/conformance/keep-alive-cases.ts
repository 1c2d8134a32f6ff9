/**
 * Providers that answer and then stay silent for a while: clients get comments that keep the stream
 * alive.
 */
import { beforeAll, describe, expect } from "vitest";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import {
  type ConversationEndpoint,
  conversationEndpoints,
  scenarioUsage,
} from "./conversation-scenario.ts";
import { type RawClientReply, sendRaw } from "./endpoint-requests.ts";
import { providerFamilies } from "./provider-families.ts";
import { streamOf } from "./provider-wires.ts";

export const slowFirstTokenColumn = "slow first word";

interface SlowReply {
  first: string;
  reply: RawClientReply;
}

const combinations = providerFamilies.flatMap((family, at) =>
  conversationEndpoints.map((endpoint) => ({
    family,
    entry: endpoint,
    at,
    wire: family.wire[endpoint],
  })),
);
const streaming = combinations.filter(({ wire }) => !wire.isOneEvent);
const modelFor = (model: string, endpoint: ConversationEndpoint): string =>
  `${model}-slow-${endpoint.replace(" ", "-").toLowerCase()}`;
const keyOf = (model: string, endpoint: ConversationEndpoint): string => `${model} ${endpoint}`;

/**
 * `collectSlowReplies` gives all at once, because they wait: no provider continues before each
 * client has received something.
 */
async function collectSlowReplies({
  access,
  channel,
  upstream,
}: ConformanceGateway): Promise<Map<string, SlowReply>> {
  const allStarted = Promise.withResolvers<void>();
  let waiting = streaming.length;
  upstream.play();
  upstream.setDefault(({ url }) => {
    const family = providerFamilies[Number(/^\/family\/(\d+)\//.exec(url)?.[1])];
    const wire = family?.wire[url.includes("/responses") ? "Responses" : "Chat Completions"];
    if (!wire) throw new Error(`no provider is at ${url}`);
    return { answer: streamOf(wire, "words"), pauseAfter: 0, resume: allStarted.promise };
  });
  for (const [at, family] of providerFamilies.entries()) {
    const base_url = `${upstream.url}/family/${at}`;
    const models = conversationEndpoints.map((endpoint) => modelFor(family.model, endpoint));
    await channel(family, models, { base_url, ...family.channel?.(base_url) });
  }
  const replies = await Promise.all(
    streaming.map(async ({ family: { model }, entry: endpoint }): Promise<[string, SlowReply]> => {
      let first = "";
      const reply = await sendRaw(access, endpoint, modelFor(model, endpoint), true, (bytes) => {
        first = Buffer.from(bytes).toString();
        waiting -= 1;
        if (waiting === 0) allStarted.resolve();
      });
      return [keyOf(model, endpoint), { first, reply }];
    }),
  );
  return new Map(replies);
}

export function testKeepAlive(
  grid: ConformanceGrid,
  gateway: ConformanceGateway,
  tableOf: (endpoint: ConversationEndpoint) => string,
): void {
  describe("silence", () => {
    let replies = new Map<string, SlowReply>();
    beforeAll(async () => {
      replies = await collectSlowReplies(gateway);
    });
    for (const { family, entry: endpoint, wire } of combinations) {
      const cell = { table: tableOf(endpoint), row: family.name, column: slowFirstTokenColumn };
      if (wire.isOneEvent) {
        grid.cannot(cell, "The provider has no streams.");
        continue;
      }
      grid.test(cell, "", async () => {
        const { first, reply } = replies.get(keyOf(family.model, endpoint)) ?? {
          first: "",
          reply: undefined,
        };
        // A comment, which every reader of events ignores.
        expect(first).toBe(":\n\n");
        expect(reply?.status).toBe(200);
        expect(JSON.stringify(reply?.events)).toContain("330 metres");
        const [row] = await gateway.logged([modelFor(family.model, endpoint)]);
        expect(row).toMatchObject({
          outcome: "success",
          completion_tokens: scenarioUsage.words.output,
        });
      });
    }
  });
}
