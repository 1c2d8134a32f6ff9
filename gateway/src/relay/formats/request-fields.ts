/** What formats share about requests: common fields, parsing by a schema, and rewriting the client's bytes. */
import * as z from "zod/mini";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { topLevelSpans, withMembers } from "../wire/json-spans.ts";
import { fieldOf, withField } from "../wire/multipart.ts";
import { badRequest } from "../wire/relay-refusal.ts";
import type { RelayCall } from "./api-format.ts";

const modelNameMax = 200;
const tokensMax = 10_000_000;

/** Whether a field is missing or has an ordinary value: beside a schema, for `parseBody`. */
export const isModelName = (value: unknown): boolean =>
  typeof value === "string" && value.length > 0 && value.length <= modelNameMax;
export const isIntegerOrMissing = (value: unknown, min: number, max: number): boolean =>
  value == null || (Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max);
export const isLimitOrMissing = (value: unknown): boolean => isIntegerOrMissing(value, 0, tokensMax);
export const isSwitchOrMissing = (value: unknown): boolean => value == null || typeof value === "boolean";

export const modelName = z.string().check(z.minLength(1), z.maxLength(modelNameMax));
export const tokenLimit = z.optional(z.nullable(z.int().check(z.minimum(0), z.maximum(tokensMax))));

const messagesMax = 100_000;

interface ChatMessageField {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
}

const isMessage = (value: unknown): boolean =>
  typeof value === "object" && value !== null && typeof (value as { role?: unknown }).role === "string";

/** Checked in place: a schema would copy every message of a long conversation. */
const message = z.custom<ChatMessageField>(isMessage, "must be an object with a role");
export const messageList = z.array(message).check(z.minLength(1), z.maxLength(messagesMax));

export const isMessageList = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= messagesMax && value.every(isMessage);

/**
 * Throws `RelayRefused` that names the first field which is wrong. A body of which `isOrdinary` holds is not given to the schema,
 * which takes 2 % of a JSON call: `isOrdinary` must accept nothing that the schema refuses. Its members beside those of the
 * schema stay.
 */
export function parseBody<Schema extends z.ZodMiniType>(
  schema: Schema,
  json: unknown,
  code: string,
  isOrdinary?: (body: JsonRecord) => boolean,
): z.output<Schema> {
  if (isOrdinary && isRecord(json) && isOrdinary(json)) return json as z.output<Schema>;
  const parsed = z.safeParse(schema, json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const path = issue?.path.join(".") ?? "";
  throw badRequest(code, `${path || "body"}: ${issue?.message ?? "is not valid"}`, path);
}

/** The client's body with `members`, which are JSON, replaced, and with the model where the channel maps it. */
export function patchBody(call: RelayCall, model: string, members: Readonly<Record<string, string>> = {}): Buffer {
  const replaced = model === call.model ? members : { ...members, model: JSON.stringify(model) };
  return Object.keys(replaced).length === 0 ? call.body : withMembers(call.body, replaced);
}

/** For APIs whose clients may omit the model: the upstream gets the one that was priced. */
export function patchModel({ form, body }: RelayCall, model: string): Buffer {
  if (form) return fieldOf(form, "model") === model ? body : withField(form, "model", model);
  const modelSpan = topLevelSpans(body).find(({ key }) => key === "model");
  const modelJson = JSON.stringify(model);
  return modelSpan && body.toString("utf8", modelSpan.start, modelSpan.end) === modelJson
    ? body
    : withMembers(body, { model: modelJson });
}
