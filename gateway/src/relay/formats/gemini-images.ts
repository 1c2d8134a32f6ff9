/**
 * Images by Google's own APIs: Gemini models generate them in `generateContent`, Imagen models
 * in `predict`. No client speaks this format.
 */
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import type { ErrorInBody, UpstreamFormat } from "./api-format.ts";
import { composeOperationUrl, gemini } from "./gemini.ts";
import { wholeReply } from "./reply-facts.ts";
import { parseGeminiUsage } from "./usage/gemini-usage.ts";
import { buildImagesUsage } from "./usage/media-usage.ts";

export const isImagen = (model: string): boolean => model.startsWith("imagen");

export interface GeneratedImage {
  mimeType: string;
  base64: string;
}

/** The images of a reply of either API. */
export function listImages({ candidates, predictions }: JsonRecord): GeneratedImage[] {
  const predicted = records(predictions).map(({ mimeType, bytesBase64Encoded }) => ({
    mimeType: text(mimeType),
    base64: text(bytesBase64Encoded),
  }));
  const inlineImages = listParts(candidates).map(({ inlineData }) => {
    const { mimeType, data } = record(inlineData);
    return { mimeType: text(mimeType), base64: text(data) };
  });
  return [...predicted, ...inlineImages].filter(({ base64 }) => base64 !== "");
}

const listParts = (candidates: unknown): JsonRecord[] =>
  records(candidates).flatMap(({ content }) => records(record(content).parts));

/** The reason for a reply without images: the model's text, or the reason that Google reports. */
function parseError(json: JsonRecord): ErrorInBody | undefined {
  const { candidates, predictions, promptFeedback } = json;
  if (listImages(json).length > 0) return undefined;
  const texts = listParts(candidates).map((part) => text(part.text));
  const reasons = [
    ...records(predictions).map(({ raiFilteredReason }) => text(raiFilteredReason)),
    ...texts,
    text(record(promptFeedback).blockReason),
    ...records(candidates).map(({ finishReason }) => text(finishReason)),
  ];
  const reasonText = reasons.find((reason) => reason !== "") ?? "no reason given";
  return {
    status: 400,
    message: `No image was generated: ${reasonText}`,
    code: "moderation_blocked",
  };
}

export const geminiImages: UpstreamFormat = {
  ...gemini.upstream,
  /** The channel's system prompt is for text models. */
  writeBody: ({ body }) => body,
  urlFor: (models, _call, model) =>
    composeOperationUrl(models, model, isImagen(model) ? "predict" : "generateContent"),
  readReply: (json) => ({
    usage: parseGeminiUsage(json.usageMetadata),
    text: "",
    images: listImages(json).length,
  }),
  errorIn: parseError,
  usageFor: buildImagesUsage,
  firstByteTimeoutMs: 10 * 60_000,
  replies: wholeReply,
};
