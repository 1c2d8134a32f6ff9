// Conversations by reference: kept by the provider where it keeps them, else by the gateway, which has to be told to.
import OpenAI from "openai";
import { beforeAll, describe, expect } from "vitest";
import { type Family, families } from "./families.ts";
import type { Grid } from "./grid.ts";
import type { Stage } from "./stage.ts";
import { prompt, words } from "./talk.ts";
import { streamOf, wholeOf } from "./wires.ts";

export const byReference = "by reference";
const onward = "And in feet?";

async function goOn({ access, upstream }: Stage, family: Family, model: string): Promise<void> {
  const wire = family.wire.Responses;
  const play = () =>
    upstream.play((asked) => (wire.isStream(asked) ? streamOf(wire, "words") : wholeOf(wire, "words")));
  const client = new OpenAI({ baseURL: `${access.url}/v1`, apiKey: access.key, maxRetries: 0 });
  play();
  const first = await client.responses.create({ model, input: prompt, store: true });
  play();
  const second = await client.responses.create({ model, input: onward, previous_response_id: first.id });
  expect(second.output_text).toBe(words);
  const body = JSON.stringify(upstream.asked.at(-1)?.body);
  expect(body).toContain(onward);
  if (wire.speaks === "response_api") expect(body).toContain(first.id);
  // A translator of texts gets the last of them alone.
  else if (wire.speaks !== "deepl_translation") for (const said of [prompt, words]) expect(body).toContain(said);
}

export function tryReferences(grid: Grid, stage: Stage): void {
  describe("conversations by reference", () => {
    beforeAll(async () => {
      await stage.world.api("PUT", "/api/option/", { key: "ResponseStoreEnabled", value: "true" });
    });
    for (const family of families) {
      describe(`over ${family.name}`, () => {
        const model = `${family.model}-kept`;
        beforeAll(async () => {
          await stage.channel(family, [model]);
        });
        const place = { table: "Responses", row: family.name, column: byReference };
        grid.try(place, "openai", () => goOn(stage, family, model));
      });
    }
  });
}
