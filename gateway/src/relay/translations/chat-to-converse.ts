/** Requests of chat completions for Bedrock's Converse. */

import { bedrockConverse } from "../formats/bedrock-converse.ts";
import {
  type JsonRecord,
  parseObject,
  present,
  record,
  records,
  text,
} from "../wire/json-parts.ts";
import { composeDataUrl } from "./chat-parts.ts";
import {
  readCallFields,
  readContent,
  readFunctionCalls,
  readFunctions,
  readImageUrl,
  readMessages,
  readResponseFormat,
  readStop,
  readTokenLimit,
  readToolChoice,
} from "./chat-request.ts";
import { ConverseAsChat } from "./converse-as-chat.ts";
import { isForeignReasoning } from "./encrypted-reasoning.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader, model: string): JsonRecord {
  readCallFields(request);
  request.allow("n", 1);
  // Models call tools in parallel by themselves.
  request.allow("parallel_tool_calls", true);
  const { system, messages } = readMessages(request);
  const names: DocumentNames = new Set();
  const systemBlocks = system.flatMap((message) => translateContentBlocks(message, names));
  const turns = translateConversation(messages, names, model);
  const { temperature, top_p } = request.read("temperature", "top_p");
  const inferenceConfig = present({
    maxTokens: readTokenLimit(request),
    temperature,
    topP: top_p,
    stopSequences: readStop(request),
  });
  const reasoning_effort = acceptsEffort(model) ? request.get("reasoning_effort") : undefined;
  return present({
    messages: turns,
    system: systemBlocks.length > 0 ? systemBlocks : undefined,
    inferenceConfig: Object.keys(inferenceConfig).length > 0 ? inferenceConfig : undefined,
    toolConfig: translateToolConfig(request, turns),
    additionalModelRequestFields: reasoning_effort ? { reasoning_effort } : undefined,
    outputConfig: translateOutputConfig(request),
  });
}

/** OpenAI's models take further fields under their own names. */
export const acceptsEffort = (model: string): boolean => /(^|[./])openai\./.test(model);

/**
 * An id that names its vendor, as in `us.amazon.nova-pro-v1:0`. Anthropic's models have their own
 * API, so such an id is another vendor's, whose models refuse signed reasoning. Any other name may
 * stand for a model of Anthropic.
 */
const namesVendor = /(?:^|[./])[a-z][a-z0-9]*\.[a-z]/;
export const acceptsSignedReasoning = (model: string): boolean => !namesVendor.test(model);

/** `DocumentNames` are those that have been used: Converse refuses two of one name. */
type DocumentNames = Set<string>;

/**
 * Consecutive messages of one role become one message: roles must alternate, and the user sends
 * tool results.
 */
function translateConversation(
  messages: readonly FieldReader[],
  names: DocumentNames,
  model: string,
): JsonRecord[] {
  const turns: { role: string; content: JsonRecord[] }[] = [];
  for (const message of messages) {
    const role = message.json.role === "assistant" ? "assistant" : "user";
    const content = translateMessageBlocks(message, names, model);
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...content);
    else if (content.length > 0) turns.push({ role, content });
  }
  return turns;
}

function translateMessageBlocks(
  message: FieldReader,
  names: DocumentNames,
  model: string,
): JsonRecord[] {
  const blocks = translateContentBlocks(message, names);
  const { role } = message.json;
  if (role === "tool") {
    // A cache point follows a result and is never inside it.
    const isMark = (block: JsonRecord) => block.cachePoint !== undefined;
    const content = blocks.filter((block) => !isMark(block));
    const result = present({
      toolUseId: text(message.get("tool_call_id")),
      content,
      status: message.get("is_error") === true ? "error" : undefined,
    });
    return [{ toolResult: result }, ...blocks.filter(isMark).slice(-1)];
  }
  if (role !== "assistant") return blocks;
  const calls = readFunctionCalls(message).map(({ id, name, argumentsText }) => ({
    toolUse: { toolUseId: text(id), name, input: parseObject(text(argumentsText)) },
  }));
  const reasoning = acceptsSignedReasoning(model)
    ? message.objects("thinking_blocks").flatMap(translateReasoningBlock)
    : [];
  return [...reasoning, ...blocks, ...calls];
}

function translateReasoningBlock(block: FieldReader): JsonRecord[] {
  if (isForeignReasoning(block.json)) {
    block.drop("");
    return [];
  }
  const { type, thinking, signature, data } = block.readAll();
  if (type === "redacted_thinking") return [{ reasoningContent: { redactedContent: data } }];
  if (type !== "thinking") return [];
  return [
    {
      reasoningContent: {
        reasoningText: present({ text: thinking, signature: signature || undefined }),
      },
    },
  ];
}

function translateContentBlocks(message: FieldReader, names: DocumentNames): JsonRecord[] {
  const content = readContent(message);
  // Blank texts are refused.
  if (typeof content === "string") return content.trim() === "" ? [] : [{ text: content }];
  return content.flatMap((part) => [
    ...translateContentBlock(part, names),
    ...translateCachePoint(part.get("cache_control")),
  ]);
}

function translateContentBlock(part: FieldReader, names: DocumentNames): JsonRecord[] {
  switch (part.get("type")) {
    case "text": {
      const content = part.get("text");
      return text(content).trim() === "" ? [] : [{ text: content }];
    }
    case "refusal":
      return [{ text: text(part.get("refusal")) }];
    case "image_url":
      return [translateImageBlock(readImageUrl(part))];
    case "file":
      return translateDocumentBlock(part.object("file"), names);
    default:
      part.drop();
      return [];
  }
}

/** Marks the prompt up to here for the cache, which is a block of its own in Converse. */
function translateCachePoint(cacheControl: unknown): JsonRecord[] {
  if (record(cacheControl).type !== "ephemeral") return [];
  return [{ cachePoint: present({ type: "default", ttl: record(cacheControl).ttl }) }];
}

/** Bedrock fetches only `s3://` URLs. The model sees any other URL as text. */
function translateImageBlock(url: string): JsonRecord {
  const inline = composeDataUrl(url);
  if (inline)
    return { image: { format: nameFormat(inline.mediaType), source: { bytes: inline.data } } };
  if (!url.startsWith("s3://")) return { text: url };
  return {
    image: {
      format: nameFormat(/\.(\w+)$/.exec(url)?.[1] ?? ""),
      source: { s3Location: { uri: url } },
    },
  };
}

function nameFormat(type: string): string {
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

function translateDocumentBlock(file: FieldReader, names: DocumentNames): JsonRecord[] {
  const { file_data, filename } = file.read("file_data", "filename");
  const inline = composeDataUrl(text(file_data));
  if (!inline) return [];
  if (inline.mediaType.startsWith("image/")) return [translateImageBlock(text(file_data))];
  const format = documentFormats[inline.mediaType] ?? "txt";
  return [
    {
      document: {
        format,
        name: formatDocumentName(text(filename), names),
        source: { bytes: inline.data },
      },
    },
  ];
}

/** A name may have letters, digits, single spaces, hyphens and brackets. */
function formatDocumentName(filename: string, names: DocumentNames): string {
  const stem = filename.replace(/\.\w+$/, "").replaceAll(/[^A-Za-z0-9()[\]-]+/g, " ");
  const name = stem.trim().slice(0, documentNameMax).trim() || "document";
  let unique = name;
  for (let times = 2; names.has(unique); times += 1) unique = `${name} (${times})`;
  names.add(unique);
  return unique;
}

/**
 * A conversation with tool calls requires the definitions of those tools, even when the model may
 * call none.
 */
function translateToolConfig(
  request: FieldReader,
  turns: readonly JsonRecord[],
): JsonRecord | undefined {
  const definitions = readFunctions(request).flatMap(translateTool);
  const { choice, name } = readToolChoice(request);
  const called = new Set(
    turns.flatMap(({ content }) => records(content).map(({ toolUse }) => record(toolUse).name)),
  );
  called.delete(undefined);
  const hasOfferedTools = definitions.length > 0 && choice !== "none";
  if (!hasOfferedTools && called.size === 0) return undefined;
  const undefinedTools = [...called].map((toolName) => ({
    toolSpec: { name: toolName, inputSchema: { json: anyObject } },
  }));
  return present({
    tools: definitions.length > 0 ? definitions : undefinedTools,
    toolChoice: hasOfferedTools ? translateToolChoice(choice, name) : undefined,
  });
}

const anyObject = { type: "object", properties: {} };

function translateTool(definition: FieldReader): JsonRecord[] {
  const { name, description, parameters, cache_control } = definition.read(
    "name",
    "description",
    "parameters",
    "cache_control",
  );
  const inputSchema = { json: parameters ?? anyObject };
  const toolSpec = present({ name, description: description || undefined, inputSchema });
  return [{ toolSpec }, ...translateCachePoint(cache_control)];
}

function translateToolChoice(choice: unknown, name: unknown): JsonRecord | undefined {
  if (name !== undefined) return { tool: { name } };
  return choice === "required" ? { any: {} } : undefined;
}

function translateOutputConfig(request: FieldReader): JsonRecord | undefined {
  const { schema: definition } = readResponseFormat(request, "text", "json_schema");
  const { schema, name, description } = definition.read("schema", "name", "description");
  if (schema === undefined) return undefined;
  const jsonSchema = present({ schema: JSON.stringify(schema), name, description });
  return { textFormat: { type: "json_schema", structure: { jsonSchema } } };
}

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  "inferenceConfig.topP": "top_p",
  "inferenceConfig.stopSequences": "stop",
  "toolConfig.toolChoice": "tool_choice",
  "messages.content.toolResult.status": "messages.is_error",
};

export const chatToConverse: Translation = {
  target: bedrockConverse,
  translateRequest,
  sourceFields,
  createReplyTranslator: (call) => new ConverseAsChat(call),
};
