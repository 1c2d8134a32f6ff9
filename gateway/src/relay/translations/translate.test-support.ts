/** A translated request in parts, for tests that look at one of them. */
import type { JsonRecord } from "../wire/json-parts.ts";
import { type Translation, translateRequest } from "./translation.ts";

export const translatedBody = (
  translation: Translation,
  json: JsonRecord,
  model: string,
  isStream?: boolean,
): JsonRecord => translateRequest(translation, json, model, isStream).body;

export const droppedFields = (translation: Translation, json: JsonRecord, model: string): readonly string[] =>
  translateRequest(translation, json, model).dropped;
