/**
 * Pictures by Google's own interfaces: models called Gemini draw as they write, in `generateContent`; those called Imagen
 * are asked by `predict`. Spoken by channels alone.
 */
import { type Json, record, records, text } from "../json-parts.ts";
import { picturesUsed } from "../media-usage.ts";
import { gemini, operationAt } from "./gemini.ts";
import { geminiUsage } from "./gemini-usage.ts";
import type { Failure, Shape } from "./shape.ts";

export const isImagen = (model: string): boolean => model.startsWith("imagen");

export interface Drawn {
  mimeType: string;
  base64: string;
}

/** What was drawn, by either interface. */
export function drawnIn({ candidates, predictions }: Json): Drawn[] {
  const predicted = records(predictions).map(({ mimeType, bytesBase64Encoded }) => ({
    mimeType: text(mimeType),
    base64: text(bytesBase64Encoded),
  }));
  const written = partsIn(candidates).map(({ inlineData }) => {
    const { mimeType, data } = record(inlineData);
    return { mimeType: text(mimeType), base64: text(data) };
  });
  return [...predicted, ...written].filter(({ base64 }) => base64 !== "");
}

const partsIn = (candidates: unknown): Json[] =>
  records(candidates).flatMap(({ content }) => records(record(content).parts));

/** Why nothing was drawn: what the model said instead, or the reason that Google names. */
function failure(json: Json): Failure | undefined {
  const { candidates, predictions, promptFeedback } = json;
  if (drawnIn(json).length > 0) return undefined;
  const said = partsIn(candidates).map((part) => text(part.text));
  const reasons = [
    ...records(predictions).map(({ raiFilteredReason }) => text(raiFilteredReason)),
    ...said,
    text(record(promptFeedback).blockReason),
    ...records(candidates).map(({ finishReason }) => text(finishReason)),
  ];
  const why = reasons.find((reason) => reason !== "") ?? "no reason given";
  return { status: 400, message: `No picture was drawn: ${why}`, code: "moderation_blocked" };
}

export const geminiPictures: Shape = {
  ...gemini,
  /** What a channel says to its models is not for those that draw. */
  bodyFor: ({ body }) => body,
  address: (models, _call, model) => operationAt(models, model, isImagen(model) ? "predict" : "generateContent"),
  answer: (json) => ({ usage: geminiUsage(json.usageMetadata), text: "", pictures: drawnIn(json).length }),
  failure,
  used: picturesUsed,
  firstByteWithinMs: 10 * 60_000,
  isOneEvent: true,
};
