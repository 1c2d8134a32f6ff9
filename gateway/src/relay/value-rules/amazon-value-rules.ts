/** Values that Amazon refuses in Converse. */
import {
  isRecord,
  type JsonRecord,
  parseObject,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import { neverForced, takesOneSampling } from "./claude-families.ts";
import { demandUserFirst, noContent } from "./conversation-fits.ts";
import { refusesToolSchema, removeEmptyTexts, toolSchemaFit } from "./openai-value-rules.ts";
import { moveConverseFiles, moveConverseSystemFiles } from "./picture-places.ts";
import { closeForGrammar } from "./schema-fits.ts";
import { fitOpenAiEffort, fitVendorEffort, isEffort } from "./thinking-effort.ts";
import { numberConverseCalls } from "./unique-call-ids.ts";
import type { ValueRule } from "./value-rule.ts";

const api = "bedrock_converse";
const reference = "Amazon's reference of Converse";

const addDocumentText = (value: unknown): unknown => {
  const message = record(value);
  const blocks = records(message.content);
  const lacksText =
    blocks.some(({ document }) => isRecord(document)) &&
    !blocks.some((block) => text(block.text) !== "");
  return lacksText ? { ...message, content: [{ text: "(document)" }, ...blocks] } : value;
};

/** `orderMarks` puts each mark for the cache before the documents that it stands behind. */
function orderMarks(value: unknown): unknown {
  const blocks = records(value);
  const isMisplaced = (block: JsonRecord, at: number): boolean =>
    isRecord(block.cachePoint) && isRecord(blocks[at - 1]?.document);
  if (!blocks.some(isMisplaced)) return value;
  const ordered: JsonRecord[] = [];
  for (const block of blocks) {
    const behind = ordered.findLastIndex(({ document }) => !isRecord(document)) + 1;
    if (!isRecord(block.cachePoint)) ordered.push(block);
    // A mark marks what stands before it.
    else if (behind > 0) ordered.splice(behind, 0, block);
  }
  return ordered;
}

/**
 * Models of Anthropic, Mistral and Amazon take a forced tool; any other name may stand for one of
 * them.
 */
const refusesToolChoice =
  /^(?:llama|gpt|o\d|deepseek|qwen|glm|kimi|minimax|grok|command|jamba|gemma|palmyra)/;

/** The schema is a text of JSON. */
function closeWritten(value: unknown): unknown {
  const schema = parseObject(text(value));
  const closed = closeForGrammar(schema);
  return closed === schema ? value : JSON.stringify(closed);
}

const lacksContent = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
const spoken: JsonRecord[] = [{ text: noContent }];

export const amazonValueRules: readonly ValueRule[] = [
  ...["messages[].content[].toolUse.toolUseId", "messages[].content[].toolResult.toolUseId"].map(
    (member): ValueRule => ({
      id: "BC1",
      api,
      member,
      refused: "more than 64 characters, or any but letters, digits, `_` and `-`",
      fit: { do: "hash", max: 64, pattern: /^[\w-]+$/, prefix: "call_" },
      certainty: "certain",
      source: reference,
    }),
  ),
  ...[
    "toolConfig.tools[].toolSpec.name",
    "toolConfig.toolChoice.tool.name",
    "messages[].content[].toolUse.name",
  ].map(
    (member): ValueRule => ({
      id: "BC2",
      api,
      member,
      refused:
        "more than 64 characters, a first one that is no letter, any but letters, digits, `_` and `-`",
      fit: { do: "rename", max: 64, pattern: /^[a-zA-Z][\w-]{0,63}$/ },
      certainty: "certain",
      source: reference,
    }),
  ),
  {
    id: "BC3",
    api,
    member: "toolConfig.tools[].toolSpec.inputSchema.json",
    refuses: refusesToolSchema,
    refused: "no `type: object`, alternatives at the root",
    fit: toolSchemaFit,
    certainty: "certain",
    source: "cognitect-labs/aws-api#272",
  },
  {
    id: "AN5",
    api,
    member: "outputConfig.textFormat.structure.jsonSchema.schema",
    refused: "open objects and bounds",
    fit: {
      do: "convert",
      words: "closed objects, and the bounds in the description",
      by: closeWritten,
    },
    certainty: "certain",
    source: "Amazon's guide to structured output",
  },
  {
    id: "BC4",
    api,
    models: new RegExp(`${refusesToolChoice.source}|${neverForced.source}`),
    member: "toolConfig.toolChoice",
    refused: "by models that take no forced tool",
    fit: { do: "drop" },
    certainty: "certain",
    source: "litellm; vercel/ai#21364",
  },
  {
    id: "BC7",
    api,
    member: "messages[].content[].toolResult.content",
    refuses: lacksContent,
    refused: "nothing",
    fit: { do: "set", value: spoken },
    certainty: "certain",
    source: "NousResearch/hermes-agent#55092",
  },
  {
    id: "BC7",
    api,
    models: refusesToolChoice,
    member: "messages[].content[].toolResult.status",
    refused: "by models of others than Anthropic and Amazon",
    fit: { do: "drop" },
    certainty: "certain",
    source: reference,
  },
  {
    id: "BC8",
    api,
    member: "messages",
    refused: "one id for several calls",
    fit: { do: "convert_body", words: "a number behind it", by: numberConverseCalls },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "BC9",
    api,
    member: "messages",
    ...demandUserFirst({ content: spoken }),
    certainty: "certain",
    source: "litellm",
  },
  ...[moveConverseSystemFiles, moveConverseFiles].map(
    (row): ValueRule => ({ id: "OC22", api, ...row, certainty: "certain", source: reference }),
  ),
  {
    id: "BC18",
    api,
    member: "messages[].content",
    refuses: (value) => orderMarks(value) !== value,
    refused: "a mark for the cache right behind a document",
    fit: { do: "convert", words: "the mark before it", by: orderMarks },
    certainty: "certain",
    source: "pizza-bot-app/pizza-bot#6",
  },
  {
    id: "BC11",
    api,
    member: "messages[]",
    refused: "documents without a text beside them",
    fit: { do: "convert", words: "a text beside them", by: addDocumentText },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "BC12",
    api,
    models: /^(?:grok|gpt-(?:5\.[6-9]|[6-9]))/,
    member: "inferenceConfig.stopSequences",
    refused: "by Grok and by GPT from 5.6 on",
    fit: { do: "drop" },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "BC12",
    api,
    member: "inferenceConfig.stopSequences",
    refuses: (value) =>
      Array.isArray(value) && value.some((one) => typeof one === "string" && one.trim() === ""),
    refused: "blank texts",
    fit: { do: "convert", words: "without them", by: (value) => removeEmptyTexts(value) },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "BC13",
    api,
    models: /^(?:gpt|o\d)/,
    member: "inferenceConfig.maxTokens",
    refused: "below 16, by OpenAI's models",
    fit: { do: "clamp", min: 16 },
    certainty: "certain",
    source: "litellm",
  },
  {
    id: "BC14",
    api,
    models: /^(?:gpt-|o\d)/,
    member: "additionalModelRequestFields.reasoning_effort",
    refused: "words that the model does not know",
    fit: {
      do: "convert",
      words: "the nearest that it knows",
      by: (value, { model }) =>
        (isEffort(value) && fitVendorEffort(value, model)) || fitOpenAiEffort(value, model),
    },
    certainty: "certain",
    source: "OpenAI's cards of gpt-oss; pydantic/pydantic-ai#7081",
  },
  {
    id: "AN12",
    api,
    member: "inferenceConfig.temperature",
    refused: "below 0, above 1",
    fit: { do: "clamp", min: 0, max: 1 },
    certainty: "certain",
    source: reference,
  },
  {
    id: "AN13",
    api,
    models: takesOneSampling,
    member: "inferenceConfig.topP",
    refuses: (_, { body }) => record(body.inferenceConfig).temperature !== undefined,
    refused: "beside `temperature`",
    fit: { do: "drop" },
    certainty: "certain",
    source: "aws-samples/bedrock-access-gateway#238",
  },
];
