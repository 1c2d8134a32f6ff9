/** Callers of OpenAI's Responses, such as coding agents, served by a channel that speaks chat completions. */

import { chatCompletions } from "../formats/chat-completions.ts";
import type { JsonRecord } from "../wire/json-parts.ts";
import { present, record, records, text } from "../wire/json-parts.ts";
import { ChatAsResponses } from "./chat-as-responses.ts";
import { chatContent, isReasoningModel, tokenLimitField } from "./chat-parts.ts";
import { decodeReasoning } from "./encrypted-reasoning.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import { responsesFieldsSupportedByChat, responsesSourceFields } from "./supported-from-responses.ts";
import type { Translation } from "./translation.ts";

function body(json: JsonRecord, model: string): JsonRecord {
  const tools = records(json.tools).flatMap(tool);
  const hasTools = tools.length > 0;
  const settings = record(json.text);
  return present({
    model: json.model,
    messages: [
      ...(text(json.instructions) === "" ? [] : [{ role: "system", content: json.instructions }]),
      ...conversation(json.input),
    ],
    [tokenLimitField(model)]: json.max_output_tokens,
    stream: json.stream,
    stream_options: json.stream === true ? { include_usage: true } : undefined,
    temperature: json.temperature,
    top_p: json.top_p,
    tools: hasTools ? tools : undefined,
    tool_choice: hasTools ? toolChoice(json.tool_choice) : undefined,
    parallel_tool_calls: hasTools ? json.parallel_tool_calls : undefined,
    reasoning_effort: record(json.reasoning).effort,
    verbosity: isReasoningModel(model) ? settings.verbosity : undefined,
    response_format: responseFormat(record(settings.format)),
    user: json.user,
  });
}

/** What the model did in one turn stands in several items; over there it is one message. */
class ChatConversation {
  readonly #messages: JsonRecord[] = [];
  #reasoningBlocks: JsonRecord[] = [];
  #content: JsonRecord[] = [];
  #toolCalls: JsonRecord[] = [];
  /** Pictures that tools show: over there they cannot stand in a result, so the user shows them after the last one. */
  #toolImages: JsonRecord[] = [];

  add(item: JsonRecord): void {
    const isResult = item.type === "function_call_output";
    if (!isResult && this.#toolImages.length > 0) this.#addToolImages();
    if (isResult) this.#addResult(item);
    else if (item.type === "function_call") this.#toolCalls.push(toolCall(item));
    else if (item.type === "reasoning") this.#reasoningBlocks.push(...decodeReasoning(item.encrypted_content));
    else if (item.role === "assistant") this.#content.push(...parts(item.content));
    else if (typeof item.role === "string") {
      this.#endAssistantMessage();
      const role = item.role === "developer" ? "system" : item.role;
      this.#messages.push({ role, content: chatContent(parts(item.content)) });
    }
  }

  end(): JsonRecord[] {
    this.#endAssistantMessage();
    this.#addToolImages();
    return this.#messages;
  }

  #addResult({ call_id, output }: JsonRecord): void {
    this.#endAssistantMessage();
    const told = parts(output);
    const textParts = told.filter(isText);
    this.#toolImages.push(...told.filter((part) => !isText(part)));
    this.#messages.push({ role: "tool", tool_call_id: call_id, content: chatContent(textParts) });
  }

  #addToolImages(): void {
    if (this.#toolImages.length > 0) this.#messages.push({ role: "user", content: this.#toolImages });
    this.#toolImages = [];
  }

  #endAssistantMessage(): void {
    if (this.#content.length > 0 || this.#toolCalls.length > 0) {
      this.#messages.push({
        role: "assistant",
        content: this.#content.length > 0 ? chatContent(this.#content) : null,
        ...(this.#toolCalls.length > 0 && { tool_calls: this.#toolCalls }),
        ...(this.#reasoningBlocks.length > 0 && { thinking_blocks: this.#reasoningBlocks }),
      });
    }
    this.#reasoningBlocks = [];
    this.#content = [];
    this.#toolCalls = [];
  }
}

function conversation(input: unknown): JsonRecord[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const told = new ChatConversation();
  for (const item of records(input)) told.add(item);
  return told.end();
}

const isText = ({ type }: JsonRecord): boolean => type === "text";

const toolCall = ({ call_id, name, arguments: written }: JsonRecord): JsonRecord => ({
  id: call_id,
  type: "function",
  function: { name, arguments: text(written) },
});

const parts = (content: unknown): JsonRecord[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : records(content).flatMap(part);

/** Files and pictures that were uploaded are known to the provider alone that keeps them. */
function part(inputPart: JsonRecord): JsonRecord[] {
  switch (inputPart.type) {
    case "input_text":
    case "output_text":
    case "text":
      return [{ type: "text", text: text(inputPart.text) }];
    case "refusal":
      return [{ type: "text", text: text(inputPart.refusal) }];
    case "input_image":
      if (text(inputPart.image_url) === "") return [];
      return [{ type: "image_url", image_url: present({ url: inputPart.image_url, detail: inputPart.detail }) }];
    case "input_file": {
      const file_data = inputPart.file_data ?? inputPart.file_url;
      return text(file_data) === ""
        ? []
        : [{ type: "file", file: present({ filename: inputPart.filename, file_data }) }];
    }
    case "input_audio":
      return [{ type: "input_audio", input_audio: inputPart.input_audio }];
    default:
      return [];
  }
}

/** Tools that the provider runs itself have nobody over there who could run them. */
function tool({ type, name, description, parameters, strict }: JsonRecord): JsonRecord[] {
  if (type !== "function") return [];
  return [{ type: "function", function: present({ name, description, parameters, strict }) }];
}

function toolChoice(choice: unknown): unknown {
  if (typeof choice === "string") return choice;
  const { type, name, mode } = record(choice);
  if (type === "function") return { type: "function", function: { name } };
  return type === "allowed_tools" ? mode : undefined;
}

function responseFormat({ type, name, description, schema, strict }: JsonRecord): JsonRecord | undefined {
  if (type === "json_object") return { type };
  if (type !== "json_schema") return undefined;
  return { type, json_schema: present({ name, description, schema, strict }) };
}

export const responsesToChat: Translation = {
  target: chatCompletions.upstream,
  translateRequest: body,
  createReplyTranslator: (call) => new ChatAsResponses(call),
  droppedFields: (json, model) => droppedFieldsOf(json, responsesFieldsSupportedByChat(model)),
  sourceFields: responsesSourceFields,
};
