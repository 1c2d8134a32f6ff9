/**
 * Conversations that every server of chat completions and Responses refuses: their order, ids and
 * names.
 */
import { isRecord, record } from "../wire/json-parts.ts";
import {
  hasTooManyCalls,
  noContent,
  pairItemResults,
  pairMessageResults,
  splitCalls,
} from "./conversation-fits.ts";
import { moveChatFiles } from "./picture-places.ts";
import { numberChatCalls, numberItemCalls } from "./unique-call-ids.ts";
import type { ValueRule } from "./value-rule.ts";

const toolName = { do: "rename", max: 64, pattern: /^[\w-]{1,64}$/ } as const;
const chatNames = [
  "tools[].function.name",
  "tool_choice.function.name",
  "messages[].tool_calls[].function.name",
  "messages[role=tool].name",
];
const responseNames = [
  "tools[].name",
  "tool_choice.name",
  "tool_choice.tools[].name",
  "input[].name",
];

/** These come first of all: other rows shorten what each call is known by. */
export const repeatedCallRules: readonly ValueRule[] = [
  {
    id: "OC1",
    api: "chat_completions",
    member: "messages",
    refused: "one id for two calls of a turn",
    fit: { do: "convert_body", words: "a number behind it", by: numberChatCalls },
    certainty: "certain",
    source: "screenpipe/screenpipe#3252",
  },
  {
    id: "OR1",
    api: "response_api",
    member: "input",
    refused: "one id for several calls",
    fit: { do: "convert_body", words: "a number behind it", by: numberItemCalls },
    certainty: "certain",
    source: "screenpipe/screenpipe#3252",
  },
];

/** These come next, since rules of vendors look at which turn follows which. */
export const turnOrderRules: readonly ValueRule[] = [
  {
    id: "OC7",
    api: "chat_completions",
    member: "messages",
    refused: "calls without a result right after them, and results without a call",
    fit: { do: "convert_body", words: "each call has its result", by: pairMessageResults },
    certainty: "certain",
    source: "BigPizzaV3/CodexPlusPlus#329",
  },
  {
    id: "OC22",
    api: "chat_completions",
    ...moveChatFiles,
    certainty: "certain",
    source: "openai/openai-node#1030, OpenHands/OpenHands#7700",
  },
];

/** Alternatives, and what is kept elsewhere, have their types there. */
const lacksType = (schema: unknown): boolean =>
  isRecord(schema) &&
  ["type", "anyOf", "oneOf", "allOf", "$ref"].every((member) => schema[member] === undefined);

export const openAiConversationRules: readonly ValueRule[] = [
  {
    id: "OC4",
    api: "chat_completions",
    at: ["openai", "azure"],
    member: "messages",
    refuses: hasTooManyCalls,
    refused: "more than 128 calls in one turn",
    fit: { do: "convert_body", words: "several turns, each with its results", by: splitCalls },
    certainty: "certain",
    source: "openai/openai-dotnet#317",
  },
  {
    id: "OR3",
    api: "response_api",
    member: "input",
    refused: "calls without a result, and results without a call",
    fit: { do: "convert_body", words: "each call has its result", by: pairItemResults },
    certainty: "certain",
    source: "continuedev/continue#10092, leookun/cursor-byok#307",
  },
  {
    id: "OC5",
    api: "chat_completions",
    member: "tools[].function.parameters",
    refuses: lacksType,
    refused: "no `type`",
    fit: {
      do: "convert",
      words: "an object",
      by: (value) => ({ type: "object", properties: {}, ...record(value) }),
    },
    certainty: "certain",
    source: "PrefectHQ/fastmcp#2464",
  },
  ...["messages[].tool_calls[].id", "messages[].tool_call_id"].map(
    (member): ValueRule => ({
      id: "OC1",
      api: "chat_completions",
      member,
      refused: "more than 40 characters, none",
      fit: { do: "hash", max: 40, pattern: /./, prefix: "call_" },
      certainty: "certain",
      source: "anomalyco/opencode#12653, Portkey-AI/gateway#1062",
    }),
  ),
  {
    id: "OR1",
    api: "response_api",
    member: "input[].call_id",
    refused: "more than 64 characters, none",
    fit: { do: "hash", max: 64, pattern: /./, prefix: "call_" },
    certainty: "certain",
    source: "orchidfiles/ungate#41",
  },
  ...(["messages", "input"] as const).map(
    (member): ValueRule => ({
      id: "OC29",
      api: member === "input" ? "response_api" : "chat_completions",
      member,
      refuses: (value) => Array.isArray(value) && value.length === 0,
      refused: "none",
      fit: { do: "set", value: [{ role: "user", content: noContent }] },
      certainty: "certain",
      source: "litellm",
    }),
  ),
  ...[
    ...chatNames.map((member) => ({ api: "chat_completions", member }) as const),
    ...responseNames.map((member) => ({ api: "response_api", member }) as const),
  ].map(
    (place): ValueRule => ({
      id: "OC2",
      ...place,
      refused: "more than 64 characters, or any but letters, digits, `_` and `-`",
      fit: toolName,
      certainty: "certain",
      source: "CherryHQ/cherry-studio#2895",
    }),
  ),
];
