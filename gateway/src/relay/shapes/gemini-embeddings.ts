/** Embeddings by Gemini's own interface, one by one or many at once. */
import * as z from "zod/mini";
import { estimatePromptTokens } from "../estimate.ts";
import { operationAt } from "./gemini.ts";
import { geminiUsage } from "./gemini-usage.ts";
import { geminiWording } from "./gemini-wording.ts";
import { readAsked } from "./read-asked.ts";
import type { Asked, Call, Shape } from "./shape.ts";

const textsMax = 10_000;

const one = z.looseObject({ content: z.looseObject({}) });
const many = z.looseObject({ requests: z.array(one).check(z.minLength(1), z.maxLength(textsMax)) });

/** Every text names the model again: no other than the one that is paid for. */
function bodyFor({ body }: Call, name: string): Buffer {
  const model = `models/${name}`;
  const { requests, ...rest } = JSON.parse(body.toString("utf8")) as { requests?: object[] };
  const asked = requests ? { requests: requests.map((text) => ({ ...text, model })) } : { model };
  return Buffer.from(JSON.stringify({ ...rest, ...asked }));
}

function embeddingsBy(operation: string, schema: typeof one | typeof many, member: string): Shape {
  return {
    entry: "gemini_embeddings",
    read(json, isEstimateRough): Asked {
      const asked = readAsked(schema, json, "invalid_gemini_request");
      return {
        model: "",
        isStream: false,
        wantsUsage: true,
        streamOptions: {},
        maxTokens: 0,
        answers: 1,
        promptEstimate: estimatePromptTokens([{ content: asked }], undefined, isEstimateRough),
      };
    },
    passedHeaders: [],
    bodyFor,
    address: (models, _call, model) => operationAt(models, model, operation),
    modelMember: "modelVersion",
    answer: (json) =>
      typeof json[member] === "object" ? { usage: geminiUsage(json.usageMetadata), text: "" } : undefined,
    events: () => () => ({ kind: "other", textBytes: 0 }),
    terminator: "",
    wording: geminiWording,
    probe: (_model, text) => ({ content: { parts: [{ text }] } }),
  };
}

export const embedContent = embeddingsBy("embedContent", one, "embedding");
export const batchEmbedContents = embeddingsBy("batchEmbedContents", many, "embeddings");
