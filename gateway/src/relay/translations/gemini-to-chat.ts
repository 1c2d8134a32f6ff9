/** Requests of Gemini's API, such as its command line sends, for chat completions. */

import { chatCompletions } from "../formats/chat-completions.ts";
import { readTokenLimitField } from "../formats/hold-size/output-limit.ts";
import { type JsonRecord, present, record, text } from "../wire/json-parts.ts";
import { ChatAsGemini } from "./chat-as-gemini.ts";
import { acceptsReasoningEffort, buildChatContent, readMediaType } from "./chat-parts.ts";
import {
  decodeReasoning,
  findCallSignature,
  findKeptReasoning,
  type KeptReasoning,
} from "./encrypted-reasoning.ts";
import { buildJsonSchema, inCamelCase } from "./gemini-spelling.ts";
import type { FieldReader, RequestReader } from "./request-reader.ts";
import {
  buildReturnedThoughts,
  buildThoughtMembers,
  type ReturnedThoughts,
} from "./returned-thoughts.ts";
import type { Translation } from "./translation.ts";

function translateRequest(
  sent: RequestReader,
  model: string,
  isStream: boolean | undefined,
  isOnward: boolean,
): JsonRecord {
  const { json, spelled } = inCamelCase(sent.json);
  const request = sent.rewritten(json, spelled);
  request.read("model");
  const system = readSystem(request);
  const tools = request
    .objects("tools")
    .flatMap((tool) => tool.objects("functionDeclarations").map(translateChatTool));
  const choice = readToolChoice(request);
  return present({
    model,
    messages: [
      ...(system.length > 0 ? [{ role: "system", content: buildChatContent(system) }] : []),
      ...translateConversation(
        request,
        findKeptReasoning(isOnward, model),
        buildReturnedThoughts(isOnward, model),
      ),
    ],
    stream: isStream ? true : undefined,
    stream_options: isStream ? { include_usage: true } : undefined,
    ...readGenerationConfig(request, model),
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? choice : undefined,
  });
}

function readSystem(request: FieldReader): JsonRecord[] {
  const system = request.object("systemInstruction");
  system.read("role");
  return system.objects("parts").flatMap(translateContentPart);
}

function readGenerationConfig(request: FieldReader, model: string): JsonRecord {
  const config = request.object("generationConfig");
  const { temperature, topP, stopSequences } = config.read("temperature", "topP", "stopSequences");
  const { maxOutputTokens, candidateCount, seed, presencePenalty, frequencyPenalty } = config.read(
    "maxOutputTokens",
    "candidateCount",
    "seed",
    "presencePenalty",
    "frequencyPenalty",
  );
  const { responseLogprobs, logprobs } = config.read("responseLogprobs", "logprobs");
  return {
    [readTokenLimitField(model)]: maxOutputTokens,
    temperature,
    top_p: topP,
    n: candidateCount,
    seed,
    presence_penalty: presencePenalty,
    frequency_penalty: frequencyPenalty,
    stop: stopSequences,
    logprobs: responseLogprobs === true ? true : undefined,
    top_logprobs: responseLogprobs === true ? logprobs : undefined,
    response_format: translateResponseFormat(config),
    reasoning_effort: acceptsReasoningEffort(model) ? readEffort(config) : undefined,
  };
}

function translateConversation(
  request: FieldReader,
  kept: KeptReasoning,
  returned: ReturnedThoughts,
): JsonRecord[] {
  let calls = 0;
  /**
   * Gemini's results may name the function alone: they answer the oldest call of it that has no
   * result.
   */
  const openCalls: { id: string; name: string }[] = [];

  function toolCall(part: FieldReader): JsonRecord {
    const {
      id: givenId,
      name: calledName,
      args,
    } = part.object("functionCall").read("id", "name", "args");
    calls += 1;
    const id = text(givenId) || `call_${calls}`;
    const name = text(calledName);
    openCalls.push({ id, name });
    const called = { name, arguments: JSON.stringify(record(args)) };
    const extra_content = kept.callSignatures
      ? listBlocks(part)
          .map(findCallSignature)
          .find((one) => one !== undefined)
      : null;
    return present({ id, type: "function", function: called, extra_content });
  }

  /** Chat completions has no pictures in results: they go to `files`. */
  function toolResult(part: FieldReader, files: JsonRecord[]): JsonRecord {
    const answer = part.object("functionResponse");
    const { id, name, response } = answer.read("id", "name", "response");
    files.push(...answer.objects("parts").flatMap(translateContentPart));
    const at = openCalls.findIndex((call) => (text(id) ? call.id === id : call.name === name));
    const [answeredCall] = at < 0 ? [] : openCalls.splice(at, 1);
    const { error, ...others } = record(response);
    const is_error =
      kept.failures && error !== undefined && Object.keys(others).length === 0 ? true : undefined;
    return present({
      role: "tool",
      tool_call_id: answeredCall?.id ?? (text(id) || text(name)),
      content: is_error && typeof error === "string" ? error : JSON.stringify(response ?? {}),
      is_error,
    });
  }

  return request.objects("contents").flatMap((turn) => {
    const role = turn.get("role");
    const all = turn.objects("parts");
    const hasCalls = all.some(({ json }) => json.functionCall !== undefined);
    const thought = all.map(({ json }) => (json.thought === true ? text(json.text) : "")).join("");
    const isReturned = role === "model" && hasCalls && returned.words && thought !== "";
    const parts = all.filter((part) => isVisible(part, isReturned));
    const content = parts.flatMap(translateContentPart);
    if (role === "model") {
      const tool_calls = parts.filter(({ json }) => json.functionCall !== undefined).map(toolCall);
      if (content.length === 0 && tool_calls.length === 0) return [];
      const textContent = content.map((part) => text(part.text)).join("");
      const members = buildThoughtMembers(returned, thought, parts.flatMap(listBlocks), hasCalls);
      const thinking_blocks = kept.reasoning
        ? parts.flatMap(listBlocks).filter((block) => !findCallSignature(block))
        : [];
      return [
        present({
          role: "assistant",
          content: textContent || null,
          thinking_blocks: thinking_blocks.length > 0 ? thinking_blocks : null,
          ...members,
          tool_calls: tool_calls.length > 0 ? tool_calls : null,
        }),
      ];
    }
    const files: JsonRecord[] = [];
    const results = parts
      .filter(({ json }) => json.functionResponse !== undefined)
      .map((part) => toolResult(part, files));
    const said = [...files, ...content];
    return [
      ...results,
      ...(said.length > 0 ? [{ role: "user", content: buildChatContent(said) }] : []),
    ];
  });
}

/**
 * Reasoning that this gateway put into the signature of a call; Google's own signatures are left
 * out.
 */
function listBlocks(part: FieldReader): JsonRecord[] {
  const blocks = decodeReasoning(part.json.thoughtSignature);
  if (blocks.length > 0) part.get("thoughtSignature");
  return blocks;
}

/** Thoughts of earlier turns are left out. */
function isVisible(part: FieldReader, isReturned: boolean): boolean {
  part.allow("thought", false);
  if (part.json.thought !== true) return true;
  if (isReturned) {
    part.readAll();
    return false;
  }
  part.drop("thought");
  return false;
}

function translateContentPart(part: FieldReader): JsonRecord[] {
  if (typeof part.json.text === "string")
    return part.get("text") === "" ? [] : [{ type: "text", text: part.json.text }];
  const { mimeType, data } = part.object("inlineData").read("mimeType", "data");
  if (typeof data === "string") return [translateInlinePart(text(mimeType), data)];
  const { fileUri, mimeType: fileType } = part.object("fileData").read("fileUri", "mimeType");
  if (typeof fileUri !== "string") return [];
  return [
    isDocument(text(fileType))
      ? { type: "file", file: { filename: "document", file_data: fileUri } }
      : { type: "image_url", image_url: { url: fileUri } },
  ];
}

const isDocument = (mimeType: string): boolean =>
  mimeType !== "" && !/^(?:image|video)\//i.test(mimeType);

function translateInlinePart(named: string, sent: string): JsonRecord {
  // Google takes the alphabet of addresses, too, in which its library for Python writes.
  const data = sent.replaceAll("-", "+").replaceAll("_", "/");
  const mediaType = readMediaType(named, data);
  const url = `data:${mediaType};base64,${data}`;
  if (mediaType.startsWith("image/")) return { type: "image_url", image_url: { url } };
  const [, format] = /^audio\/(?:x-)?(\w+)/.exec(mediaType) ?? [];
  if (format)
    return {
      type: "input_audio",
      input_audio: { data, format: format === "mpeg" ? "mp3" : format },
    };
  return { type: "file", file: { filename: "document", file_data: url } };
}

function translateChatTool(declaration: FieldReader): JsonRecord {
  const { name, description, parametersJsonSchema, parameters } = declaration.read(
    "name",
    "description",
    "parametersJsonSchema",
    "parameters",
  );
  const schema = parametersJsonSchema ?? buildJsonSchema(parameters);
  return { type: "function", function: present({ name, description, parameters: schema }) };
}

function translateResponseFormat(config: FieldReader): JsonRecord | undefined {
  config.allow("responseMimeType", "application/json", "text/plain");
  const { responseJsonSchema, responseSchema } = config.read(
    "responseJsonSchema",
    "responseSchema",
  );
  const schema = responseJsonSchema ?? buildJsonSchema(responseSchema);
  if (schema !== undefined && schema !== null)
    return { type: "json_schema", json_schema: { name: "answer", schema } };
  return config.json.responseMimeType === "application/json" ? { type: "json_object" } : undefined;
}

const mediumFrom = 2_048;
const highFrom = 16_384;

function readEffort(config: FieldReader): string | undefined {
  // The translation of the reply always includes the model's thoughts.
  const { thinkingLevel, thinkingBudget } = config
    .object("thinkingConfig")
    .read("thinkingLevel", "thinkingBudget", "includeThoughts");
  if (typeof thinkingLevel === "string") return thinkingLevel.toLowerCase();
  // With a negative budget the model decides.
  if (typeof thinkingBudget !== "number" || thinkingBudget < 0) return undefined;
  if (thinkingBudget === 0) return "none";
  return thinkingBudget >= highFrom ? "high" : thinkingBudget >= mediumFrom ? "medium" : "low";
}

/** Chat completions can demand one function, or any of them; not one of several. */
function readToolChoice(request: FieldReader): unknown {
  const calling = request.object("toolConfig").object("functionCallingConfig");
  calling.allow("mode", "AUTO", "ANY", "NONE");
  const { mode, allowedFunctionNames } = calling.json;
  const [name, ...others] = Array.isArray(allowedFunctionNames) ? allowedFunctionNames : [];
  if (others.length === 0) calling.read("allowedFunctionNames");
  if (mode === "NONE") return "none";
  if (mode !== "ANY") return undefined;
  return typeof name === "string" && others.length === 0
    ? { type: "function", function: { name } }
    : "required";
}

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  messages: "contents.parts",
  max_tokens: "generationConfig.maxOutputTokens",
  max_completion_tokens: "generationConfig.maxOutputTokens",
  stream: null,
  stream_options: null,
  // The result says it in its own words, too.
  "messages.is_error": null,
  "messages.tool_calls.extra_content": "contents.parts.thoughtSignature",
  "messages.thinking_blocks": "contents.parts.thoughtSignature",
  logprobs: "generationConfig.responseLogprobs",
  top_logprobs: "generationConfig.logprobs",
  "tools.function": "tools.functionDeclarations",
  "tools.function.strict": null,
  reasoning_effort: "generationConfig.thinkingConfig",
  n: "generationConfig.candidateCount",
  seed: "generationConfig.seed",
  temperature: "generationConfig.temperature",
  top_p: "generationConfig.topP",
  presence_penalty: "generationConfig.presencePenalty",
  frequency_penalty: "generationConfig.frequencyPenalty",
  stop: "generationConfig.stopSequences",
  response_format: "generationConfig.responseMimeType",
  "response_format.json_schema": "generationConfig.responseJsonSchema",
  "response_format.json_schema.name": null,
};

const translation = (isOnward: boolean): Translation => ({
  target: chatCompletions.upstream,
  translateRequest: (request, model, isStream) =>
    translateRequest(request, model, isStream, isOnward),
  createReplyTranslator: (call) => new ChatAsGemini(call),
  sourceFields,
});

export const geminiToChat = translation(false);
/** `geminiThroughChat` is for a second translation, whose provider may accept reasoning. */
export const geminiThroughChat = translation(true);
