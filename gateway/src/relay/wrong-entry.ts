/** A body sent to the wrong one of the three entries for conversations is served, and answered, by its own shape. */

import { isRecord, type Json } from "./json-parts.ts";
import { anthropicMessages } from "./shapes/anthropic-messages.ts";
import { chatCompletions } from "./shapes/chat-completions.ts";
import { responses } from "./shapes/responses.ts";
import type { Shape } from "./shapes/shape.ts";

const conversations: readonly Shape[] = [chatCompletions, responses, anthropicMessages];

/** The shape of a body that came to the entry of `entered`; what could be of that shape is of that shape. */
export function shapeOf(entered: Shape, json: unknown): Shape {
  if (!conversations.includes(entered) || !isRecord(json)) return entered;
  if (!Array.isArray(json.messages)) return isResponse(json) ? responses : entered;
  if (entered === responses) return hasAny(json, ["input"]) ? entered : shapeOfMessages(json);
  if (entered === chatCompletions) return isAnthropic(json) ? anthropicMessages : entered;
  return isChat(json) && !isAnthropic(json) ? chatCompletions : entered;
}

/** Looked at where they are: a long conversation is not copied to be recognised. */
const some = (value: unknown, is: (entry: Json) => boolean): boolean =>
  Array.isArray(value) && value.some((entry) => isRecord(entry) && is(entry));

const shapeOfMessages = (json: Json): Shape => (isAnthropic(json) ? anthropicMessages : chatCompletions);

const hasAny = (json: Json, names: readonly string[]): boolean =>
  names.some((name) => json[name] !== undefined && json[name] !== null);

const responseMembers = ["input", "instructions", "max_output_tokens"];

const isResponse = (json: Json): boolean => json.messages === undefined && hasAny(json, responseMembers);

function isAnthropic(json: Json): boolean {
  if (hasAny(json, ["system"])) return true;
  if (some(json.tools, ({ input_schema }) => isRecord(input_schema))) return true;
  return some(json.messages, ({ content }) => some(content, isToolBlock));
}

const isToolBlock = ({ type }: Json): boolean => type === "tool_use" || type === "tool_result";

const chatMembers = ["max_completion_tokens", "response_format", "stream_options"];
const chatRoles = new Set<unknown>(["system", "developer", "tool"]);

function isChat(json: Json): boolean {
  if (hasAny(json, chatMembers)) return true;
  if (some(json.tools, (tool) => isRecord(tool.function))) return true;
  return some(json.messages, ({ role, tool_calls }) => chatRoles.has(role) || Array.isArray(tool_calls));
}
