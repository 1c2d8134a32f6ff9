/** Requests for images, for Google's image models; replies hold the bytes of the images. */

import { computeCompletionTokens, promptTokens } from "../../money/prices/price.ts";
import { geminiImages, isImagen, listImages } from "../formats/gemini-images.ts";
import { parseGeminiUsage } from "../formats/usage/gemini-usage.ts";
import { type JsonRecord, present } from "../wire/json-parts.ts";
import { buildImageList, buildImageReplies, findNearestAspectRatio } from "./image-list.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

const imagenRatios = ["1:1", "3:4", "4:3", "9:16", "16:9"];
const geminiRatios = [...imagenRatios, "2:3", "3:2", "4:5", "5:4", "21:9"];

function translateRequest(request: FieldReader, model: string): JsonRecord {
  // The reply always holds the bytes of the images.
  request.allow("response_format", "b64_json");
  const { prompt, size } = request.read("model", "stream", "prompt", "size");
  if (!isImagen(model)) {
    request.allow("n", 1);
    return generateBody(prompt, size);
  }
  const parameters = present({
    sampleCount: request.get("n") ?? 1,
    aspectRatio: findNearestAspectRatio(size, imagenRatios),
  });
  return { instances: [{ prompt }], parameters };
}

function generateBody(prompt: unknown, size: unknown): JsonRecord {
  const aspectRatio = findNearestAspectRatio(size, geminiRatios);
  const generationConfig = present({
    responseModalities: ["IMAGE"],
    imageConfig: aspectRatio && { aspectRatio },
  });
  return { contents: [{ role: "user", parts: [{ text: prompt }] }], generationConfig };
}

function translateImageUsage(wire: unknown): JsonRecord | undefined {
  const read = parseGeminiUsage(wire);
  if (!read) return undefined;
  const [input_tokens, output_tokens] = [
    promptTokens(read.usage),
    computeCompletionTokens(read.usage),
  ];
  return {
    input_tokens,
    input_tokens_details: { text_tokens: input_tokens, image_tokens: 0 },
    output_tokens,
    total_tokens: input_tokens + output_tokens,
  };
}

export const imagesToGemini: Translation = {
  target: geminiImages,
  translateRequest,
  createReplyTranslator: () =>
    buildImageReplies((json) =>
      buildImageList(
        listImages(json).map(({ base64 }) => ({ b64_json: base64 })),
        translateImageUsage(json.usageMetadata),
      ),
    ),
};
