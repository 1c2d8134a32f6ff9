/** Callers of chat completions, served by a channel that speaks Gemini's own interface. */

import type { Json } from "../json-parts.ts";
import { parsedObject, present, record, records, text } from "../json-parts.ts";
import { gemini } from "../shapes/gemini.ts";
import { GeminiAsChat } from "./gemini-as-chat.ts";
import { lostOf } from "./kept.ts";
import { keptByGemini } from "./kept-from-chat.ts";
import type { Translation } from "./translation.ts";
import { dataUrl } from "./wire-parts.ts";

function body(json: Json, model: string): Json {
  const messages = records(json.messages);
  const isSystem = ({ role }: Json) => role === "system" || role === "developer";
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
function conversation(messages: readonly Json[], model: string): Json[] {
  const turns: { role: string; parts: Json[] }[] = [];
  /** A result names the call over here, and the function over there. */
  const called = new Map<string, unknown>();
  for (const message of messages) {
    const role = message.role === "assistant" ? "model" : "user";
    const parts = message.role === "tool" ? resultParts(message, called) : partsOf(message.content);
    if (role === "model") parts.push(...callParts(message, called, model));
    const last = turns.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else if (parts.length > 0) turns.push({ role, parts });
  }
  return turns;
}

/** These models refuse a call of theirs without its signature; Google lets calls from elsewhere pass with this one. */
const signing = /gemini-(?:[3-9]|\d\d)/;
const unsigned = "skip_thought_signature_validator";

function callParts(message: Json, called: Map<string, unknown>, model: string): Json[] {
  return records(message.tool_calls).map((call, index) => {
    const { name, arguments: args } = record(call.function);
    called.set(text(call.id), name);
    const signature = record(record(call.extra_content).google).thought_signature;
    // Of calls that were made together only the first is signed.
    const thoughtSignature = signature ?? (index === 0 && signing.test(model) ? unsigned : undefined);
    return present({ functionCall: { name, args: parsedObject(text(args)) }, thoughtSignature });
  });
}

function resultParts({ tool_call_id, name, content }: Json, called: ReadonlyMap<string, unknown>): Json[] {
  const parts = partsOf(content);
  const said = parts.map((part) => text(part.text)).join("\n");
  const object = parsedObject(said);
  const response = Object.keys(object).length > 0 ? object : { result: said };
  const shown = parts.filter((part) => part.text === undefined);
  return [{ functionResponse: { name: called.get(text(tool_call_id)) ?? name ?? "unknown", response } }, ...shown];
}

function partsOf(content: unknown): Json[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  return records(content).flatMap((part) => {
    switch (part.type) {
      case "text":
        return text(part.text) === "" ? [] : [{ text: part.text }];
      case "refusal":
        return [{ text: text(part.refusal) }];
      case "image_url":
        return [fileAt(text(record(part.image_url).url))];
      case "file":
        return [fileAt(text(record(part.file).file_data))];
      case "input_audio": {
        const { data, format } = record(part.input_audio);
        return [{ inlineData: { mimeType: `audio/${text(format)}`, data: text(data) } }];
      }
      default:
        return [];
    }
  });
}

const pictureTypes: Readonly<Record<string, string>> = { jpg: "jpeg", jpeg: "jpeg", png: "png", webp: "webp" };

function fileAt(url: string): Json {
  const inline = dataUrl(url);
  if (inline) return { inlineData: { mimeType: inline.mediaType, data: inline.data } };
  const type = pictureTypes[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ""];
  return { fileData: present({ fileUri: url, mimeType: type && `image/${type}` }) };
}

function generationConfig(json: Json, model: string): Json {
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
    responseJsonSchema: withoutDialect(schema),
    thinkingConfig: thinking(text(json.reasoning_effort), model),
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

function thinking(effort: string, model: string): Json | undefined {
  const thinkingBudget = budgets[effort];
  if (thinkingBudget === undefined) return undefined;
  const includeThoughts = thinkingBudget > 0;
  return signing.test(model) ? { thinkingLevel: levels[effort], includeThoughts } : { thinkingBudget, includeThoughts };
}

/** Whole JSON schemas have members of their own names; the older ones know a part of the language alone. */
function declaration({ type, function: described }: Json): Json[] {
  if (type !== "function") return [];
  const { name, description, parameters } = record(described);
  return [present({ name, description, parametersJsonSchema: withoutDialect(parameters) })];
}

function withoutDialect(schema: unknown): unknown {
  if (schema === undefined || schema === null) return undefined;
  const { $schema: _, ...rest } = record(schema);
  return rest;
}

function toolConfig(choice: unknown): Json | undefined {
  const { name } = record(record(choice).function);
  if (name !== undefined) return { functionCallingConfig: { mode: "ANY", allowedFunctionNames: [name] } };
  if (choice === "none") return { functionCallingConfig: { mode: "NONE" } };
  return choice === "required" ? { functionCallingConfig: { mode: "ANY" } } : undefined;
}

export const chatToGemini: Translation = {
  to: gemini,
  body,
  answers: (call) => new GeminiAsChat(call),
  lost: (json) => lostOf(json, keptByGemini(Object.keys(budgets))),
};
