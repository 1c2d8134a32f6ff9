/** Callers of chat completions, served by a channel that speaks Bedrock's Converse. */

import { bedrockConverse } from "../formats/bedrock-converse.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { parsedObject, present, record, records, text } from "../wire/json-parts.ts";
import { dataUrl } from "./chat-parts.ts";
import { ConverseAsChat } from "./converse-as-chat.ts";
import { isResponsesReasoning } from "./encrypted-reasoning.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { supportedByConverse } from "./supported-from-chat.ts";
import type { Translation } from "./translation.ts";

const maxTemperature = 1;

function body(json: JsonRecord, model: string): JsonRecord {
  const messages = records(json.messages);
  const isSystem = ({ role }: JsonRecord) => role === "system" || role === "developer";
  // Pictures have no place there.
  const system = messages
    .filter(isSystem)
    .flatMap(({ content }) => blocksIn(content, new Map()))
    .filter((block) => block.text !== undefined || block.cachePoint !== undefined);
  const turns = conversation(
    messages.filter((message) => !isSystem(message)),
    model,
  );
  const inferenceConfig = present({
    maxTokens: json.max_completion_tokens ?? json.max_tokens,
    temperature: typeof json.temperature === "number" ? Math.min(json.temperature, maxTemperature) : undefined,
    topP: json.top_p,
    stopSequences: typeof json.stop === "string" ? [json.stop] : json.stop,
  });
  return present({
    messages: turns,
    system: system.length > 0 ? system : undefined,
    inferenceConfig: Object.keys(inferenceConfig).length > 0 ? inferenceConfig : undefined,
    toolConfig: toolConfig(json, turns),
    additionalModelRequestFields:
      acceptsEffort(model) && json.reasoning_effort ? { reasoning_effort: json.reasoning_effort } : undefined,
    outputConfig: outputConfig(json),
  });
}

/** Models of OpenAI get what else they know under its own name. */
export const acceptsEffort = (model: string): boolean => /(^|[./])openai\./.test(model);

/**
 * An id that says whose model it is, as in `us.amazon.nova-pro-v1:0`. Anthropic's have an interface of their own, so it
 * is somebody else's, who would refuse signed thoughts; behind any other name may be one of Anthropic's after all.
 */
const namesVendor = /(?:^|[./])[a-z][a-z0-9]*\.[a-z]/;
export const acceptsSignedReasoning = (model: string): boolean => !namesVendor.test(model);

/** How often each name of a document has been used: two of one name are refused. */
type DocumentNameCounts = Map<string, number>;

/** Neighbours of one role become one message: the roles must alternate, and tool results are said by the user. */
function conversation(messages: readonly JsonRecord[], model: string): JsonRecord[] {
  const turns: { role: string; content: JsonRecord[] }[] = [];
  const names: DocumentNameCounts = new Map();
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const content = contentBlocks(message, names, model);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function contentBlocks(message: JsonRecord, names: DocumentNameCounts, model: string): JsonRecord[] {
  const blocks = blocksIn(message.content, names);
  if (message.role === "tool") {
    // A mark stands behind a result, never in it.
    const isMark = (block: JsonRecord) => block.cachePoint !== undefined;
    const content = blocks.filter((block) => !isMark(block));
    return [
      { toolResult: { toolUseId: toolUseId(message.tool_call_id), content } },
      ...blocks.filter(isMark).slice(-1),
    ];
  }
  if (message.role !== "assistant") return blocks;
  const calls = records(message.tool_calls).map(({ id, function: calledFunction }) => {
    const { name, arguments: args } = record(calledFunction);
    return { toolUse: { toolUseId: toolUseId(id), name, input: parsedObject(text(args)) } };
  });
  const reasoningBlocks = acceptsSignedReasoning(model) ? records(message.thinking_blocks).flatMap(reasoningBlock) : [];
  return [...reasoningBlocks, ...blocks, ...calls];
}

const callIdMax = 64;
/** Other providers have signs in their ids that are refused there. */
const toolUseId = (id: unknown): string =>
  text(id)
    .replaceAll(/[^\w-]/g, "_")
    .slice(0, callIdMax);

function reasoningBlock(block: JsonRecord): JsonRecord[] {
  const { type, thinking, signature, data } = block;
  if (isResponsesReasoning(block)) return [];
  if (type === "redacted_thinking") return [{ reasoningContent: { redactedContent: data } }];
  if (type !== "thinking") return [];
  return [{ reasoningContent: { reasoningText: present({ text: thinking, signature: signature || undefined }) } }];
}

function blocksIn(content: unknown, names: DocumentNameCounts): JsonRecord[] {
  // Blank texts are refused there.
  if (typeof content === "string") return content.trim() === "" ? [] : [{ text: content }];
  return records(content).flatMap((part) => [...blockOf(part, names), ...cachePoint(part.cache_control)]);
}

function blockOf(part: JsonRecord, names: DocumentNameCounts): JsonRecord[] {
  switch (part.type) {
    case "text":
      return text(part.text).trim() === "" ? [] : [{ text: part.text }];
    case "refusal":
      return [{ text: text(part.refusal) }];
    case "image_url":
      return [imageBlock(text(record(part.image_url).url))];
    case "file":
      return documentBlock(record(part.file), names);
    default:
      return [];
  }
}

/** A mark that the prompt up to here is to be cached, which is a block of its own there. */
function cachePoint(cacheControl: unknown): JsonRecord[] {
  if (record(cacheControl).type !== "ephemeral") return [];
  return [{ cachePoint: present({ type: "default", ttl: record(cacheControl).ttl }) }];
}

/** Nobody fetches addresses there but those of Amazon's storage: of others the model sees the address. */
function imageBlock(url: string): JsonRecord {
  const inline = dataUrl(url);
  if (inline) return { image: { format: formatOf(inline.mediaType), source: { bytes: inline.data } } };
  if (!url.startsWith("s3://")) return { text: url };
  return { image: { format: formatOf(/\.(\w+)$/.exec(url)?.[1] ?? ""), source: { s3Location: { uri: url } } } };
}

function formatOf(type: string): string {
  const format = type.replace(/^image\//, "").toLowerCase();
  return format === "jpg" ? "jpeg" : format;
}

const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/csv": "csv",
  "text/html": "html",
  "text/markdown": "md",
};
const documentNameMax = 190;

function documentBlock({ file_data, filename }: JsonRecord, names: DocumentNameCounts): JsonRecord[] {
  const inline = dataUrl(text(file_data));
  if (!inline) return [];
  const format = documentFormats[inline.mediaType] ?? "txt";
  return [{ document: { format, name: documentName(text(filename), names), source: { bytes: inline.data } } }];
}

/** Letters, digits, single spaces, hyphens and brackets are all that a name may have. */
function documentName(filename: string, names: DocumentNameCounts): string {
  const stem = filename.replace(/\.\w+$/, "").replaceAll(/[^A-Za-z0-9()[\]-]+/g, " ");
  const name = stem.trim().slice(0, documentNameMax) || "document";
  const times = (names.get(name) ?? 0) + 1;
  names.set(name, times);
  return times === 1 ? name : `${name} (${times})`;
}

/** Whoever has called tools must still be told of them, even when it may call none. */
function toolConfig({ tools, tool_choice }: JsonRecord, turns: readonly JsonRecord[]): JsonRecord | undefined {
  const definitions = records(tools).flatMap(tool);
  const calledFunction = new Set(
    turns.flatMap(({ content }) => records(content).map(({ toolUse }) => record(toolUse).name)),
  );
  calledFunction.delete(undefined);
  const hasOfferedTools = definitions.length > 0 && tool_choice !== "none";
  if (!hasOfferedTools && calledFunction.size === 0) return undefined;
  const undefinedTools = [...calledFunction].map((name) => ({ toolSpec: { name, inputSchema: { json: anyObject } } }));
  return present({
    tools: definitions.length > 0 ? definitions : undefinedTools,
    toolChoice: hasOfferedTools ? toolChoice(tool_choice) : undefined,
  });
}

const anyObject = { type: "object", properties: {} };

function tool({ type, function: definitions }: JsonRecord): JsonRecord[] {
  if (type !== "function") return [];
  const { name, description, parameters, cache_control } = record(definitions);
  const inputSchema = { json: parameters ?? anyObject };
  const toolSpec = present({ name, description: description || undefined, inputSchema });
  return [{ toolSpec }, ...cachePoint(cache_control)];
}

function toolChoice(choice: unknown): JsonRecord | undefined {
  const { name } = record(record(choice).function);
  if (name !== undefined) return { tool: { name } };
  return choice === "required" ? { any: {} } : undefined;
}

function outputConfig({ response_format }: JsonRecord): JsonRecord | undefined {
  const { schema, name, description } = record(record(response_format).json_schema);
  if (schema === undefined) return undefined;
  const jsonSchema = present({ schema: JSON.stringify(schema), name, description });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

export const chatToConverse: Translation = {
  target: bedrockConverse,
  translateRequest: body,
  createReplyTranslator: (call) => new ConverseAsChat(call),
  droppedFields: (json, model) =>
    droppedFieldsOf(json, supportedByConverse(acceptsEffort(model), acceptsSignedReasoning(model))),
};
