/**
 * A request sent to the wrong one of the three conversation endpoints is served, and answered, in
 * its own format.
 */

import { isRecord, type JsonRecord } from "../wire/json-parts.ts";
import { anthropicMessages } from "./anthropic-messages.ts";
import type { ClientFormat } from "./api-format.ts";
import { chatCompletions } from "./chat-completions.ts";
import { responses } from "./responses.ts";

const conversations: readonly ClientFormat[] = [chatCompletions, responses, anthropicMessages];

/**
 * The format of a request to the endpoint of `endpointFormat`, which wins where the request could
 * be either.
 */
export function detectFormat(endpointFormat: ClientFormat, json: unknown): ClientFormat {
  if (!conversations.includes(endpointFormat) || !isRecord(json)) return endpointFormat;
  if (!Array.isArray(json.messages)) return isResponse(json) ? responses : endpointFormat;
  if (endpointFormat === responses)
    return hasAny(json, ["input"]) ? endpointFormat : formatOfMessages(json);
  if (endpointFormat === chatCompletions)
    return isAnthropic(json) ? anthropicMessages : endpointFormat;
  return isChat(json) && !isAnthropic(json) ? chatCompletions : endpointFormat;
}

/** Checked in place: detection copies no long conversation. */
const some = (value: unknown, is: (entry: JsonRecord) => boolean): boolean =>
  Array.isArray(value) && value.some((entry) => isRecord(entry) && is(entry));

const formatOfMessages = (json: JsonRecord): ClientFormat =>
  isAnthropic(json) ? anthropicMessages : chatCompletions;

const hasAny = (json: JsonRecord, names: readonly string[]): boolean =>
  names.some((name) => json[name] !== undefined && json[name] !== null);

const responseMembers = ["input", "instructions", "max_output_tokens"];

const isResponse = (json: JsonRecord): boolean =>
  json.messages === undefined && hasAny(json, responseMembers);

function isAnthropic(json: JsonRecord): boolean {
  if (hasAny(json, ["system"])) return true;
  if (some(json.tools, ({ input_schema }) => isRecord(input_schema))) return true;
  return some(json.messages, ({ content }) => some(content, isToolBlock));
}

const isToolBlock = ({ type }: JsonRecord): boolean =>
  type === "tool_use" || type === "tool_result";

/**
 * Messages has messages of the system between the others too; it demands a limit, which few clients
 * of chat completions send beside one.
 */
const isSystemOfChat = ({ role }: JsonRecord, { max_tokens }: JsonRecord): boolean =>
  role === "system" && max_tokens === undefined;

const chatMembers = ["max_completion_tokens", "response_format", "stream_options"];
const chatRoles = new Set<unknown>(["developer", "tool"]);

function isChat(json: JsonRecord): boolean {
  if (hasAny(json, chatMembers)) return true;
  if (some(json.tools, (tool) => isRecord(tool.function))) return true;
  return some(
    json.messages,
    (message) =>
      chatRoles.has(message.role) ||
      isSystemOfChat(message, json) ||
      Array.isArray(message.tool_calls),
  );
}
