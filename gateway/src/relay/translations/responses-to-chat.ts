/** Callers of OpenAI's Responses, such as coding agents, served by a channel that speaks chat completions. */

import type { Json } from "../json-parts.ts";
import { present, record, records, text } from "../json-parts.ts";
import { chatCompletions } from "../shapes/chat-completions.ts";
import { lostOf } from "./kept.ts";
import { keptByChat, writtenInResponses } from "./kept-from-responses.ts";
import { ResponseEvents } from "./response-events.ts";
import { thoughtsIn } from "./sealed-thoughts.ts";
import type { Translation } from "./translation.ts";
import { chatContent, isThinker, limitName } from "./wire-parts.ts";

function body(json: Json, model: string): Json {
  const tools = records(json.tools).flatMap(tool);
  const hasTools = tools.length > 0;
  const settings = record(json.text);
  return present({
    model: json.model,
    messages: [
      ...(text(json.instructions) === "" ? [] : [{ role: "system", content: json.instructions }]),
      ...conversation(json.input),
    ],
    [limitName(model)]: json.max_output_tokens,
    stream: json.stream,
    stream_options: json.stream === true ? { include_usage: true } : undefined,
    temperature: json.temperature,
    top_p: json.top_p,
    tools: hasTools ? tools : undefined,
    tool_choice: hasTools ? toolChoice(json.tool_choice) : undefined,
    parallel_tool_calls: hasTools ? json.parallel_tool_calls : undefined,
    reasoning_effort: record(json.reasoning).effort,
    verbosity: isThinker(model) ? settings.verbosity : undefined,
    response_format: responseFormat(record(settings.format)),
    user: json.user,
  });
}

/** What the model did in one turn stands in several items; over there it is one message. */
class Conversation {
  readonly #messages: Json[] = [];
  #thoughts: Json[] = [];
  #said: Json[] = [];
  #calls: Json[] = [];
  /** Pictures that tools show: over there they cannot stand in a result, so the user shows them after the last one. */
  #shown: Json[] = [];

  add(item: Json): void {
    const isResult = item.type === "function_call_output";
    if (!isResult && this.#shown.length > 0) this.#showPictures();
    if (isResult) this.#addResult(item);
    else if (item.type === "function_call") this.#calls.push(toolCall(item));
    else if (item.type === "reasoning") this.#thoughts.push(...thoughtsIn(item.encrypted_content));
    else if (item.role === "assistant") this.#said.push(...parts(item.content));
    else if (typeof item.role === "string") {
      this.#endTurn();
      const role = item.role === "developer" ? "system" : item.role;
      this.#messages.push({ role, content: chatContent(parts(item.content)) });
    }
  }

  end(): Json[] {
    this.#endTurn();
    this.#showPictures();
    return this.#messages;
  }

  #addResult({ call_id, output }: Json): void {
    this.#endTurn();
    const told = parts(output);
    const words = told.filter(isText);
    this.#shown.push(...told.filter((part) => !isText(part)));
    this.#messages.push({ role: "tool", tool_call_id: call_id, content: chatContent(words) });
  }

  #showPictures(): void {
    if (this.#shown.length > 0) this.#messages.push({ role: "user", content: this.#shown });
    this.#shown = [];
  }

  #endTurn(): void {
    if (this.#said.length > 0 || this.#calls.length > 0) {
      this.#messages.push({
        role: "assistant",
        content: this.#said.length > 0 ? chatContent(this.#said) : null,
        ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
        ...(this.#thoughts.length > 0 && { thinking_blocks: this.#thoughts }),
      });
    }
    this.#thoughts = [];
    this.#said = [];
    this.#calls = [];
  }
}

function conversation(input: unknown): Json[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const told = new Conversation();
  for (const item of records(input)) told.add(item);
  return told.end();
}

const isText = ({ type }: Json): boolean => type === "text";

const toolCall = ({ call_id, name, arguments: written }: Json): Json => ({
  id: call_id,
  type: "function",
  function: { name, arguments: text(written) },
});

const parts = (content: unknown): Json[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : records(content).flatMap(part);

/** Files and pictures that were uploaded are known to the provider alone that keeps them. */
function part(said: Json): Json[] {
  switch (said.type) {
    case "input_text":
    case "output_text":
    case "text":
      return [{ type: "text", text: text(said.text) }];
    case "refusal":
      return [{ type: "text", text: text(said.refusal) }];
    case "input_image":
      if (text(said.image_url) === "") return [];
      return [{ type: "image_url", image_url: present({ url: said.image_url, detail: said.detail }) }];
    case "input_file": {
      const file_data = said.file_data ?? said.file_url;
      return text(file_data) === "" ? [] : [{ type: "file", file: present({ filename: said.filename, file_data }) }];
    }
    case "input_audio":
      return [{ type: "input_audio", input_audio: said.input_audio }];
    default:
      return [];
  }
}

/** Tools that the provider runs itself have nobody over there who could run them. */
function tool({ type, name, description, parameters, strict }: Json): Json[] {
  if (type !== "function") return [];
  return [{ type: "function", function: present({ name, description, parameters, strict }) }];
}

function toolChoice(choice: unknown): unknown {
  if (typeof choice === "string") return choice;
  const { type, name, mode } = record(choice);
  if (type === "function") return { type: "function", function: { name } };
  return type === "allowed_tools" ? mode : undefined;
}

function responseFormat({ type, name, description, schema, strict }: Json): Json | undefined {
  if (type === "json_object") return { type };
  if (type !== "json_schema") return undefined;
  return { type, json_schema: present({ name, description, schema, strict }) };
}

export const responsesToChat: Translation = {
  to: chatCompletions,
  body,
  answers: (call) => new ResponseEvents(call),
  lost: (json, model) => lostOf(json, keptByChat(model)),
  writtenAs: writtenInResponses,
};
