/**
 * Values that OpenAI and Azure refuse in chat completions and Responses; the limits of ids and
 * names count for every server of these APIs. What Azure alone refuses: azure-value-rules.ts.
 */

import { isRecord, type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { azureValueRules } from "./azure-value-rules.ts";
import { findMember } from "./member-path.ts";
import { addObjectRoot, isCompleteForStrict, isRefusedRoot, withItems } from "./schema-fits.ts";
import { fitOpenAiEffort } from "./thinking-effort.ts";
import { type RuleContext, removed, type ValueRule } from "./value-rule.ts";
import type { Vendor } from "./vendors.ts";

/** The models that reason, without those of the chat program, which do not. */
const reasoning = /^(?:o\d|gpt-[5-9](?!.*-chat))/;
/** `reasonsOnRequest` comes without an effort these do not reason. */
const reasonsOnRequest = /^gpt-5\.[124](?!\d)(?!-(?:pro|codex))/;
/** `reasonsUnasked` says whether a model reasons where a request says nothing about it. */
export const reasonsUnasked = (model: string): boolean =>
  reasoning.test(model) && !reasonsOnRequest.test(model);
const atOpenAi: readonly Vendor[] = ["openai", "azure"];

function reasons({ body, model }: RuleContext): boolean {
  const effort = body.reasoning_effort ?? record(body.reasoning).effort;
  return effort === undefined || effort === null
    ? !reasonsOnRequest.test(model)
    : effort !== "none";
}

const hasTools = ({ body }: RuleContext): boolean =>
  Array.isArray(body.tools) && body.tools.length > 0;

/** The members of one API that mean the same in the other. */
const inBoth = (row: Omit<ValueRule, "api">): ValueRule[] => [
  { ...row, api: "chat_completions" },
  { ...row, api: "response_api" },
];

const words64 = { do: "hash", max: 64 } as const;

function addWordJson(body: JsonRecord): JsonRecord {
  const list = records(body.messages ?? body.input);
  const said = JSON.stringify(typeof body.input === "string" ? body.input : list);
  if (/json/i.test(said)) return body;
  const line = "Answer in JSON.";
  if (typeof body.input === "string") return { ...body, input: `${body.input}\n\n${line}` };
  const name = body.messages === undefined ? "input" : "messages";
  return { ...body, [name]: [...list, { role: "user", content: line }] };
}

/** OpenAI's limits: sixteen pairs of texts. */
function flattenMetadata(value: unknown): unknown {
  const pairs = Object.entries(record(value)).slice(0, 16);
  return Object.fromEntries(
    pairs.map(([name, one]) => [
      name.slice(0, 64),
      (typeof one === "string" ? one : JSON.stringify(one)).slice(0, 512),
    ]),
  );
}

const isPlainMetadata = (value: unknown): boolean =>
  JSON.stringify(flattenMetadata(value)) === JSON.stringify(value);

const schemaFit = {
  do: "convert",
  words: "one object of all properties",
  by: (value: unknown) => withItems(addObjectRoot(value)),
} as const;
const refusesSchema = (value: unknown): boolean =>
  isRefusedRoot(value) || (isRecord(value) && withItems(value) !== value);

/** Sampling while the model reasons. */
const buildSamplingRows = (member: string, neutral?: unknown): ValueRule[] =>
  inBoth({
    id: member === "temperature" ? "OC10" : "OC11",
    models: reasoning,
    member,
    refuses: (value, context) => value !== neutral && value !== false && reasons(context),
    refused: "while the model reasons",
    fit: { do: "drop" },
    certainty: "certain",
    source: "OpenAI deployment checklist; litellm",
  });

const droppedByReasoning = [
  "presence_penalty",
  "frequency_penalty",
  "logit_bias",
  "prediction",
].map(
  (member): ValueRule => ({
    id: "OC12",
    api: "chat_completions",
    models: reasoning,
    member,
    refused: "by models that reason",
    fit: { do: "drop" },
    certainty: "certain",
    source: "litellm",
  }),
);

const adaLength = 1_536;

export const openAiValueRules: readonly ValueRule[] = [
  ...(["tools[].function.parameters", "tools[].parameters"] as const).map(
    (member): ValueRule => ({
      id: "OC5",
      api: member === "tools[].parameters" ? "response_api" : "chat_completions",
      at: [...atOpenAi, "xai"],
      member,
      refuses: refusesSchema,
      refused: "alternatives at the root, arrays without `items`",
      fit: schemaFit,
      certainty: "certain",
      source: "langchain-ai/langchainjs#9804, PrefectHQ/fastmcp#2464",
    }),
  ),
  {
    id: "OC6",
    api: "chat_completions",
    at: atOpenAi,
    member: "response_format.json_schema.strict",
    refuses: (value, { body }) =>
      value === true &&
      !isCompleteForStrict(findMember(body, "response_format.json_schema.schema")),
    refused: "`true` beside a schema that is open somewhere",
    fit: { do: "set", value: false },
    certainty: "certain",
    source: "makenotion/notion-mcp-server#102",
  },
  {
    id: "OC6",
    api: "response_api",
    at: atOpenAi,
    member: "text.format.strict",
    refuses: (value, { body }) =>
      value === true && !isCompleteForStrict(findMember(body, "text.format.schema")),
    refused: "`true` beside a schema that is open somewhere",
    fit: { do: "set", value: false },
    certainty: "certain",
    source: "makenotion/notion-mcp-server#102",
  },
  ...(
    [
      ["chat_completions", "tools[].function"],
      ["response_api", "tools[type=function]"],
    ] as const
  ).map(
    ([api, member]): ValueRule => ({
      id: "OC6",
      api,
      at: atOpenAi,
      member,
      refuses: (value) =>
        record(value).strict === true && !isCompleteForStrict(record(value).parameters),
      refused: "`strict` beside a schema that is open somewhere",
      fit: {
        do: "convert",
        words: "`strict: false`",
        by: (value) => ({ ...record(value), strict: false }),
      },
      certainty: "certain",
      source: "makenotion/notion-mcp-server#102",
    }),
  ),
  {
    id: "OC8",
    api: "chat_completions",
    models: reasoning,
    member: "max_tokens",
    refused: "by models that reason",
    fit: { do: "move", to: "max_completion_tokens" },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "OC9",
    api: "chat_completions",
    models: /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9])/,
    member: "max_completion_tokens",
    refused: "below 16",
    fit: { do: "clamp", min: 16 },
    certainty: "certain",
    source: "mnfst/modelparams.dev, braintrustdata/lingua#186",
  },
  {
    id: "OR8",
    api: "response_api",
    member: "max_output_tokens",
    refused: "below 16",
    fit: { do: "clamp", min: 16 },
    certainty: "certain",
    source: "vectorize-io/hindsight#58",
  },
  ...[
    { api: "chat_completions", member: "reasoning_effort" } as const,
    { api: "response_api", member: "reasoning.effort" } as const,
  ].map(
    (place): ValueRule => ({
      id: "OC14",
      ...place,
      models: /^(?:o\d|gpt-)/,
      refused: "words that the model does not know",
      fit: {
        do: "convert",
        words: "the nearest that it knows",
        by: (value, { model }) => fitOpenAiEffort(value, model),
      },
      certainty: "certain",
      source: "pydantic/pydantic-ai#7081; litellm's table of models",
    }),
  ),
  ...azureValueRules,
  ...buildSamplingRows("temperature", 1),
  ...buildSamplingRows("top_p", 1),
  ...buildSamplingRows("top_logprobs"),
  ...buildSamplingRows("logprobs", false).filter(({ api }) => api === "chat_completions"),
  {
    id: "OR9",
    api: "response_api",
    models: reasoning,
    member: "include[]",
    refuses: (value, context) => value === "message.output_text.logprobs" && reasons(context),
    refused: "log probabilities while the model reasons",
    fit: { do: "drop" },
    certainty: "certain",
    source: "OpenAI deployment checklist",
  },
  ...droppedByReasoning,
  {
    id: "OC12",
    api: "chat_completions",
    models: /^(?:o[2-9]|gpt-[5-9](?!.*-chat))/,
    member: "stop",
    refused: "by models that reason",
    fit: { do: "drop" },
    certainty: "certain",
    source: "BerriAI/litellm#15244",
  },
  {
    id: "OC13",
    api: "chat_completions",
    member: "stop",
    refuses: (value) => Array.isArray(value) && value.some((one) => one === ""),
    refused: "empty texts",
    fit: { do: "convert", words: "without the empty texts", by: (value) => nonEmpty(value) },
    certainty: "certain",
    source: "BerriAI/litellm#18921",
  },
  {
    id: "OC13",
    api: "chat_completions",
    at: [...atOpenAi],
    member: "stop",
    refused: "more than 4 texts",
    fit: { do: "first", count: 4 },
    certainty: "certain",
    source: "BerriAI/litellm#18921",
  },
  {
    id: "OC15",
    api: "chat_completions",
    // Astra and Sol from 6.1 on know no `none`, and take functions in Responses alone.
    models: /^gpt-(?:5\.(?:[4-9]|\d\d)|[6-9](?!-astra|\.\d+-sol))/,
    member: "reasoning_effort",
    refuses: (value, context) => value !== "none" && hasTools(context),
    refused: "beside functions, none too",
    fit: { do: "set", value: "none", addsMissing: true },
    certainty: "named",
    source: "itzcrazykns/vane#1173, BerriAI/litellm#34569",
  },
  ...["user", "safety_identifier", "prompt_cache_key"].flatMap((member) =>
    inBoth({
      id: member === "prompt_cache_key" ? "OC19" : "OC17",
      member,
      refused: "more than 64 characters",
      fit: words64,
      certainty: "certain",
      source: "maximhq/bifrost#1000, earendil-works/pi#4720",
    }),
  ),
  ...inBoth({
    id: "OC20",
    models: /^(?:o\d|gpt-(?:3|4o|4-|4$))/,
    member: "prompt_cache_retention",
    refused: "by models before GPT-4.1",
    fit: { do: "drop" },
    certainty: "certain",
    source: "anomalyco/opencode#5149",
  }),
  ...inBoth({
    id: "OC21",
    at: atOpenAi,
    member: "metadata",
    refuses: (value) => isRecord(value) && !isPlainMetadata(value),
    refused: "more than 16 pairs, values that are no text, or of more than 512 characters",
    fit: { do: "convert", words: "sixteen pairs of texts", by: flattenMetadata },
    certainty: "certain",
    source: "maximhq/bifrost#1000",
  }),
  ...["tools", "tool_choice", "parallel_tool_calls"].map(
    (member): ValueRule => ({
      id: "OC23",
      api: "chat_completions",
      member,
      refuses: (_, context) => !hasTools(context),
      refused: "without any tool",
      fit: { do: "drop" },
      certainty: "certain",
      source: "refusals in public code",
    }),
  ),
  {
    id: "OC24",
    api: "chat_completions",
    member: "stream_options",
    refuses: (_, { body }) => body.stream !== true,
    refused: "without a stream",
    fit: { do: "drop" },
    certainty: "certain",
    source: "refusals in public code",
  },
  {
    id: "OC25",
    api: "chat_completions",
    at: [...atOpenAi, "deepseek", "qwen"],
    member: "response_format",
    refuses: (value) => record(value).type === "json_object",
    refused: "`json_object` where no message has the word JSON",
    fit: { do: "convert_body", words: "a line that asks for JSON", by: addWordJson },
    certainty: "certain",
    source: "refusals in public code",
  },
  {
    id: "OC25",
    api: "response_api",
    at: atOpenAi,
    member: "text.format",
    refuses: (value) => record(value).type === "json_object",
    refused: "`json_object` where no message has the word JSON",
    fit: { do: "convert_body", words: "a line that asks for JSON", by: addWordJson },
    certainty: "certain",
    source: "refusals in public code",
  },
  {
    id: "EM2",
    api: "embeddings",
    models: /^text-embedding-ada-002/,
    member: "dimensions",
    // Another length was asked for to be stored: that refusal is the client's to read.
    refuses: (value) => value === adaLength,
    refused: "a length, even its only one",
    fit: { do: "drop" },
    certainty: "certain",
    source: "refusals in public code",
  },
  ...(
    [
      ["temperature", 0, 2],
      ["presence_penalty", -2, 2],
      ["frequency_penalty", -2, 2],
      ["top_logprobs", 0, 20],
      ["n", 1, 128],
    ] as const
  ).map(
    ([member, min, max]): ValueRule => ({
      id: "OC26",
      api: "chat_completions",
      at: atOpenAi,
      member,
      refused: `below ${min}, above ${max}`,
      fit: { do: "clamp", min, max },
      certainty: "certain",
      source: "OpenAI's reference",
    }),
  ),
];

function nonEmpty(value: unknown): unknown {
  const kept = Array.isArray(value)
    ? (value as unknown[]).filter((one) => text(one).trim() !== "" || typeof one !== "string")
    : [];
  return kept.length > 0 ? kept : removed;
}

/** `removeEmptyTexts` are for the row of another API with the same words. */
export const removeEmptyTexts = nonEmpty;
export const toolSchemaFit = schemaFit;
export const refusesToolSchema = refusesSchema;
