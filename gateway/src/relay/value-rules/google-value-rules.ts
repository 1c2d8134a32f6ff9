/** Values that Google refuses in generateContent. */
import { isRecord, type JsonRecord, readNumber, record, records } from "../wire/json-parts.ts";
import { demandUserFirst, noContent } from "./conversation-fits.ts";
import { toolSchemaFit } from "./openai-value-rules.ts";
import { moveGeminiSystemFiles } from "./picture-places.ts";
import {
  hasRepeatedNames,
  removeRepeatedNames,
  withItems,
  writeSchemaInWords,
} from "./schema-fits.ts";
import { fitGoogleChatEffort } from "./thinking-effort.ts";
import type { RuleContext, ValueRule } from "./value-rule.ts";

const api = "gemini";
const before3 = /^gemini-(?:1|2)\b/;
const from3 = /^gemini-(?:[3-9]|\d\d)/;

/** The budgets of the generation that has them. */
const budgets: readonly { models: RegExp; min: number; max: number; isOffAllowed: boolean }[] = [
  { models: /^gemini-2\.5-pro/, min: 128, max: 32_768, isOffAllowed: false },
  { models: /^gemini-2\.5-flash-lite/, min: 512, max: 24_576, isOffAllowed: true },
  { models: /^gemini-2\.5-flash/, min: 1, max: 24_576, isOffAllowed: true },
];

function fitThoughtBudget(value: unknown, { model }: RuleContext): unknown {
  const family = budgets.find(({ models }) => models.test(model));
  const budget = readNumber(value, -1);
  // With -1 the model decides.
  if (!family || budget < 0 || (budget === 0 && family.isOffAllowed)) return value;
  return Math.min(Math.max(budget, family.min), family.max);
}

/** `moveSchemaToSystem` is for models whose schemas and functions exclude each other. */
function moveSchemaToSystem(body: JsonRecord): JsonRecord {
  const { responseMimeType, responseJsonSchema, responseSchema, ...config } = record(
    body.generationConfig,
  );
  const schema = responseJsonSchema ?? responseSchema;
  const system = record(body.systemInstruction);
  return {
    ...body,
    generationConfig: config,
    systemInstruction: {
      ...system,
      parts: [...records(system.parts), { text: writeSchemaInWords(schema) }],
    },
  };
}

/** Alternatives beside `type: object` are read. */
const refusesParameters = (value: unknown): boolean =>
  !isRecord(value) ||
  value.type !== "object" ||
  (value.properties !== undefined && !isRecord(value.properties)) ||
  withItems(value) !== value;

/** "function call turn comes immediately after a user turn or after a function response turn". */
const isCallTurn = (turn: JsonRecord | undefined): boolean =>
  records(turn?.parts).some(({ functionCall }) => isRecord(functionCall));

const names = [
  "tools[].functionDeclarations[].name",
  "contents[].parts[].functionCall.name",
  "contents[].parts[].functionResponse.name",
  "toolConfig.functionCallingConfig.allowedFunctionNames[]",
];

export const googleValueRules: readonly ValueRule[] = [
  {
    id: "OC22",
    api,
    ...moveGeminiSystemFiles,
    certainty: "certain",
    source: "Google's reference: the instruction of the system is text",
  },
  {
    id: "GE1",
    api,
    member: "tools[].functionDeclarations",
    refuses: hasRepeatedNames,
    refused: "one name for two functions",
    fit: { do: "convert", words: "the first of them", by: removeRepeatedNames },
    certainty: "certain",
    source: "sonichi/sutando#505",
  },
  ...names.map(
    (member): ValueRule => ({
      id: "GE1",
      api,
      member,
      refused:
        "more than 64 characters, a first one that is no letter, any but letters, digits, `_` and `-`",
      fit: { do: "rename", max: 64, pattern: /^[a-zA-Z_][\w-]{0,63}$/ },
      certainty: "certain",
      source: "google-gemini/gemini-cli#2966",
    }),
  ),
  {
    id: "GE5",
    api,
    member: "tools[].functionDeclarations[].parametersJsonSchema",
    refuses: refusesParameters,
    refused: "no `type: object`, arrays without `items`",
    fit: toolSchemaFit,
    certainty: "certain",
    source: "litellm; refusals in public code",
  },
  {
    id: "GE7",
    api,
    member: "contents",
    ...demandUserFirst({ parts: [{ text: noContent }] }, isCallTurn),
    refused: "calls before the first turn of the user",
    certainty: "certain",
    source: "google-gemini/gemini-cli#3814",
  },
  {
    id: "GE21",
    api,
    member: "contents",
    refuses: (value) => Array.isArray(value) && value.length === 0,
    refused: "none",
    fit: { do: "set", value: [{ role: "user", parts: [{ text: noContent }] }] },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "GE12",
    api,
    models: /^gemini-(?:1|2\.0)(?!.*thinking)/,
    member: "generationConfig.thinkingConfig",
    refused: "by models before Gemini 2.5",
    fit: { do: "drop" },
    certainty: "certain",
    source: "Google's guide to thinking",
  },
  {
    id: "GE12",
    api: "chat_completions",
    at: ["google"],
    models: /^gemini-(?:2\.5|[3-9]|\d\d)/,
    member: "reasoning_effort",
    refused: "`none` of models that always think, `xhigh` and `max`",
    fit: {
      do: "convert",
      words: "the nearest that it knows",
      by: (value, { model }) => fitGoogleChatEffort(value, model),
    },
    certainty: "certain",
    source: "Google's guide to its API for chat completions",
  },
  {
    id: "GE12",
    api,
    member: "generationConfig.thinkingConfig.thinkingBudget",
    refused: "outside of the bounds of the model",
    fit: { do: "convert", words: "the nearest budget", by: fitThoughtBudget },
    certainty: "certain",
    source: "mnfst/modelparams.dev",
  },
  ...["generationConfig.presencePenalty", "generationConfig.frequencyPenalty"].map(
    (member): ValueRule => ({
      id: "GE14",
      api,
      models: /^gemini-(?:2\.5-flash|[3-9]|\d\d)/,
      member,
      refused: "by Gemini 2.5 Flash and every model from 3 on",
      fit: { do: "drop" },
      certainty: "certain",
      source: "litellm",
    }),
  ),
  ...["temperature", "topP", "topK"].map(
    (name): ValueRule => ({
      id: "GE15",
      api,
      models: /^gemini-(?:3\.(?:5-flash-lite|[6-9]-flash)|[4-9])/,
      member: `generationConfig.${name}`,
      refused: "by models that no longer read it",
      fit: { do: "drop" },
      certainty: "certain",
      source: "litellm",
    }),
  ),
  {
    id: "GE16",
    api,
    member: "generationConfig.stopSequences",
    refused: "more than 5 texts",
    fit: { do: "first", count: 5 },
    certainty: "certain",
    source: "BerriAI/litellm#18921",
  },
  {
    id: "GE17",
    api,
    models: before3,
    member: "generationConfig.responseMimeType",
    refuses: (value, { body }) =>
      value === "application/json" && Array.isArray(body.tools) && body.tools.length > 0,
    refused: "`application/json` beside functions, before Gemini 3",
    fit: { do: "convert_body", words: "the schema in words of the system", by: moveSchemaToSystem },
    certainty: "certain",
    source: "googleapis/python-genai#867",
  },
  {
    id: "GE22",
    api,
    models: /^gemini-(?:2\.5|[3-9])/,
    member: "generationConfig.maxOutputTokens",
    refused: "below 1, above 65,536",
    fit: { do: "clamp", min: 1, max: 65_536 },
    certainty: "certain",
    source: "mnfst/modelparams.dev",
  },
  {
    id: "GE24",
    api,
    member: "generationConfig.temperature",
    refused: "below 0, above 2",
    fit: { do: "clamp", min: 0, max: 2 },
    certainty: "certain",
    source: "mnfst/modelparams.dev",
  },
  {
    id: "GE24",
    api,
    member: "generationConfig.candidateCount",
    refused: "below 1, above 8",
    fit: { do: "clamp", min: 1, max: 8 },
    certainty: "certain",
    source: "mnfst/modelparams.dev",
  },
  {
    id: "GE13",
    api,
    models: from3,
    member: "generationConfig.thinkingConfig.thinkingBudget",
    refuses: (_, { body }) =>
      record(record(body.generationConfig).thinkingConfig).thinkingLevel !== undefined,
    refused: "beside a level",
    fit: { do: "drop" },
    certainty: "certain",
    source: "Google's guide to Gemini 3",
  },
];
