// Conversations on one WebSocket, each turn with only what is new: the gateway sends every provider
// the whole.
import OpenAI from "openai";
import { ResponsesWS } from "openai/resources/responses/ws";
import { beforeAll, describe, expect } from "vitest";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import { answerText, prompt } from "./conversation-scenario.ts";
import { type ProviderFamily, providerFamilies } from "./provider-families.ts";
import { streamOf, wholeOf } from "./provider-wires.ts";

export const socketColumn = "over WebSocket";
const followUp = "And in feet?";

async function holdConversation(
  { access, upstream }: ConformanceGateway,
  family: ProviderFamily,
  model: string,
): Promise<void> {
  const wire = family.wire.Responses;
  const socket = new ResponsesWS(new OpenAI({ baseURL: `${access.url}/v1`, apiKey: access.key }));
  const turn = (members: {
    input: string;
    previous_response_id?: string;
  }): Promise<{ id: string; text: string }> =>
    new Promise((resolve, reject) => {
      upstream.play((request) =>
        wire.isStream(request) ? streamOf(wire, "words") : wholeOf(wire, "words"),
      );
      let text = "";
      const add = ({ delta }: { delta: string }): void => {
        text += delta;
      };
      socket.on("response.output_text.delta", add);
      socket.once("error", reject);
      socket.once("response.completed", ({ response }) => {
        socket.off("response.output_text.delta", add);
        resolve({ id: response.id, text });
      });
      socket.send({ type: "response.create", model, store: false, ...members });
    });
  try {
    const first = await turn({ input: prompt });
    const second = await turn({ input: followUp, previous_response_id: first.id });
    expect([first.text, second.text]).toEqual([answerText, answerText]);
    const body = JSON.stringify(upstream.requests.at(-1)?.body);
    expect(body).toContain(followUp);
    // A translator of texts gets the last of them alone.
    if (wire.speaks !== "deepl_translation")
      for (const text of [prompt, answerText]) expect(body).toContain(text);
  } finally {
    socket.close();
  }
}

export function testSocketTurns(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  describe("conversations over WebSocket", () => {
    for (const family of providerFamilies) {
      describe(`over ${family.name}`, () => {
        const model = `${family.model}-socket`;
        beforeAll(async () => {
          await gateway.channel(family, [model]);
        });
        const cell = { table: "Responses", row: family.name, column: socketColumn };
        grid.test(cell, "openai", () => holdConversation(gateway, family, model));
      });
    }
  });
}
