/** A translated request in parts, for tests that look at one of them. */

import {
  type Translation,
  translateRequest,
} from "@tollgate/gateway/relay/translations/translation.ts";
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

export const translatedBody = (
  translation: Translation,
  json: JsonRecord,
  model: string,
  isStream?: boolean,
): JsonRecord => translateRequest(translation, json, model, isStream).body;

export const droppedFields = (
  translation: Translation,
  json: JsonRecord,
  model: string,
): readonly string[] => translateRequest(translation, json, model).dropped;
