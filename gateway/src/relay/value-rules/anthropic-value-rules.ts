/** Values that Anthropic refuses in Messages. */

import {
  isRecord,
  type JsonRecord,
  readNumber,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import { limitCacheMarks, orderCacheMarks } from "./cache-marks.ts";
import {
  alwaysThinks,
  forcedOrThinking,
  neverForced,
  refusesDisabled,
  refusesPrefill,
  takesOneSampling,
  thinksAdaptively,
} from "./claude-families.ts";
import { demandUserFirst, noContent, removeBlankTexts } from "./conversation-fits.ts";
import { refusesToolSchema, removeEmptyTexts, toolSchemaFit } from "./openai-value-rules.ts";
import { closeForGrammar } from "./schema-fits.ts";
import { hashText } from "./short-names.ts";
import { fitAnthropicEffort, isEffort, readBudgetEffort } from "./thinking-effort.ts";
import { type RuleContext, removed, type ValueRule } from "./value-rule.ts";

const api = "claude_messages";
const docs = "platform.claude.com";
const isThinking = ({ body }: RuleContext): boolean =>
  ["enabled", "adaptive"].includes(text(record(body.thinking).type));
const budgetMin = 1_024;

/** "max_tokens must be greater than thinking.budget_tokens", which is at least 1,024. */
function fitThinkingBudget(value: unknown, { body }: RuleContext): unknown {
  const thinking = record(value);
  const limit = readNumber(body.max_tokens);
  if (thinking.type !== "enabled") return value;
  if (limit <= budgetMin) return removed;
  const budget = Math.min(Math.max(readNumber(thinking.budget_tokens), budgetMin), limit - 1);
  return budget === thinking.budget_tokens ? value : { ...thinking, budget_tokens: budget };
}

/** The effort that a budget asked for, where the model decides by itself. */
function makeThinkingAdaptive(body: JsonRecord): JsonRecord {
  const { type, budget_tokens, ...rest } = record(body.thinking);
  if (type !== "enabled") return body;
  const config = record(body.output_config);
  const effort = config.effort ?? readBudgetEffort(readNumber(budget_tokens));
  return { ...body, thinking: { ...rest, type: "adaptive" }, output_config: { ...config, effort } };
}

function makeAdaptive(value: unknown): JsonRecord {
  const { type: _, budget_tokens: __, ...rest } = record(value);
  return { ...rest, type: "adaptive" };
}

function removeDisabledThinking(body: JsonRecord, { model }: RuleContext): JsonRecord {
  const { thinking, ...rest } = body;
  if (record(thinking).type !== "disabled") return body;
  return alwaysThinks.test(model)
    ? { ...rest, output_config: { ...record(body.output_config), effort: "low" } }
    : rest;
}

const goOn: JsonRecord = { role: "user", content: [{ type: "text", text: "Please continue." }] };
const isOpenCall = ({ content }: JsonRecord): boolean =>
  records(content).some(({ type }) => type === "tool_use");

function removePrefill(body: JsonRecord, { model }: RuleContext): JsonRecord {
  const messages = records(body.messages);
  const last = messages.at(-1);
  if (last?.role !== "assistant" || isOpenCall(last)) return body;
  if (refusesPrefill.test(model)) return { ...body, messages: [...messages, goOn] };
  return {
    ...body,
    messages: [...messages.slice(0, -1), { ...last, content: trimContent(last.content) }],
  };
}

/** "final assistant content cannot end with trailing whitespace" */
function trimContent(content: unknown): unknown {
  if (typeof content === "string") return content.trimEnd();
  const blocks = records(content);
  const block = blocks.at(-1);
  return block?.type === "text"
    ? [...blocks.slice(0, -1), { ...block, text: text(block.text).trimEnd() }]
    : content;
}

const isTelephone = /^\+?[\d\s()/-]{7,40}$/;

/** A mail address anywhere in it, or nothing but a number. */
function looksPersonal(value: string): boolean {
  const at = value.indexOf("@");
  return (at > 0 && value.indexOf(".", at) > at + 1) || isTelephone.test(value);
}

const buildSamplingRules = (member: string, neutral?: number): ValueRule[] => [
  {
    id: "AN14",
    api,
    models: thinksAdaptively,
    member,
    refuses: (value) => value !== neutral,
    refused: "by models that decide how much they think",
    fit: { do: "drop" },
    certainty: "certain",
    source: "Comfy-Org/ComfyUI#13923",
  },
  {
    id: member === "temperature" ? "AN12" : "AN15",
    api,
    member,
    refuses: (value, context) =>
      isThinking(context) &&
      value !== neutral &&
      !(member === "top_p" && readNumber(value) >= 0.95),
    refused: "while the model thinks",
    fit: { do: "drop" },
    certainty: "certain",
    source: "mnfst/modelparams.dev#214",
  },
];

export const anthropicValueRules: readonly ValueRule[] = [
  {
    id: "AN4",
    api,
    member: "tools[].input_schema",
    refuses: refusesToolSchema,
    refused: "no `type: object`, alternatives at the root",
    fit: toolSchemaFit,
    certainty: "certain",
    source: "anthropics/claude-code#5319",
  },
  {
    id: "AN5",
    api,
    member: "output_config.format.schema",
    refused: "open objects and bounds",
    fit: {
      do: "convert",
      words: "closed objects, and the bounds in the description",
      by: (value) => (isRecord(value) ? closeForGrammar(value) : value),
    },
    certainty: "certain",
    source: "agentjido/req_llm#302, BerriAI/litellm#20813",
  },
  {
    id: "AN7",
    api,
    member: "messages",
    refused: "blank texts",
    fit: { do: "convert_body", words: "without them", by: removeBlankTexts },
    certainty: "certain",
    source: "NousResearch/hermes-agent#41985",
  },
  {
    id: "AN9",
    api,
    member: "messages",
    refused: "a last message of the model",
    fit: {
      do: "convert_body",
      words: "a turn of the user behind it; older models: no blanks at its end",
      by: removePrefill,
    },
    certainty: "certain",
    source: "ericc-ch/copilot-api#261; litellm",
  },
  {
    id: "AN11",
    api,
    member: "messages",
    refuses: (value) => Array.isArray(value) && value.length === 0,
    refused: "none",
    fit: { do: "set", value: [{ role: "user", content: noContent }] },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "AN11",
    api,
    member: "messages",
    ...demandUserFirst({ content: noContent }),
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "AN12",
    api,
    member: "temperature",
    refused: "below 0, above 1",
    fit: { do: "clamp", min: 0, max: 1 },
    certainty: "certain",
    source: docs,
  },
  ...buildSamplingRules("temperature", 1),
  ...buildSamplingRules("top_p"),
  ...buildSamplingRules("top_k"),
  {
    id: "AN13",
    api,
    models: takesOneSampling,
    member: "top_p",
    refuses: (_, { body }) => typeof body.temperature === "number",
    refused: "beside `temperature`",
    fit: { do: "drop" },
    certainty: "certain",
    source: "SalesforceAIResearch/MCP-Universe#49",
  },
  {
    id: "AN16",
    api,
    models: /claude-(?:opus|sonnet|haiku)-4[-.]5/,
    member: "max_tokens",
    refused: "above 64,000",
    fit: { do: "clamp", min: 1, max: 64_000 },
    certainty: "certain",
    source: "mnfst/modelparams.dev",
  },
  {
    id: "AN16",
    api,
    models: /claude-(?:(?:opus|sonnet)-4[-.][6-9]|(?:opus|sonnet|haiku|fable|mythos)-[5-9])/,
    member: "max_tokens",
    refused: "above 128,000",
    fit: { do: "clamp", min: 1, max: 128_000 },
    certainty: "certain",
    source: "mnfst/modelparams.dev",
  },
  {
    id: "AN18",
    api,
    models: thinksAdaptively,
    member: "thinking",
    refuses: (value) => record(value).type === "enabled",
    refused: "a budget, by models that decide how much they think",
    fit: {
      do: "convert_body",
      words: "`adaptive` with the effort that the budget asked for",
      by: makeThinkingAdaptive,
    },
    certainty: "certain",
    source: "NousResearch/hermes-agent#11137",
  },
  {
    id: "AN18",
    api,
    models: new RegExp(`${alwaysThinks.source}|${refusesDisabled.source}`),
    member: "thinking",
    refuses: (value) => record(value).type === "disabled",
    refused: "`disabled`, by models that always think, and by Opus 4.7 and 4.8",
    fit: {
      do: "convert_body",
      words: "none; where it always thinks, the effort low",
      by: removeDisabledThinking,
    },
    certainty: "certain",
    source: docs,
  },
  {
    id: "AN18",
    api,
    models: thinksAdaptively,
    member: "thinking",
    refuses: (value) => record(value).type === "enabled",
    refused: "a budget, by models that decide how much they think, of clients of Messages",
    fit: { do: "convert", words: "`adaptive`", by: makeAdaptive },
    certainty: "certain",
    source: "NousResearch/hermes-agent#11137",
  },
  {
    id: "AN18",
    api,
    models: new RegExp(`${alwaysThinks.source}|${refusesDisabled.source}`),
    member: "thinking",
    refuses: (value) => record(value).type === "disabled",
    refused: "`disabled`, of clients of Messages",
    fit: { do: "drop" },
    certainty: "certain",
    source: docs,
  },
  {
    id: "AN19",
    api,
    member: "output_config.effort",
    refuses: (value) => isEffort(value),
    refused: "words that the model does not know",
    fit: {
      do: "convert",
      words: "the nearest that it knows",
      by: (value, { model }) => (isEffort(value) ? fitAnthropicEffort(value, model) : value),
    },
    certainty: "certain",
    source: docs,
  },
  {
    id: "AN19",
    api,
    models: /claude-opus-5(?![-.]5)/,
    member: "output_config.effort",
    refuses: (value, { body }) =>
      record(body.thinking).type === "disabled" && ["xhigh", "max"].includes(text(value)),
    refused: "above high without thinking",
    fit: { do: "set", value: "high" },
    certainty: "certain",
    source: docs,
  },
  {
    id: "AN20",
    api,
    models: neverForced,
    member: "tool_choice",
    refuses: (value) => ["any", "tool"].includes(text(record(value).type)),
    refused: "a forced tool",
    fit: { do: "set", value: { type: "auto" } },
    certainty: "certain",
    source: "can1357/oh-my-pi#12939",
  },
  {
    id: "AN20",
    api,
    models: forcedOrThinking,
    member: "thinking",
    refuses: (_, { body }) => ["any", "tool"].includes(text(record(body.tool_choice).type)),
    refused: "beside a forced tool",
    fit: { do: "drop" },
    certainty: "certain",
    source: "mastra-ai/mastra#7507",
  },
  {
    id: "AN17",
    api,
    member: "thinking",
    refused: "a budget below 1,024, or not below `max_tokens`",
    fit: {
      do: "convert",
      words: "the nearest budget; none where the limit leaves no room",
      by: fitThinkingBudget,
    },
    certainty: "certain",
    source: "themaximalist/llm.js#30",
  },
  {
    id: "AN24",
    api,
    member: "messages",
    refused: "more than four marks for the cache",
    fit: {
      do: "convert_body",
      words: "the last of the tools, of the system, and two of the conversation",
      by: limitCacheMarks,
    },
    certainty: "certain",
    source: "Wei-Shaw/sub2api#176",
  },
  {
    id: "AN26",
    api,
    member: "messages",
    refused: "marks for an hour behind those for five minutes",
    fit: {
      do: "convert_body",
      words: "the earlier marks for an hour, too",
      by: orderCacheMarks,
    },
    certainty: "certain",
    source: "headroomlabs-ai/headroom#2939",
  },
  {
    id: "AN27",
    api,
    member: "metadata.user_id",
    refuses: (value) => looksPersonal(text(value)),
    refused: "addresses of mail and numbers of telephones",
    fit: { do: "convert", words: "a hash of it", by: (value) => hashText(text(value)) },
    certainty: "certain",
    source: "BerriAI/litellm#10106",
  },
  {
    id: "AN27",
    api,
    member: "metadata.user_id",
    refused: "more than 256 characters",
    fit: { do: "hash", max: 256 },
    certainty: "certain",
    source: "vercel/ai#12419",
  },
  {
    id: "AN28",
    api,
    member: "stop_sequences",
    refuses: (value) =>
      Array.isArray(value) && value.some((one) => typeof one === "string" && one.trim() === ""),
    refused: "blank texts",
    fit: { do: "convert", words: "without them", by: removeEmptyTexts },
    certainty: "certain",
    source: "litellm",
  },
];
