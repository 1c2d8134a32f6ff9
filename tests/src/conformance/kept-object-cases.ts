/** Files, batches and videos: what a provider keeps or works on after its response. */
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import OpenAI, { toFile } from "openai";
import { beforeAll, describe, expect } from "vitest";
import type { ConformanceGateway } from "./conformance-gateway.ts";
import type { ConformanceGrid } from "./conformance-grid.ts";
import { type GatewayAccess, prompt } from "./conversation-scenario.ts";
import {
  type KeptObjectEndpoint,
  type ProviderFamily,
  providerFamilies,
} from "./provider-families.ts";

export const keptTable = "Files and tasks";

interface KeptObjectCase {
  /** Its key is bound to the channel of the family: uploads name no model. */
  access: GatewayAccess;
  model: string;
  family: ProviderFamily;
}

const openai = ({ url, key }: GatewayAccess) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const messages = [{ role: "user" as const, content: prompt }];
const words = "a toll booth in the snow";

/** `endpointChecks` go by endpoint: its own library does with an object what programs do. */
const endpointChecks: Record<
  KeptObjectEndpoint,
  { library: string; run(one: KeptObjectCase): Promise<void> }
> = {
  Files: {
    library: "openai",
    async run({ access }) {
      const { files } = openai(access);
      const file = await files.create({
        file: await toFile(Buffer.from(words), "words.txt"),
        purpose: "user_data",
      });
      expect(await files.retrieve(file.id)).toMatchObject({
        bytes: words.length,
        filename: "words.txt",
      });
      expect(await (await files.content(file.id)).text()).toBe(words);
      expect((await files.list()).data.map(({ id }) => id)).toContain(file.id);
      expect(await files.delete(file.id)).toMatchObject({ deleted: true });
    },
  },

  Batches: {
    library: "openai",
    async run({ access, model, family }) {
      const { files, batches } = openai(access);
      const isChat = family.wire["Chat Completions"].name === "openai-chat";
      const endpoint = isChat ? "/v1/chat/completions" : "/v1/responses";
      const body = isChat
        ? { model, messages, max_tokens: 20 }
        : { model, input: prompt, max_output_tokens: 20 };
      const line = Buffer.from(
        JSON.stringify({ custom_id: "a", method: "POST", url: endpoint, body }),
      );
      const { id } = await files.create({ file: await toFile(line, "in.jsonl"), purpose: "batch" });
      const batch = await batches.create({ input_file_id: id, endpoint, completion_window: "24h" });
      const ended = await batches.retrieve(batch.id);
      expect(ended).toMatchObject({
        status: "completed",
        request_counts: { total: 1, completed: 1 },
      });
      const answer = JSON.parse(await (await files.content(ended.output_file_id ?? "")).text());
      expect(answer).toMatchObject({ custom_id: "a", response: { status_code: 200 } });
    },
  },

  "Message batches": {
    library: "@anthropic-ai/sdk",
    async run({ access: { url, key }, model }) {
      const { batches } = new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 }).messages;
      const { id } = await batches.create({
        requests: [{ custom_id: "a", params: { model, max_tokens: 20, messages } }],
      });
      expect(await batches.retrieve(id)).toMatchObject({ processing_status: "ended" });
      const results = [];
      for await (const one of await batches.results(id)) results.push(one);
      expect(results).toMatchObject([{ custom_id: "a", result: { type: "succeeded" } }]);
    },
  },

  Videos: {
    library: "openai",
    async run({ access, model }) {
      const { videos } = openai(access);
      const { id } = await videos.create({
        model,
        prompt: words,
        seconds: "4",
        size: "1280x720",
      } as never);
      // The gateway asks its provider after five seconds.
      await expect
        .poll(async () => (await videos.retrieve(id)).status, { timeout: 30_000, interval: 250 })
        .toBe("completed");
      expect((await videos.list()).data.map((one) => one.id)).toContain(id);
      expect((await videos.downloadContent(id)).headers.get("content-type")).toBe("video/mp4");
      expect(await videos.delete(id)).toMatchObject({ deleted: true });
    },
  },

  "Gemini files": {
    library: "@google/genai",
    async run({ access: { url, key } }) {
      const { files } = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
      const file = new Blob([words]);
      const { name = "" } = await files.upload({
        file,
        config: { mimeType: "text/plain", displayName: "words" },
      });
      expect(await files.get({ name })).toMatchObject({
        name,
        mimeType: "text/plain",
        displayName: "words",
      });
      const names = [];
      for await (const one of await files.list()) names.push(one.name);
      expect(names).toContain(name);
      await files.delete({ name });
      await expect(files.get({ name })).rejects.toThrow();
    },
  },
};

export const keptColumns = Object.keys(endpointChecks);

export function testKeptObjects(grid: ConformanceGrid, gateway: ConformanceGateway): void {
  for (const family of providerFamilies) {
    describe(`files and tasks over ${family.name}`, () => {
      let pinned: KeptObjectCase | undefined;
      beforeAll(async () => {
        pinned = await channelFor(gateway, family);
      });
      for (const [column, { library, run }] of Object.entries(endpointChecks) as [
        KeptObjectEndpoint,
        (typeof endpointChecks)[KeptObjectEndpoint],
      ][]) {
        const cell = { table: keptTable, row: family.name, column };
        const act = async () => {
          if (!pinned) throw new Error("the family has no channel");
          // The model of a video names its channel.
          await run(column === "Videos" ? { ...pinned, access: gateway.access } : pinned);
        };
        if (family.keeps?.includes(column)) grid.test(cell, library, act);
        else {
          const status = column === "Videos" ? 501 : 503;
          const reason = `Channels of the type do not offer it: requests are refused with ${status}.`;
          grid.lacks(cell, reason, "is refused", () =>
            expect(act()).rejects.toMatchObject({ status }),
          );
        }
      }
    });
  }
}

async function channelFor(
  gateway: ConformanceGateway,
  family: ProviderFamily,
): Promise<KeptObjectCase> {
  const { world, access } = gateway;
  const model = `${family.model}-kept`;
  const price = { ratio: 1, video: { per_second_usd: 0.1, base_resolution: "1280x720" } };
  const { id } = await gateway.channel(family, [model], {
    ...(family.keeps && {
      base_url: family.type === 3 ? gateway.azure : world.simulator.url,
      key: `sim-as-kept-${family.type}`,
    }),
    model_configs: JSON.stringify({ [model]: price }),
    // A batch calls a model by its own name.
    model_mapping: "{}",
  });
  return { access: { ...access, key: `${access.key}-${id}` }, model, family };
}
