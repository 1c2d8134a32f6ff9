// Conversations by reference: stored by the provider where it stores them, else by the gateway,
// where that is enabled.
import OpenAI from "openai";
import { beforeAll, describe, expect } from "vitest";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import { answerText, prompt } from "./conversation-scenario.ts";
import { type ProviderFamily, providerFamilies } from "./provider-families.ts";
import { streamOf, wholeOf } from "./provider-wires.ts";

export const previousResponseColumn = "by reference";
const followUp = "And in feet?";

async function continueConversation(
  { access, upstream }: ConformanceGateway,
  family: ProviderFamily,
  model: string,
): Promise<void> {
  const wire = family.wire.Responses;
  const play = () =>
    upstream.play((request) =>
      wire.isStream(request) ? streamOf(wire, "words") : wholeOf(wire, "words"),
    );
  const client = new OpenAI({ baseURL: `${access.url}/v1`, apiKey: access.key, maxRetries: 0 });
  play();
  const first = await client.responses.create({ model, input: prompt, store: true });
  play();
  const second = await client.responses.create({
    model,
    input: followUp,
    previous_response_id: first.id,
  });
  expect(second.output_text).toBe(answerText);
  const body = JSON.stringify(upstream.requests.at(-1)?.body);
  expect(body).toContain(followUp);
  if (wire.speaks === "response_api") expect(body).toContain(first.id);
  // A translator of texts gets the last of them alone.
  else if (wire.speaks !== "deepl_translation")
    for (const text of [prompt, answerText]) expect(body).toContain(text);
}

export function testPreviousResponses(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  describe("conversations by reference", () => {
    beforeAll(async () => {
      await gateway.world.api("PUT", "/api/option/", {
        key: "ResponseStoreEnabled",
        value: "true",
      });
    });
    for (const family of providerFamilies) {
      describe(`over ${family.name}`, () => {
        const model = `${family.model}-kept`;
        beforeAll(async () => {
          await gateway.channel(family, [model]);
        });
        const cell = { table: "Responses", row: family.name, column: previousResponseColumn };
        grid.test(cell, "openai", () => continueConversation(gateway, family, model));
      });
    }
  });
}
