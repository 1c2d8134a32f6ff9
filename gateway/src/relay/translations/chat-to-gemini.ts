/** Callers of chat completions, served by a channel that speaks Gemini's own interface. */

import { gemini } from "../formats/gemini.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { parsedObject, present, record, records, text } from "../wire/json-parts.ts";
import { dataUrl } from "./chat-parts.ts";
import { GeminiAsChat } from "./gemini-as-chat.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { supportedByGemini } from "./supported-from-chat.ts";
import type { Translation } from "./translation.ts";

function body(json: JsonRecord, model: string): JsonRecord {
  const messages = records(json.messages);
  const isSystem = ({ role }: JsonRecord) => role === "system" || role === "developer";
  const system = messages.filter(isSystem).flatMap(({ content }) => partsOf(content));
  const tools = records(json.tools).flatMap(declaration);
  return present({
    contents: conversation(
      messages.filter((message) => !isSystem(message)),
      model,
    ),
    systemInstruction: system.length > 0 ? { parts: system } : undefined,
    generationConfig: generationConfig(json, model),
    tools: tools.length > 0 ? [{ functionDeclarations: tools }] : undefined,
    toolConfig: tools.length > 0 ? toolConfig(json.tool_choice) : undefined,
  });
}

/** Neighbours of one role become one turn: results of calls that were made together must come back together. */
function conversation(messages: readonly JsonRecord[], model: string): JsonRecord[] {
  const turns: { role: string; parts: JsonRecord[] }[] = [];
  /** A result names the call over here, and the function over there. */
  const functionNames = new Map<string, unknown>();
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = message.role === "tool" ? resultParts(message, functionNames) : partsOf(message.content);
    if (role === "model") parts.push(...callParts(message, functionNames, model));
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts });
  }
  return turns;
}

/** These models refuse a call of theirs without its signature; Google lets calls from elsewhere pass with this one. */
const signsToolCalls = /gemini-(?:[3-9]|\d\d)/;
const placeholderSignature = "skip_thought_signature_validator";

function callParts(message: JsonRecord, functionNames: Map<string, unknown>, model: string): JsonRecord[] {
  return records(message.tool_calls).map((call, index) => {
    const { name, arguments: args } = record(call.function);
    functionNames.set(text(call.id), name);
    const signature = record(record(call.extra_content).google).thought_signature;
    // Of calls that were made together only the first is signed.
    const thoughtSignature =
      signature ?? (index === 0 && signsToolCalls.test(model) ? placeholderSignature : undefined);
    return present({ functionCall: { name, args: parsedObject(text(args)) }, thoughtSignature });
  });
}

function resultParts(
  { tool_call_id, name, content }: JsonRecord,
  functionNames: ReadonlyMap<string, unknown>,
): JsonRecord[] {
  const parts = partsOf(content);
  const resultText = parts.map((part) => text(part.text)).join("\n");
  const object = parsedObject(resultText);
  const response = Object.keys(object).length > 0 ? object : { result: resultText };
  const fileParts = parts.filter((part) => part.text === undefined);
  return [
    { functionResponse: { name: functionNames.get(text(tool_call_id)) ?? name ?? "unknown", response } },
    ...fileParts,
  ];
}

function partsOf(content: unknown): JsonRecord[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  return records(content).flatMap((part) => {
    switch (part.type) {
      case "text":
        return text(part.text) === "" ? [] : [{ text: part.text }];
      case "refusal":
        return [{ text: text(part.refusal) }];
      case "image_url":
        return [filePart(text(record(part.image_url).url))];
      case "file":
        return [filePart(text(record(part.file).file_data))];
      case "input_audio": {
        const { data, format } = record(part.input_audio);
        return [{ inlineData: { mimeType: `audio/${text(format)}`, data: text(data) } }];
      }
      default:
        return [];
    }
  });
}

const imageTypes: Readonly<Record<string, string>> = { jpg: "jpeg", jpeg: "jpeg", png: "png", webp: "webp" };

function filePart(url: string): JsonRecord {
  const inline = dataUrl(url);
  if (inline) return { inlineData: { mimeType: inline.mediaType, data: inline.data } };
  const type = imageTypes[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ""];
  return { fileData: present({ fileUri: url, mimeType: type && `image/${type}` }) };
}

function generationConfig(json: JsonRecord, model: string): JsonRecord {
  const format = record(json.response_format);
  const schema = record(format.json_schema).schema;
  return present({
    maxOutputTokens: json.max_completion_tokens ?? json.max_tokens,
    temperature: json.temperature,
    topP: json.top_p,
    topK: json.top_k,
    seed: json.seed,
    presencePenalty: json.presence_penalty,
    frequencyPenalty: json.frequency_penalty,
    stopSequences: typeof json.stop === "string" ? [json.stop] : json.stop,
    candidateCount: json.n,
    responseMimeType: schema !== undefined || format.type === "json_object" ? "application/json" : undefined,
    responseJsonSchema: withoutSchemaUri(schema),
    thinkingConfig: thinkingConfig(text(json.reasoning_effort), model),
  });
}

/** What Google's own interface for chat completions makes of an effort. */
const budgets: Readonly<Record<string, number>> = { none: 0, minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576 };
const levels: Readonly<Record<string, string>> = {
  none: "low",
  minimal: "low",
  low: "low",
  medium: "high",
  high: "high",
};

function thinkingConfig(effort: string, model: string): JsonRecord | undefined {
  const thinkingBudget = budgets[effort];
  if (thinkingBudget === undefined) return undefined;
  const includeThoughts = thinkingBudget > 0;
  return signsToolCalls.test(model)
    ? { thinkingLevel: levels[effort], includeThoughts }
    : { thinkingBudget, includeThoughts };
}

/** Whole JSON schemas have members of their own names; the older ones know a part of the language alone. */
function declaration({ type, function: definition }: JsonRecord): JsonRecord[] {
  if (type !== "function") return [];
  const { name, description, parameters } = record(definition);
  return [present({ name, description, parametersJsonSchema: withoutSchemaUri(parameters) })];
}

function withoutSchemaUri(schema: unknown): unknown {
  if (schema === undefined || schema === null) return undefined;
  const { $schema: _, ...schemaFields } = record(schema);
  return schemaFields;
}

function toolConfig(choice: unknown): JsonRecord | undefined {
  const { name } = record(record(choice).function);
  if (name !== undefined) return { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [name] } };
  if (choice === "none") return { functionCallingConfig: { mode: "NONE" } };
  return choice === "required" ? { functionCallingConfig: { mode: "ANY" } } : undefined;
}

export const chatToGemini: Translation = {
  target: gemini.upstream,
  translateRequest: body,
  createReplyTranslator: (call) => new GeminiAsChat(call),
  droppedFields: (json) => droppedFieldsOf(json, supportedByGemini(Object.keys(budgets))),
};
