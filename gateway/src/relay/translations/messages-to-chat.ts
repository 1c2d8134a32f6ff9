/** Anthropic's Messages, which coding agents speak, over chat completions. */

import { chatCompletions } from "../formats/chat-completions.ts";
import { readTokenLimitField } from "../formats/hold-size/output-limit.ts";
import { type Effort, isEffort, readBudgetEffort } from "../value-rules/thinking-effort.ts";
import {
  type JsonRecord,
  parseObject,
  present,
  readNumber,
  record,
  text,
} from "../wire/json-parts.ts";
import { ChatAsMessages } from "./chat-as-messages.ts";
import { acceptsReasoningEffort, buildChatContent, readMediaType } from "./chat-parts.ts";
import { readContent } from "./chat-request.ts";
import {
  findCallSignature,
  findKeptReasoning,
  isSigned,
  type KeptReasoning,
} from "./encrypted-reasoning.ts";
import type { FieldReader } from "./request-reader.ts";
import {
  buildReturnedThoughts,
  buildThoughtMembers,
  type ReturnedThoughts,
} from "./returned-thoughts.ts";
import type { Translation } from "./translation.ts";

function translateRequest(
  request: FieldReader,
  model: string,
  keepsReasoning: boolean,
): JsonRecord {
  const kept = findKeptReasoning(keepsReasoning, model);
  const returned = buildReturnedThoughts(keepsReasoning, model);
  const system = readSystem(request);
  const tools = request.objects("tools").flatMap(translateTool);
  const choice = request.object("tool_choice").read("type", "name", "disable_parallel_tool_use");
  const config = request.object("output_config");
  const format = readFormat(request, config);
  const user = request.object("metadata").get("user_id");
  const { stream, max_tokens, stop_sequences, temperature, top_p } = request.read(
    "model",
    "stream",
    "max_tokens",
    "stop_sequences",
    "temperature",
    "top_p",
  );
  return present({
    model: request.json.model,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...request
        .objects("messages")
        .flatMap((message) => translateMessage(message, kept, returned)),
    ],
    [readTokenLimitField(model)]: max_tokens,
    stream,
    stream_options: stream === true ? { include_usage: true } : undefined,
    temperature,
    top_p,
    stop: stop_sequences,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? translateToolChoice(choice) : undefined,
    parallel_tool_calls: choice.disable_parallel_tool_use === true ? false : undefined,
    reasoning_effort: readEffort(request, config, model),
    response_format: format,
    user,
    prompt_cache_key: sessionKey(user, model),
  });
}

/**
 * Claude Code begins its prompt with a line for Anthropic's billing, which differs between
 * conversations and spoils a cache of prompts.
 */
const billingLine = /^x-anthropic-billing-header:[^\n]*\n*/;

function readSystem(request: FieldReader): string {
  const system = readContent(request, "system");
  const words = typeof system === "string" ? [system] : system.flatMap(readTextBlock);
  return words
    .map((one) => one.replace(billingLine, ""))
    .filter((one) => one !== "")
    .join("\n\n");
}

/**
 * The session of Claude Code, as the key of OpenAI's cache: its calls share most of their prompt.
 */
function sessionKey(user: unknown, model: string): unknown {
  const { session_id } = parseObject(text(user));
  const session = text(session_id) || (/_session_([\w-]+)$/.exec(text(user))?.[1] ?? "");
  return session !== "" && /^(?:gpt-[4-9]|o\d)/.test(model) ? session : undefined;
}

/** The text of a block; blocks of other types are left out. */
function readTextBlock(block: FieldReader): string[] {
  if (block.get("type") === "text") return [text(block.get("text"))];
  block.drop();
  return [];
}

function translateMessage(
  message: FieldReader,
  kept: KeptReasoning,
  returned: ReturnedThoughts,
): JsonRecord[] {
  const role = message.get("role");
  const content = readContent(message);
  if (typeof content === "string") return [{ role, content }];
  if (role === "system") return formatSystemMessage(content);
  return role === "assistant"
    ? formatAssistantMessage(content, kept, returned)
    : formatUserMessages(content, kept);
}

function formatSystemMessage(blocks: readonly FieldReader[]): JsonRecord[] {
  const content = blocks.flatMap(readTextBlock).join("\n\n");
  return content === "" ? [] : [{ role: "system", content }];
}

function formatAssistantMessage(
  blocks: readonly FieldReader[],
  kept: KeptReasoning,
  returned: ReturnedThoughts,
): JsonRecord[] {
  const texts: string[] = [];
  const thoughts = blocks.map(({ json }) => json).filter(({ type }) => type === "thinking");
  const hasCalls = blocks.some(({ json }) => json.type === "tool_use");
  const members = buildThoughtMembers(
    returned,
    thoughts.map(({ thinking }) => text(thinking)).join(""),
    thoughts,
    hasCalls,
  );
  const areReturned = Object.keys(members).length > 0;
  const calls: JsonRecord[] = [];
  const reasoningBlocks: JsonRecord[] = [];
  /** Google's signature of the next call. */
  let extra_content: JsonRecord | undefined;
  for (const block of blocks) {
    const callSignature =
      block.json.type === "thinking" ? findCallSignature(block.json) : undefined;
    if (block.json.type === "tool_use") {
      calls.push(present({ ...translateToolCall(block), extra_content }));
      extra_content = undefined;
    } else if (callSignature && kept.callSignatures) {
      block.readAll();
      extra_content = callSignature;
    } else if (areReturned && block.json.type === "thinking") block.readAll();
    else if (kept.reasoning && isSigned(block.json)) reasoningBlocks.push(block.readAll());
    else texts.push(...readTextBlock(block));
  }
  const content = texts.join("\n\n");
  if (content === "" && calls.length === 0) return [];
  return [
    present({
      role: "assistant",
      content: content === "" ? undefined : content,
      thinking_blocks: reasoningBlocks.length > 0 ? reasoningBlocks : undefined,
      ...members,
      tool_calls: calls.length > 0 ? calls : undefined,
    }),
  ];
}

/**
 * A message may hold tool results beside its content: each of them becomes a message. Chat
 * completions has no images in results, so the user sends them right after.
 */
function formatUserMessages(blocks: readonly FieldReader[], kept: KeptReasoning): JsonRecord[] {
  const results: JsonRecord[] = [];
  const toolImages: JsonRecord[] = [];
  const parts: JsonRecord[] = [];
  for (const block of blocks) {
    if (block.json.type === "tool_result")
      results.push(translateToolResult(block, toolImages, kept));
    else parts.push(...translateContentPart(block));
  }
  const content = [...toolImages, ...parts];
  return [
    ...results,
    ...(content.length === 0 ? [] : [{ role: "user", content: buildChatContent(content) }]),
  ];
}

function translateToolResult(
  block: FieldReader,
  images: JsonRecord[],
  { failures }: KeptReasoning,
): JsonRecord {
  const { tool_use_id } = block.read("type", "tool_use_id");
  block.allow("is_error", false, failures);
  const content = readContent(block);
  const texts = typeof content === "string" ? [content] : [];
  for (const item of typeof content === "string" ? [] : content) {
    if (item.json.type === "image") images.push(...translateContentPart(item));
    else texts.push(...readTextBlock(item));
  }
  const is_error = failures && block.json.is_error === true ? true : undefined;
  return present({
    ...{ role: "tool", tool_call_id: tool_use_id, content: texts.join("\n\n") },
    is_error,
  });
}

function translateContentPart(block: FieldReader): JsonRecord[] {
  const type = block.get("type");
  if (type === "image")
    return [{ type: "image_url", image_url: { url: readSource(block, "base64", "url").address } }];
  if (type !== "document")
    return readTextBlock(block).map((content) => ({ type: "text", text: content }));
  const title = block.get("title");
  const { address, content } = readSource(block, "base64", "url", "text");
  if (content !== undefined) return [{ type: "text", text: content }];
  return [{ type: "file", file: { filename: text(title) || "document.pdf", file_data: address } }];
}

/** The address of an image or a document, or its text. */
function readSource(block: FieldReader, ...types: string[]): { address: string; content?: string } {
  const source = block.object("source");
  const type = text(source.get("type"));
  if (!types.includes(type)) source.drop();
  if (type === "url") return { address: text(source.get("url")) };
  const { media_type, data } = source.read("media_type", "data");
  if (type === "base64")
    return { address: `data:${readMediaType(text(media_type), text(data))};base64,${text(data)}` };
  return type === "text" && types.includes(type)
    ? { address: "", content: text(data) }
    : { address: "" };
}

function translateToolCall(block: FieldReader): JsonRecord {
  const { id, name, input } = block.read("type", "id", "name", "input");
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** Tools that Anthropic runs itself have no `input_schema`; no other provider could run them. */
function translateTool(definition: FieldReader): JsonRecord[] {
  if (definition.json.input_schema === undefined) {
    definition.drop();
    return [];
  }
  const { name, description, input_schema } = definition.read(
    "type",
    "name",
    "description",
    "input_schema",
  );
  return [{ type: "function", function: present({ name, description, parameters: input_schema }) }];
}

function translateToolChoice({ type, name }: JsonRecord): unknown {
  if (type === "tool") return { type: "function", function: { name } };
  return type === "any" ? "required" : type === "none" ? "none" : undefined;
}

/** `output_format` is the older name of `output_config.format`. */
function readFormat(request: FieldReader, config: FieldReader): JsonRecord | undefined {
  const isOld = config.json.format === undefined || config.json.format === null;
  const format = isOld ? request.object("output_format") : config.object("format");
  if (format.get("type") !== "json_schema") {
    format.drop();
    return undefined;
  }
  return {
    type: "json_schema",
    json_schema: { name: "answer", schema: format.get("schema"), strict: true },
  };
}

function readEffort(request: FieldReader, config: FieldReader, model: string): unknown {
  const isDisabled = record(request.json.thinking).type === "disabled";
  if (isDisabled) request.read("thinking");
  if (!acceptsReasoningEffort(model)) return undefined;
  const { effort } = config.read("effort");
  const budgeted = isDisabled
    ? "none"
    : findEffort(request.object("thinking").read("type", "budget_tokens"));
  return budgeted !== "none" && isEffort(effort) ? effort : budgeted;
}

function findEffort({ type, budget_tokens }: JsonRecord): Effort | undefined {
  if (type === "adaptive") return "medium";
  if (type !== "enabled") return undefined;
  return readBudgetEffort(readNumber(budget_tokens));
}

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  max_completion_tokens: "max_tokens",
  stop: "stop_sequences",
  stream_options: null,
  "messages.content.image_url": "messages.content.image",
  "messages.content.file": "messages.content.document",
  "messages.content.file.filename": "messages.content.title",
  "messages.tool_calls": "messages.content.tool_use",
  "messages.is_error": "messages.content.is_error",
  "messages.tool_calls.extra_content": "messages.content.thinking",
  "messages.thinking_blocks": "messages.content.thinking",
  reasoning_effort: "thinking",
  response_format: "output_config.format",
  "response_format.json_schema.name": null,
  "response_format.json_schema.strict": null,
  "messages.tool_calls.function.name": "messages.content.tool_use",
  "tools.function": "tools",
  parallel_tool_calls: "tool_choice.disable_parallel_tool_use",
  user: "metadata.user_id",
  prompt_cache_key: null,
};

const translation = (keepsReasoning: boolean): Translation => ({
  target: chatCompletions.upstream,
  translateRequest: (request, model) => translateRequest(request, model, keepsReasoning),
  createReplyTranslator: (call) => new ChatAsMessages(call),
  sourceFields,
});

/**
 * `messagesToChat` is for providers of chat completions, which refuse reasoning in messages: their
 * API has no field for it.
 */
export const messagesToChat = translation(false);
/** `messagesThroughChat` is for a second translation, whose provider may accept reasoning. */
export const messagesThroughChat = translation(true);
