/** Values that DeepSeek, Moonshot, Zhipu, Alibaba and MiniMax refuse in chat completions. */

import { type JsonRecord, parseObject, record, records, text } from "../wire/json-parts.ts";
import { certain, clamp, drop, isForced, penalties } from "./compatible-rows.ts";
import { joinSystems, noContent } from "./conversation-fits.ts";
import { emptyObjectSchema, writeSchemaInWords } from "./schema-fits.ts";
import { type Effort, fitVendorEffort, isEffort } from "./thinking-effort.ts";
import type { RuleContext, ValueRule } from "./value-rule.ts";

const deepSeekThinks = /^deepseek-(?:v[4-9]|chat|reasoner)/;
const kimiThinks = /^kimi-k(?:2\.[5-9]|[3-9])/;
/** Models of which every turn with calls must bring its thoughts back. */
const wantsThoughts = /^(?:deepseek-(?:v[4-9]|reasoner)|kimi-k(?:2\.[5-9]|2-thinking|[3-9]))/;

/** `off` says how a family is told not to think. */
const off = { type: "disabled" };
const removeThinking = (body: JsonRecord): JsonRecord => {
  const { reasoning_effort: _, ...rest } = body;
  return { ...rest, thinking: off };
};

/** An effort where the model knows an effort, else whether it thinks at all. */
function writeSwitch(body: JsonRecord, { model }: RuleContext): JsonRecord {
  const { reasoning_effort, ...rest } = body;
  if (!isEffort(reasoning_effort)) return body;
  if (record(body.thinking).type !== undefined) return rest;
  if (reasoning_effort === "none" && !alwaysThinks.test(model)) return { ...rest, thinking: off };
  const fitted = fitVendorEffort(reasoning_effort, model);
  return fitted === undefined
    ? { ...rest, thinking: chooseSwitch(reasoning_effort) }
    : { ...rest, reasoning_effort: fitted };
}

const chooseSwitch = (effort: Effort): JsonRecord =>
  effort === "none" ? off : { type: "enabled" };
const alwaysThinks = /^(?:glm-5\.3|kimi-k3)/;

function writeEnableThinking(body: JsonRecord): JsonRecord {
  const { reasoning_effort, ...rest } = body;
  if (!isEffort(reasoning_effort) || body.enable_thinking !== undefined) return rest;
  return { ...rest, enable_thinking: reasoning_effort !== "none" };
}

/** "The messages parameter is illegal." */
function addUserTurn(body: JsonRecord): JsonRecord {
  const messages = records(body.messages).map((message) =>
    message.content === "" && message.tool_calls === undefined
      ? { ...message, content: noContent }
      : message,
  );
  const hasUser = messages.some(({ role }) => role === "user" || role === "tool");
  return {
    ...body,
    messages: hasUser ? messages : [...messages, { role: "user", content: noContent }],
  };
}

function moveSchemaToSystem(body: JsonRecord): JsonRecord {
  const { type, json_schema } = record(body.response_format);
  if (type !== "json_schema") return body;
  const content = writeSchemaInWords(record(json_schema).schema);
  const messages = [{ role: "system", content }, ...records(body.messages)];
  return { ...body, response_format: { type: "json_object" }, messages };
}

const messages = "messages";

export const asianValueRules: readonly ValueRule[] = [
  certain({
    id: "OC28",
    at: [
      "deepseek",
      "moonshot",
      "zhipu",
      "qwen",
      "minimax",
      "mistral",
      "groq",
      "cohere",
      "nvidia",
      "fireworks",
    ],
    member: "messages[role=developer]",
    refused: "the role of developers",
    fit: {
      do: "convert",
      words: "a message of the system",
      by: (value) => ({ ...record(value), role: "system" }),
    },
    source: "can1357/oh-my-pi#955",
  }),
  // DeepSeek
  certain({
    id: "DS1",
    models: wantsThoughts,
    member: "messages[role=assistant]",
    refuses: (value) =>
      records(record(value).tool_calls).length > 0 && text(record(value).reasoning_content) === "",
    refused: "calls without the thoughts before them",
    fit: {
      do: "convert",
      words: "a blank thought",
      by: (value) => ({ ...record(value), reasoning_content: " " }),
    },
    source: "api-docs.deepseek.com; earendil-works/pi#3636; mastra-ai/mastra#12592",
  }),
  certain({
    id: "DS2",
    models: new RegExp(`${deepSeekThinks.source}|${kimiThinks.source}|^glm-[45]`),
    // Routers have one word for all models.
    notAt: ["openrouter"],
    member: "reasoning_effort",
    refused: "words that the model does not know, and both `thinking` and an effort",
    fit: { do: "convert_body", words: "the nearest word, or `thinking`", by: writeSwitch },
    source: "api-docs.deepseek.com; HKUDS/nanobot#3939; mnfst/modelparams.dev",
  }),
  certain({
    id: "DS3",
    models: deepSeekThinks,
    member: "tool_choice",
    refuses: (value, { body }) => isForced(value) && record(body.thinking).type !== "disabled",
    refused: "a forced tool while the model thinks",
    fit: { do: "convert_body", words: "thinking off", by: removeThinking },
    source: "cloudwego/eino#994",
  }),
  drop("DS4", ["deepseek"], "messages[].content[type=image_url]", "pictures", "litellm"),
  clamp("DS6", ["deepseek"], "max_tokens", 1, 393_216),
  // Moonshot
  ...["temperature", "top_p", "n", ...penalties].map((member) =>
    certain({
      id: "MS1",
      models: kimiThinks,
      member,
      refused: "by Kimi from K2.5 on, whose values are fixed",
      fit: { do: "drop" },
      source: "MoonshotAI/kimi-code#686",
    }),
  ),
  certain({
    id: "MS5",
    at: ["moonshot"],
    models: /^kimi-k2/,
    member: "tool_choice",
    refuses: isForced,
    refused: "a forced tool",
    fit: { do: "set", value: "auto" },
    source: "mnfst/modelparams.dev",
  }),
  certain({
    id: "MS6",
    at: ["moonshot"],
    member: "stop",
    refused: "more than 5 texts",
    fit: { do: "first", count: 5 },
    source: "mnfst/modelparams.dev",
  }),
  // Zhipu
  certain({
    id: "ZP1",
    at: ["zhipu", "volcano"],
    member: "user",
    refuses: (value) => text(value).length < 6,
    refused: "fewer than 6 characters",
    fit: { do: "convert", words: "with a word before it", by: (value) => `user_${text(value)}` },
    source: "looplj/axonhub#1669",
  }),
  clamp("ZP1", ["zhipu"], "temperature", 0, 1),
  clamp("ZP1", ["zhipu"], "top_p", 0.01, 1),
  certain({
    id: "ZP2",
    at: ["zhipu"],
    member: messages,
    refuses: (value) =>
      !records(value).some(({ role }) => role === "user" || role === "tool") ||
      records(value).some(({ content, tool_calls }) => content === "" && tool_calls === undefined),
    refused: "empty messages, and none of the user",
    fit: { do: "convert_body", words: "a turn of the user", by: addUserTurn },
    source: "anomalyco/opencode#2557",
  }),
  certain({
    id: "ZP4",
    at: ["zhipu", "deepseek"],
    member: "response_format",
    refuses: (value) => record(value).type === "json_schema",
    refused: "schemas",
    fit: { do: "convert_body", words: "the schema in words of the system", by: moveSchemaToSystem },
    source: "mnfst/modelparams.dev; litellm",
  }),
  clamp("ZP6", ["zhipu"], "max_tokens", 1, 131_072),
  // Qwen
  certain({
    id: "QW1",
    at: ["qwen"],
    member: "reasoning_effort",
    refused: "an effort",
    fit: { do: "convert_body", words: "`enable_thinking`", by: writeEnableThinking },
    source: "langchain4j/langchain4j#3974",
  }),
  certain({
    id: "QW1",
    at: ["qwen"],
    // The open models that think or not as they are told.
    models: /^qwen3-\d+(?:\.\d+)?b(?:-a\d+b)?$/,
    member: messages,
    refuses: (_, { body }) => body.stream !== true && body.enable_thinking !== false,
    refused: "thinking without a stream",
    fit: {
      do: "convert_body",
      words: "thinking off",
      by: (body) => ({ ...body, enable_thinking: false }),
    },
    source: "langchain4j/langchain4j#3974",
  }),
  certain({
    id: "QW2",
    at: ["qwen"],
    member: "tool_choice",
    refuses: (value, { body }) => isForced(value) && body.enable_thinking !== false,
    refused: "a forced tool while the model thinks",
    fit: {
      do: "convert_body",
      words: "thinking off",
      by: (body) => ({ ...body, enable_thinking: false }),
    },
    source: "QwenLM/qwen-code#7659",
  }),
  certain({
    id: "QW3",
    at: ["qwen"],
    member: "response_format",
    refuses: (value, { body }) => record(value).type !== "text" && body.enable_thinking === true,
    refused: "JSON while the model thinks",
    fit: {
      do: "convert_body",
      words: "thinking off",
      by: (body) => ({ ...body, enable_thinking: false }),
    },
    source: "presenton/presenton#184",
  }),
  clamp("QW4", ["qwen"], "temperature", 0, 1.9),
  // MiniMax
  certain({
    id: "MM1",
    at: ["minimax"],
    member: messages,
    refused: "several messages of the system, or one further on",
    fit: { do: "convert_body", words: "one at the start", by: joinSystems },
    source: "MiniMax-AI/MiniMax-M2#51",
  }),
  certain({
    id: "MM2",
    at: ["minimax", "deepseek", "qwen", "zhipu", "moonshot", "mistral"],
    member: "messages[].tool_calls[].function.arguments",
    refuses: (value) => typeof value === "string" && !isJsonObject(value),
    refused: "arguments that are no JSON",
    fit: { do: "set", value: "{}" },
    source: "earendil-works/pi#5468",
  }),
  certain({
    id: "MM3",
    at: ["minimax"],
    member: "tools[].function",
    refuses: (value) => Object.keys(record(record(value).parameters)).length === 0,
    refused: "functions without parameters",
    fit: {
      do: "convert",
      words: "an empty object",
      by: (value) => ({ ...record(value), parameters: emptyObjectSchema }),
    },
    source: "QwenLM/qwen-code#11834",
  }),
  certain({
    id: "MM4",
    models: /^minimax-m3/,
    notAt: ["openrouter"],
    member: "reasoning_effort",
    refused: "an effort, and `thinking` that is enabled",
    fit: {
      do: "convert_body",
      words: "`thinking` adaptive or disabled",
      by: ({ reasoning_effort, ...body }) => ({
        ...body,
        thinking: reasoning_effort === "none" ? off : { type: "adaptive" },
      }),
    },
    source: "CherryHQ/cherry-studio#16431",
  }),
  clamp("MM5", ["minimax"], "temperature", 0.01, 1),
  clamp("MM5", ["minimax"], "top_p", 0.01, 1),
];

const isJsonObject = (written: string): boolean => {
  const parsed = parseObject(written);
  return Object.keys(parsed).length > 0 || /^\s*\{\s*\}\s*$/.test(written);
};
