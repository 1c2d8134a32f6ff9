/** Callers of Gemini's own interface, such as its command line, served by a channel that speaks chat completions. */

import { chatCompletions } from "../formats/chat-completions.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { present, record, records, text } from "../wire/json-parts.ts";
import { ChatAsGemini } from "./chat-as-gemini.ts";
import { chatContent, isReasoningModel, tokenLimitField } from "./chat-parts.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { geminiFieldsSupportedByChat, geminiSourceFields } from "./supported-from-gemini.ts";
import type { Translation } from "./translation.ts";

function body(json: JsonRecord, model: string, isStream?: boolean): JsonRecord {
  const config = record(json.generationConfig ?? json.generation_config);
  const system = records(record(json.systemInstruction ?? json.system_instruction).parts).flatMap(contentPart);
  const tools = records(json.tools).flatMap((tool) => records(tool.functionDeclarations).map(chatTool));
  const isReasoning = isReasoningModel(model);
  return present({
    model,
    messages: [...(system.length > 0 ? [{ role: "system", content: chatContent(system) }] : []), ...conversation(json)],
    [tokenLimitField(model)]: config.maxOutputTokens,
    stream: isStream ? true : undefined,
    stream_options: isStream ? { include_usage: true } : undefined,
    temperature: isReasoning ? undefined : config.temperature,
    top_p: isReasoning ? undefined : config.topP,
    n: config.candidateCount,
    seed: config.seed,
    presence_penalty: config.presencePenalty,
    frequency_penalty: config.frequencyPenalty,
    stop: config.stopSequences,
    response_format: responseFormat(config),
    reasoning_effort: isReasoning ? effortOf(record(config.thinkingConfig)) : undefined,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toolChoice(json) : undefined,
  });
}

function conversation({ contents }: JsonRecord): JsonRecord[] {
  let calls = 0;
  /** Over here results may name the function alone: the oldest call of it that has none is meant. */
  const openCalls: { id: string; name: string }[] = [];

  function toolCall({ functionCall }: JsonRecord): JsonRecord {
    const { id: said, name: calledName, args } = record(functionCall);
    calls += 1;
    const id = text(said) || `call_${calls}`;
    const name = text(calledName);
    openCalls.push({ id, name });
    return { id, type: "function", function: { name, arguments: JSON.stringify(record(args)) } };
  }

  function toolResult({ functionResponse }: JsonRecord): JsonRecord {
    const { id, name, response } = record(functionResponse);
    const at = openCalls.findIndex((call) => (text(id) ? call.id === id : call.name === name));
    const [answeredCall] = at < 0 ? [] : openCalls.splice(at, 1);
    return {
      role: "tool",
      tool_call_id: answeredCall?.id ?? (text(id) || text(name)),
      content: JSON.stringify(response ?? {}),
    };
  }

  return records(contents).flatMap(({ role, parts: said }) => {
    const parts = records(said).filter(({ thought }) => thought !== true);
    const content = parts.flatMap(contentPart);
    if (role === "model") {
      const tool_calls = parts.filter(isFunctionCall).map(toolCall);
      if (content.length === 0 && tool_calls.length === 0) return [];
      const textContent = content.map((part) => text(part.text)).join("");
      return [
        present({
          role: "assistant",
          content: textContent || null,
          tool_calls: tool_calls.length > 0 ? tool_calls : null,
        }),
      ];
    }
    const results = parts.filter(({ functionResponse }) => functionResponse !== undefined).map(toolResult);
    return [...results, ...(content.length > 0 ? [{ role: "user", content: chatContent(content) }] : [])];
  });
}

const isFunctionCall = ({ functionCall }: JsonRecord): boolean => functionCall !== undefined;

function contentPart(part: JsonRecord): JsonRecord[] {
  if (typeof part.text === "string") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  const inline = record(part.inlineData ?? part.inline_data);
  if (typeof inline.data === "string") return [inlinePart(text(inline.mimeType ?? inline.mime_type), inline.data)];
  const { fileUri } = record(part.fileData);
  return typeof fileUri === "string" ? [{ type: "image_url", image_url: { url: fileUri } }] : [];
}

function inlinePart(mimeType: string, data: string): JsonRecord {
  const url = `data:${mimeType};base64,${data}`;
  if (mimeType.startsWith("image/")) return { type: "image_url", image_url: { url } };
  const [, format] = /^audio\/(?:x-)?(\w+)/.exec(mimeType) ?? [];
  if (format) return { type: "input_audio", input_audio: { data, format: format === "mpeg" ? "mp3" : format } };
  return { type: "file", file: { filename: "document", file_data: url } };
}

function chatTool({ name, description, parametersJsonSchema, parameters }: JsonRecord): JsonRecord {
  const schema = parametersJsonSchema ?? jsonSchema(parameters);
  return { type: "function", function: present({ name, description, parameters: schema }) };
}

/** Google's own schemas are JSON schemas whose types are in capitals. */
function jsonSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(jsonSchema);
  if (typeof schema !== "object" || schema === null) return schema;
  const members = Object.entries(schema).map(([name, value]) => {
    return [name, name === "type" && typeof value === "string" ? value.toLowerCase() : jsonSchema(value)];
  });
  return Object.fromEntries(members);
}

function responseFormat({ responseMimeType, responseJsonSchema, responseSchema }: JsonRecord): JsonRecord | undefined {
  const schema = responseJsonSchema ?? jsonSchema(responseSchema);
  if (schema !== undefined && schema !== null) return { type: "json_schema", json_schema: { name: "answer", schema } };
  return responseMimeType === "application/json" ? { type: "json_object" } : undefined;
}

const mediumFrom = 2_048;
const highFrom = 16_384;

function effortOf({ thinkingLevel, thinkingBudget }: JsonRecord): string | undefined {
  if (typeof thinkingLevel === "string") return thinkingLevel.toLowerCase();
  // A negative budget leaves it to the model.
  if (typeof thinkingBudget !== "number" || thinkingBudget < 0) return undefined;
  return thinkingBudget >= highFrom ? "high" : thinkingBudget >= mediumFrom ? "medium" : "low";
}

function toolChoice(json: JsonRecord): unknown {
  const { mode, allowedFunctionNames } = record(record(json.toolConfig).functionCallingConfig);
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return undefined;
  const [name, ...others] = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : [];
  return typeof name === "string" && others.length === 0 ? { type: "function", function: { name } } : "required";
}

export const geminiToChat: Translation = {
  target: chatCompletions.upstream,
  translateRequest: body,
  createReplyTranslator: (call) => new ChatAsGemini(call),
  droppedFields: (json, model) => droppedFieldsOf(json, geminiFieldsSupportedByChat(model)),
  sourceFields: geminiSourceFields,
};
