/** Callers who want pictures, served by Google's models that draw; they get the bytes of what was drawn. */
import { completionTokens, promptTokens } from "../../money/price.ts";
import { type Json, present } from "../json-parts.ts";
import { drawnIn, geminiPictures, isImagen } from "../shapes/gemini-pictures.ts";
import { geminiUsage } from "../shapes/gemini-usage.ts";
import { type KeptMembers, lostOf, only, whole } from "./kept.ts";
import { nearestRatio, pictureAnswers, pictureList } from "./picture-list.ts";
import type { Translation } from "./translation.ts";

const imagenRatios = ["1:1", "3:4", "4:3", "9:16", "16:9"];
const geminiRatios = [...imagenRatios, "2:3", "3:2", "4:5", "5:4", "21:9"];

function body(json: Json, model: string): Json {
  return isImagen(model) ? predictBody(json) : generateBody(json);
}

function predictBody({ prompt, n, size }: Json): Json {
  const parameters = present({ sampleCount: n ?? 1, aspectRatio: nearestRatio(size, imagenRatios) });
  return { instances: [{ prompt }], parameters };
}

function generateBody({ prompt, size }: Json): Json {
  const aspectRatio = nearestRatio(size, geminiRatios);
  const generationConfig = present({ responseModalities: ["IMAGE"], imageConfig: aspectRatio && { aspectRatio } });
  return { contents: [{ role: "user", parts: [{ text: prompt }] }], generationConfig };
}

function usageOf(wire: unknown): Json | undefined {
  const read = geminiUsage(wire);
  if (!read) return undefined;
  const [input_tokens, output_tokens] = [promptTokens(read.usage), completionTokens(read.usage)];
  return {
    input_tokens,
    input_tokens_details: { text_tokens: input_tokens, image_tokens: 0 },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
}

const kept: KeptMembers = {
  ...whole("model", "prompt", "size", "stream"),
  // Pictures are not kept for anybody.
  response_format: only("b64_json"),
};

export const imagesToGemini: Translation = {
  to: geminiPictures,
  body,
  answers: () =>
    pictureAnswers((json) =>
      pictureList(
        drawnIn(json).map(({ base64 }) => ({ b64_json: base64 })),
        usageOf(json.usageMetadata),
      ),
    ),
  lost: (json, model) => lostOf(json, { ...kept, n: isImagen(model) ? true : only(1) }),
};
