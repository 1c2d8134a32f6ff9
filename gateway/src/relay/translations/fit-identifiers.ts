/**
 * Identifiers that a provider would refuse, made to fit at the end of every translation: the same in each turn, so that calls and results
 * still belong together. What a client names so is known to it alone; no provider needs the words themselves. Pure.
 */
import { createHash } from "node:crypto";
import type { ApiEndpoint } from "../formats/api-format.ts";
import { isRecord, type JsonRecord } from "../wire/json-parts.ts";

interface IdentifierRule {
  max: number;
  /** Missing where any character is accepted. */
  pattern?: RegExp;
}

/** Of one API of providers. */
interface IdentifierRules {
  /** Who the end user is. */
  user: IdentifierRule;
  /** A call of a tool, and its result. */
  call: IdentifierRule;
  fit(body: JsonRecord, user: Fit, call: Fit): JsonRecord;
}

type Fit = (value: unknown) => unknown;

const rules: Readonly<Partial<Record<ApiEndpoint, IdentifierRules>>> = {
  // "Invalid 'user': string too long. Expected a string with maximum length 64", "… 'messages[2].tool_calls[0].id' … maximum length 40".
  chat_completions: {
    user: { max: 64 },
    call: { max: 40 },
    fit: (body, user, call) => ({
      ...withMember(body, "user", user),
      messages: mapRecords(body.messages, (message) => ({
        ...withMember(message, "tool_call_id", call),
        ...withList(message, "tool_calls", (one) => withMember(one, "id", call)),
      })),
    }),
  },
  // "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64".
  response_api: {
    user: { max: 64 },
    call: { max: 64 },
    fit: (body, user, call) => ({
      ...["user", "safety_identifier", "prompt_cache_key"].reduce((one, name) => withMember(one, name, user), body),
      input: mapRecords(body.input, (item) => withMember(item, "call_id", call)),
    }),
  },
  // "messages.1.content.1.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"; `metadata.user_id` has at most 256 characters.
  claude_messages: {
    user: { max: 256 },
    call: { max: 256, pattern: /^[\w-]+$/ },
    fit: (body, user, call) => ({
      ...body,
      ...(isRecord(body.metadata) && { metadata: withMember(body.metadata, "user_id", user) }),
      messages: mapRecords(body.messages, (message) => ({
        ...message,
        ...withList(message, "content", (block) =>
          block.type === "tool_use" ? withMember(block, "id", call) : withMember(block, "tool_use_id", call),
        ),
      })),
    }),
  },
};

const withMember = (object: JsonRecord, name: string, fit: Fit): JsonRecord =>
  typeof object[name] === "string" ? { ...object, [name]: fit(object[name]) } : object;

const withList = (object: JsonRecord, name: string, fit: (one: JsonRecord) => JsonRecord): JsonRecord =>
  Array.isArray(object[name]) ? { [name]: mapRecords(object[name], fit) } : {};

const mapRecords = (list: unknown, fit: (one: JsonRecord) => JsonRecord): unknown =>
  Array.isArray(list) ? list.map((one: unknown) => (isRecord(one) ? fit(one) : one)) : list;

const hashOf = (value: string): string => createHash("sha256").update(value).digest("hex");
const callHashLength = 32;

const fitting =
  ({ max, pattern }: IdentifierRule, shorten: (value: string) => string): Fit =>
  (value) =>
    typeof value !== "string" || (value.length <= max && (pattern === undefined || pattern.test(value)))
      ? value
      : shorten(value);

/** The body with every identifier that the API of `endpoint` refuses replaced by a hash of it. */
export function fitIdentifiers(body: JsonRecord, endpoint: ApiEndpoint): JsonRecord {
  const rule = rules[endpoint];
  if (!rule) return body;
  const user = fitting(rule.user, hashOf);
  const call = fitting(rule.call, (value) => `call_${hashOf(value).slice(0, callHashLength)}`);
  return rule.fit(body, user, call);
}
