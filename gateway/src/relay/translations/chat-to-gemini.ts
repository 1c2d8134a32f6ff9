/** Requests of chat completions for Gemini's API. */

import { gemini } from "../formats/gemini.ts";
import { type Effort, efforts, fitGoogleLevel, isEffort } from "../value-rules/thinking-effort.ts";
import { type JsonRecord, parseObject, present, record, text } from "../wire/json-parts.ts";
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
import { GeminiAsChat } from "./gemini-as-chat.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader, model: string): JsonRecord {
  readCallFields(request);
  const { logprobs, top_logprobs } = request.read("logprobs", "top_logprobs");
  const likeliest = logprobs === true ? { responseLogprobs: true, logprobs: top_logprobs } : {};
  // Google's models call tools in parallel by themselves.
  request.allow("parallel_tool_calls", true);
  const { system, messages } = readMessages(request);
  const systemParts = system.flatMap((message) => listParts(message));
  const tools = readFunctions(request).map(translateDeclaration);
  const { choice, name } = readToolChoice(request);
  return present({
    contents: translateConversation(messages, model),
    systemInstruction: systemParts.length > 0 ? { parts: systemParts } : undefined,
    generationConfig: present({ ...translateGenerationConfig(request, model), ...likeliest }),
    tools: tools.length > 0 ? [{ functionDeclarations: tools }] : undefined,
    toolConfig: tools.length > 0 ? translateToolConfig(choice, name) : undefined,
  });
}

/**
 * Consecutive messages of one role become one turn: results of calls that were made together must
 * be sent together.
 */
function translateConversation(messages: readonly FieldReader[], model: string): JsonRecord[] {
  const turns: { role: string; parts: JsonRecord[] }[] = [];
  /** Function names by call id: Google's results name the function. */
  const functionNames = new Map<string, unknown>();
  for (const message of messages) {
    const role = message.json.role === "assistant" ? "model" : "user";
    const parts =
      message.json.role === "tool"
        ? translateResultParts(message, functionNames)
        : listParts(message);
    // Models that draw continue with the pictures of earlier turns.
    if (role === "model")
      parts.push(...translateDrawnParts(message), ...callParts(message, functionNames, model));
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts });
  }
  return turns;
}

const translateDrawnParts = (message: FieldReader): JsonRecord[] =>
  message.objects("images").flatMap((image) => {
    image.read("type", "index");
    return [translateFilePart(readImageUrl(image))];
  });

/**
 * `signsToolCalls` are models that refuse a call without its signature. Google accepts the
 * placeholder for calls that another model made.
 */
const signsToolCalls = /gemini-(?:[3-9]|\d\d)/;
const placeholderSignature = "skip_thought_signature_validator";

function callParts(
  message: FieldReader,
  functionNames: Map<string, unknown>,
  model: string,
): JsonRecord[] {
  return readFunctionCalls(message).map(({ id, name, argumentsText, call }, index) => {
    functionNames.set(text(id), name);
    const signature = record(record(call.get("extra_content")).google).thought_signature;
    // Of calls that were made together only the first is signed.
    const thoughtSignature =
      signature ?? (index === 0 && signsToolCalls.test(model) ? placeholderSignature : undefined);
    return present({
      functionCall: { name, args: parseObject(text(argumentsText)) },
      thoughtSignature,
    });
  });
}

function translateResultParts(
  message: FieldReader,
  functionNames: ReadonlyMap<string, unknown>,
): JsonRecord[] {
  const { tool_call_id, name } = message.read("tool_call_id", "name");
  const parts = listParts(message);
  const resultText = parts.map((part) => text(part.text)).join("\n");
  const object = parseObject(resultText);
  const isFailure = message.get("is_error") === true && object.error === undefined;
  const result = isFailure ? { error: resultText } : { result: resultText };
  const response = Object.keys(object).length > 0 && !isFailure ? object : result;
  const fileParts = parts.filter((part) => part.text === undefined);
  return [
    {
      functionResponse: {
        name: functionNames.get(text(tool_call_id)) ?? name ?? "unknown",
        response,
      },
    },
    ...fileParts,
  ];
}

function listParts(message: FieldReader): JsonRecord[] {
  const content = readContent(message);
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  return content.flatMap(translateContentPart);
}

function translateContentPart(part: FieldReader): JsonRecord[] {
  switch (part.get("type")) {
    case "text": {
      const content = part.get("text");
      return text(content) === "" ? [] : [{ text: content }];
    }
    case "refusal":
      return [{ text: text(part.get("refusal")) }];
    case "image_url":
      return [translateFilePart(readImageUrl(part))];
    case "file": {
      const file = part.object("file");
      // Gemini has no file names; other translations give these to a file that has none.
      file.allow("filename", "document", "document.pdf");
      return [translateFilePart(text(file.get("file_data")))];
    }
    case "input_audio": {
      const { data, format } = record(part.get("input_audio"));
      return [{ inlineData: { mimeType: `audio/${text(format)}`, data: text(data) } }];
    }
    default:
      part.drop();
      return [];
  }
}

const imageTypes: Readonly<Record<string, string>> = {
  jpg: "jpeg",
  jpeg: "jpeg",
  png: "png",
  webp: "webp",
};

function translateFilePart(url: string): JsonRecord {
  const inline = composeDataUrl(url);
  if (inline) return { inlineData: { mimeType: inline.mediaType, data: inline.data } };
  const type = imageTypes[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ""];
  return { fileData: present({ fileUri: url, mimeType: type && `image/${type}` }) };
}

function translateGenerationConfig(request: FieldReader, model: string): JsonRecord {
  const { temperature, top_p, top_k, seed, presence_penalty, frequency_penalty, n } = request.read(
    "temperature",
    "top_p",
    "top_k",
    "seed",
    "presence_penalty",
    "frequency_penalty",
    "n",
  );
  const format = readResponseFormat(request, "text", "json_object", "json_schema");
  const schema = format.schema.get("schema");
  request.allow("reasoning_effort", ...efforts);
  return present({
    maxOutputTokens: readTokenLimit(request),
    temperature,
    topP: top_p,
    topK: top_k,
    seed,
    presencePenalty: presence_penalty,
    frequencyPenalty: frequency_penalty,
    stopSequences: readStop(request),
    candidateCount: n,
    responseMimeType:
      schema !== undefined || format.type === "json_object" ? "application/json" : undefined,
    responseJsonSchema: stripSchemaUri(schema),
    thinkingConfig: translateThinkingConfig(request.json.reasoning_effort, model),
  });
}

/**
 * The budgets that Google's own endpoint for chat completions uses for an effort; it knows none
 * above `high`.
 */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 1_024,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 24_576,
  max: 24_576,
};

function translateThinkingConfig(effort: unknown, model: string): JsonRecord | undefined {
  if (!isEffort(effort)) return undefined;
  const includeThoughts = effort !== "none";
  return signsToolCalls.test(model)
    ? { thinkingLevel: fitGoogleLevel(effort, model), includeThoughts }
    : { thinkingBudget: budgets[effort], includeThoughts };
}

/**
 * Gemini takes whole JSON schemas in fields of their own; the older fields support only a part of
 * the language.
 */
function translateDeclaration(definition: FieldReader): JsonRecord {
  const { name, description, parameters } = definition.read("name", "description", "parameters");
  return present({ name, description, parametersJsonSchema: stripSchemaUri(parameters) });
}

function stripSchemaUri(schema: unknown): unknown {
  if (schema === undefined || schema === null) return undefined;
  const { $schema: _, ...schemaFields } = record(schema);
  return schemaFields;
}

function translateToolConfig(choice: unknown, name: unknown): JsonRecord | undefined {
  if (name !== undefined)
    return { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [name] } };
  if (choice === "none") return { functionCallingConfig: { mode: "NONE" } };
  return choice === "required" ? { functionCallingConfig: { mode: "ANY" } } : undefined;
}

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  "generationConfig.temperature": "temperature",
  "generationConfig.topP": "top_p",
  "generationConfig.topK": "top_k",
  "generationConfig.presencePenalty": "presence_penalty",
  "generationConfig.frequencyPenalty": "frequency_penalty",
  "generationConfig.stopSequences": "stop",
  "generationConfig.thinkingConfig": "reasoning_effort",
};

export const chatToGemini: Translation = {
  target: gemini.upstream,
  translateRequest,
  sourceFields,
  createReplyTranslator: (call) => new GeminiAsChat(call),
};
