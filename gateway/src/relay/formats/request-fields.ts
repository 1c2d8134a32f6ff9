/**
 * The common parts of formats about requests: the fields that the gateway reads, and rewriting the
 * client's bytes.
 */
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { addMembers, listTopLevelSpans } from "../wire/json-spans.ts";
import { addField, findField } from "../wire/multipart.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import type { AskedModel, SentBody } from "./call-parts.ts";

/**
 * `RequestField` says what a field of a request must be. Values are checked in place: a schema that
 * copies them takes 2 % of a JSON call.
 */
export interface RequestField<Value> {
  accepts(value: unknown): value is Value;
  /** The first mistake in a value that is not accepted. */
  mistakeIn(value: unknown): FieldMistake;
}

interface FieldMistake {
  /** Names and indexes that lead to it. */
  path: readonly (string | number)[];
  /** Completes a sentence that begins with the path. */
  expected: string;
}

type FieldValue<Field> = Field extends RequestField<infer Value> ? Value : never;

export function field<Value>(
  accepts: (value: unknown) => value is Value,
  expected: string,
): RequestField<Value> {
  const mistake = { path: [], expected };
  return { accepts, mistakeIn: () => mistake };
}

/** `null` means the same as a missing field. */
export const optional = <Value>({
  accepts,
  mistakeIn,
}: RequestField<Value>): RequestField<Value | null | undefined> => ({
  accepts: (value) => value === undefined || value === null || accepts(value),
  mistakeIn,
});

export const textField = (
  lengthMin: number,
  lengthMax: number,
  expected: string,
): RequestField<string> =>
  field(
    (value): value is string =>
      typeof value === "string" && value.length >= lengthMin && value.length <= lengthMax,
    expected,
  );

export const integerField = (min: number, max: number): RequestField<number> =>
  field(
    (value): value is number =>
      Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max,
    `must be an integer from ${min} to ${max}`,
  );

/** A list with at least `lengthMin` items. */
export function listField<Item>(
  item: RequestField<Item>,
  lengthMin: number,
  lengthMax: number,
): RequestField<Item[]> {
  return {
    accepts: (value): value is Item[] =>
      Array.isArray(value) &&
      value.length >= lengthMin &&
      value.length <= lengthMax &&
      value.every(item.accepts),
    mistakeIn(value) {
      const index = Array.isArray(value) ? value.findIndex((entry) => !item.accepts(entry)) : -1;
      if (!Array.isArray(value) || index < 0) {
        return { path: [], expected: `must be a list of ${lengthMin} to ${lengthMax} items` };
      }
      const { path, expected } = item.mistakeIn(value[index]);
      return { path: [index, ...path], expected };
    },
  };
}

/** A list, or one value in its place. */
export const listOrOne = <Item, One>(
  list: RequestField<Item[]>,
  one: RequestField<One>,
): RequestField<Item[] | One> => ({
  accepts: (value): value is Item[] | One => one.accepts(value) || list.accepts(value),
  mistakeIn: (value) => (Array.isArray(value) ? list : one).mistakeIn(value),
});

/** Members that are not named may be anything. */
export function objectField<Fields extends Readonly<Record<string, RequestField<unknown>>>>(
  fields: Fields,
): RequestField<{ [Name in keyof Fields]: FieldValue<Fields[Name]> }> {
  const entries = Object.entries(fields);
  return {
    accepts(value): value is { [Name in keyof Fields]: FieldValue<Fields[Name]> } {
      if (!isRecord(value)) return false;
      for (const [name, { accepts }] of entries) if (!accepts(value[name])) return false;
      return true;
    },
    mistakeIn(value) {
      const members: JsonRecord | undefined = isRecord(value) ? value : undefined;
      const wrong = members && entries.find(([name, { accepts }]) => !accepts(members[name]));
      if (!wrong) return { path: [], expected: "must be an object" };
      const [name, { mistakeIn }] = wrong;
      const { path, expected } = mistakeIn(members[name]);
      return { path: [name, ...path], expected };
    },
  };
}

const modelNameMax = 200;
const tokensMax = 10_000_000;
const messagesMax = 100_000;

export const anyText = field((value) => typeof value === "string", "must be a text");
export const requiredText = textField(
  1,
  Number.POSITIVE_INFINITY,
  "must be a text that is not empty",
);
export const switchField = optional(
  field((value) => typeof value === "boolean", "must be true or false"),
);
export const modelName = textField(
  1,
  modelNameMax,
  `must be a text of 1 to ${modelNameMax} characters`,
);
export const tokenLimit = optional(integerField(0, tokensMax));
export const streamOptions = optional(objectField({ include_usage: switchField }));

interface ChatMessageField {
  role: string;
  content?: unknown;
  tool_calls?: unknown;
}

const message = field(
  (value): value is ChatMessageField =>
    typeof value === "object" &&
    value !== null &&
    typeof (value as { role?: unknown }).role === "string",
  "must be an object with a role",
);
export const messageList = listField(message, 1, messagesMax);

/**
 * The body as it came, with the types of `request`. Throws `RelayRefused` that names the first
 * field which is wrong.
 */
export function parseBody<Body>(request: RequestField<Body>, json: unknown, code: string): Body {
  if (request.accepts(json)) return json;
  const { path, expected } = request.mistakeIn(json);
  const name = path.join(".");
  throw refuseBadRequest(code, `${name || "body"}: ${expected}`, name);
}

/**
 * The client's body with `members`, which are JSON, replaced, and with the model where the channel
 * maps it.
 */
export function patchBody(
  call: AskedModel & SentBody,
  model: string,
  members: Readonly<Record<string, string>> = {},
): Buffer {
  const replaced =
    model === (call.requestedModel ?? call.model)
      ? members
      : { ...members, model: JSON.stringify(model) };
  return Object.keys(replaced).length === 0 ? call.body : addMembers(call.body, replaced);
}

/**
 * `patchModel` is for APIs whose clients may omit the model: the upstream gets the one that was
 * priced.
 */
export function patchModel({ form, body }: SentBody, model: string): Buffer {
  if (form) return findField(form, "model") === model ? body : addField(form, "model", model);
  const modelSpan = listTopLevelSpans(body).find(({ key }) => key === "model");
  const modelJson = JSON.stringify(model);
  return modelSpan && body.toString("utf8", modelSpan.start, modelSpan.end) === modelJson
    ? body
    : addMembers(body, { model: modelJson });
}
