/** Requests of OpenAI's Responses, which coding agents speak, for chat completions. */

import { chatCompletions } from "../formats/chat-completions.ts";
import { isToolItem } from "../formats/declared-tools.ts";
import { isReasoningModel, readTokenLimitField } from "../formats/hold-size/output-limit.ts";
import { type JsonRecord, present, records, text } from "../wire/json-parts.ts";
import { ChatAsResponses } from "./chat-as-responses.ts";
import { buildChatContent, fitPictureUrl } from "./chat-parts.ts";
import { readContent } from "./chat-request.ts";
import {
  decodeReasoning,
  findCallSignature,
  findKeptReasoning,
  type KeptReasoning,
} from "./encrypted-reasoning.ts";
import type { FieldReader } from "./request-reader.ts";
import { readNamedChoice, readToolCall, SentToolNames, ToolDefinitions } from "./response-tools.ts";
import {
  buildReturnedThoughts,
  buildThoughtMembers,
  isOpenRouters,
  type ReturnedThoughts,
} from "./returned-thoughts.ts";
import type { Translation } from "./translation.ts";

function translateRequest(request: FieldReader, model: string, isOnward: boolean): JsonRecord {
  const hasLogprobs = readDefaults(request);
  const names = new SentToolNames(request.json);
  const definitions = new ToolDefinitions(names);
  definitions.readList(request);
  const messages = translateConversation(
    request,
    new ChatConversation(
      findKeptReasoning(isOnward, model),
      names,
      definitions,
      buildReturnedThoughts(isOnward, model),
    ),
  );
  const tools = definitions.functions;
  const hasTools = tools.length > 0;
  const choice = readToolChoice(request, names);
  const { instructions, max_output_tokens, stream, temperature, top_p, parallel_tool_calls, user } =
    request.read(
      "model",
      "instructions",
      "max_output_tokens",
      "stream",
      "temperature",
      "top_p",
      "parallel_tool_calls",
      "user",
      // The reply repeats it.
      "metadata",
    );
  const settings = request.object("text");
  const { effort } = request.object("reasoning").read("effort", "summary");
  return present({
    model: request.json.model,
    messages: [
      ...(text(instructions) === "" ? [] : [{ role: "system", content: instructions }]),
      ...messages,
    ],
    [readTokenLimitField(model)]: max_output_tokens,
    stream,
    stream_options: stream === true ? { include_usage: true } : undefined,
    temperature,
    top_p,
    tools: hasTools ? tools : undefined,
    tool_choice: hasTools ? choice : undefined,
    parallel_tool_calls: hasTools ? parallel_tool_calls : undefined,
    // Reasoning that is sent to the client is sent as a summary.
    reasoning_effort: effort,
    verbosity: isReasoningModel(model) ? settings.get("verbosity") : undefined,
    response_format: translateResponseFormat(settings.object("format")),
    logprobs: hasLogprobs ? true : undefined,
    top_logprobs: hasLogprobs ? request.get("top_logprobs") : undefined,
    user,
  });
}

const logprobsName = "message.output_text.logprobs";
const translatedIncludes = new Set<unknown>(["reasoning.encrypted_content", logprobsName]);

/**
 * Fields with these values ask for what happens anyway. Tells whether log probabilities are asked
 * for.
 */
function readDefaults(request: FieldReader): boolean {
  request.allow("background", false);
  request.allow("store", false);
  request.allow("truncation", "disabled");
  request.object("stream_options").allow("include_obfuscation", false);
  const { include } = request.json;
  const names: readonly unknown[] = Array.isArray(include) ? include : [];
  if (names.every((name) => translatedIncludes.has(name))) request.read("include");
  return names.includes(logprobsName);
}

/** The items of one turn of the model become one message. */
class ChatConversation {
  readonly #kept: KeptReasoning;
  readonly #returned: ReturnedThoughts;
  /** The words of the turn's reasoning, and all of its blocks. */
  #thought = "";
  #thoughtBlocks: JsonRecord[] = [];
  readonly #names: SentToolNames;
  readonly #definitions: ToolDefinitions;
  readonly #messages: JsonRecord[] = [];
  #reasoningBlocks: JsonRecord[] = [];
  /** Google's signature of the next call. */
  #callSignature: JsonRecord | undefined;
  #content: JsonRecord[] = [];
  #toolCalls: JsonRecord[] = [];
  /** Calls without a result so far. */
  #openCalls: unknown[] = [];
  /**
   * Images in tool results: chat completions has none there, so the user sends them after the last
   * result.
   */
  #toolImages: JsonRecord[] = [];

  constructor(
    kept: KeptReasoning,
    names: SentToolNames,
    definitions: ToolDefinitions,
    returned: ReturnedThoughts,
  ) {
    this.#kept = kept;
    this.#returned = returned;
    this.#names = names;
    this.#definitions = definitions;
  }

  add(item: FieldReader): void {
    const { type, role } = item.read("type", "role", "id", "status");
    const isResult = resultTypes.has(text(type));
    if (!isResult && this.#toolImages.length > 0) this.#addToolImages();
    if (isToolItem(item.json)) this.#addTools(item);
    else if (isResult) this.#addResult(item);
    else if (isClientCall(item.json)) this.#addCall(item);
    else if (type === "reasoning") this.#addReasoning(item);
    else if (role === "assistant") this.#content.push(...readParts(item));
    else if (typeof role === "string") this.#addMessage(role, readParts(item));
    else item.drop();
  }

  end(): JsonRecord[] {
    this.#endAssistantMessage();
    this.#addToolImages();
    return this.#messages;
  }

  /** An item without content says nothing, and some providers refuse the empty message. */
  #addMessage(role: string, parts: readonly JsonRecord[]): void {
    this.#endAssistantMessage();
    if (parts.length > 0)
      this.#messages.push({
        role: role === "developer" ? "system" : role,
        content: buildChatContent(parts),
      });
  }

  /** The result of a search that the client ran tells the model which tools there are now. */
  #addTools(item: FieldReader): void {
    const found = this.#definitions.readList(item);
    const { type, call_id, execution } = item.read("type", "call_id", "execution");
    if (type === "additional_tools" || execution !== "client") return;
    this.#endAssistantMessage();
    const content =
      found.length === 0
        ? "No tools were found."
        : `These tools can be called now: ${found.join(", ")}`;
    this.#messages.push({ role: "tool", tool_call_id: call_id, content });
  }

  #addReasoning(item: FieldReader): void {
    const blocks = decodeReasoning(item.json.encrypted_content);
    const signatures = this.#kept.callSignatures
      ? blocks.map(findCallSignature).filter((one) => one !== undefined)
      : [];
    const reasoning = this.#kept.reasoning
      ? blocks.filter((block) => !findCallSignature(block))
      : [];
    if (signatures.length > 0) this.#callSignature = signatures.at(-1);
    this.#reasoningBlocks.push(...reasoning);
    const thought = [...records(item.json.summary), ...records(item.json.content)]
      .map((part) => text(part.text))
      .join("");
    this.#thought += thought;
    this.#thoughtBlocks.push(...blocks);
    const isReturned =
      (this.#returned.words && thought !== "") ||
      (this.#returned.details && blocks.some(isOpenRouters));
    if (isReturned || signatures.length + reasoning.length > 0) item.readAll();
    else item.drop();
  }

  #addCall(item: FieldReader): void {
    this.#toolCalls.push(
      present({ ...readToolCall(item, this.#names), extra_content: this.#callSignature }),
    );
    this.#callSignature = undefined;
    this.#openCalls.push(item.json.call_id);
  }

  /** The call that a result answers; one that names none answers the oldest without a result. */
  #readResultId(item: FieldReader): unknown {
    const named = item.get("call_id");
    const id = text(named) === "" ? this.#openCalls[0] : named;
    this.#openCalls = this.#openCalls.filter((one) => one !== id);
    return id ?? named;
  }

  #addResult(item: FieldReader): void {
    this.#endAssistantMessage();
    const output = readParts(item, "output");
    this.#toolImages.push(...output.filter((outputPart) => !isText(outputPart)));
    const content = buildChatContent(output.filter(isText));
    this.#messages.push({ role: "tool", tool_call_id: this.#readResultId(item), content });
  }

  #addToolImages(): void {
    if (this.#toolImages.length > 0)
      this.#messages.push({ role: "user", content: this.#toolImages });
    this.#toolImages = [];
  }

  #endAssistantMessage(): void {
    if (this.#content.length > 0 || this.#toolCalls.length > 0) {
      this.#messages.push({
        role: "assistant",
        content: this.#content.length > 0 ? buildChatContent(this.#content) : null,
        ...(this.#toolCalls.length > 0 && { tool_calls: this.#toolCalls }),
        ...(this.#reasoningBlocks.length > 0 && { thinking_blocks: this.#reasoningBlocks }),
        ...buildThoughtMembers(
          this.#returned,
          this.#thought,
          this.#thoughtBlocks,
          this.#toolCalls.length > 0,
        ),
      });
    }
    this.#reasoningBlocks = [];
    this.#thought = "";
    this.#thoughtBlocks = [];
    this.#callSignature = undefined;
    this.#content = [];
    this.#toolCalls = [];
  }
}

function translateConversation(request: FieldReader, messages: ChatConversation): JsonRecord[] {
  const { input } = request.json;
  if (typeof input === "string") return [{ role: "user", content: request.get("input") }];
  for (const item of request.objects("input")) messages.add(item);
  return messages.end();
}

const isText = ({ type }: JsonRecord): boolean => type === "text";

const resultTypes = new Set(["function_call_output", "custom_tool_call_output"]);

/** A search that the provider ran has no call that a result could answer. */
const isClientCall = ({ type, execution }: JsonRecord): boolean =>
  type === "function_call" ||
  type === "custom_tool_call" ||
  (type === "tool_search_call" && execution === "client");

function readParts(item: FieldReader, field = "content"): JsonRecord[] {
  const content = readContent(item, field);
  return typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.flatMap(translateContentPart);
}

/** Only the provider that stores an uploaded file or image knows it by its id. */
function translateContentPart(part: FieldReader): JsonRecord[] {
  switch (part.get("type")) {
    case "input_text":
    case "output_text":
    case "text":
      return [{ type: "text", text: text(part.get("text")) }];
    case "refusal":
      return [{ type: "text", text: text(part.get("refusal")) }];
    case "input_image": {
      const { image_url, detail } = part.read("image_url", "detail");
      return text(image_url) === ""
        ? []
        : [
            {
              type: "image_url",
              image_url: present({ url: fitPictureUrl(text(image_url)), detail }),
            },
          ];
    }
    case "input_file": {
      const { filename, ...sources } = part.pick("filename", "file_data", "file_url");
      const file_data = sources.file_data ?? sources.file_url;
      return text(file_data) === ""
        ? []
        : [{ type: "file", file: present({ filename, file_data }) }];
    }
    case "input_audio":
      return [{ type: "input_audio", input_audio: part.get("input_audio") }];
    default:
      part.drop();
      return [];
  }
}

function readToolChoice(request: FieldReader, names: SentToolNames): unknown {
  const { tool_choice } = request.json;
  if (typeof tool_choice === "string") return request.get("tool_choice");
  const choice = request.object("tool_choice");
  const type = choice.get("type");
  if (type === "allowed_tools") return choice.get("mode");
  const named = readNamedChoice(choice, names);
  if (!named) choice.drop();
  return named;
}

function translateResponseFormat(format: FieldReader): JsonRecord | undefined {
  const type = format.get("type");
  if (type === "json_object") return { type };
  if (type === "json_schema") {
    const { name, description, schema, strict } = format.read(
      "name",
      "description",
      "schema",
      "strict",
    );
    return { type, json_schema: present({ name, description, schema, strict }) };
  }
  if (type !== "text") format.drop();
  return undefined;
}

/** Names of fields of the translated request, as the client sent them. */
const sourceFields: Translation["sourceFields"] = {
  messages: "input",
  max_tokens: "max_output_tokens",
  max_completion_tokens: "max_output_tokens",
  stream_options: null,
  "messages.content.image_url": "input.content",
  "messages.content.file": "input.content",
  "messages.thinking_blocks": "input.reasoning",
  "messages.tool_calls": "input",
  "messages.tool_calls.extra_content": "input.reasoning",
  logprobs: "include",
  "tools.function": "tools",
  reasoning_effort: "reasoning.effort",
  verbosity: "text.verbosity",
  response_format: "text.format",
  "response_format.json_schema": "text.format",
};

const translation = (isOnward: boolean): Translation => ({
  target: chatCompletions.upstream,
  translateRequest: (request, model) => translateRequest(request, model, isOnward),
  createReplyTranslator: (call) => new ChatAsResponses(call),
  sourceFields,
});

export const responsesToChat = translation(false);
/** `responsesThroughChat` is for a second translation, whose provider may accept reasoning. */
export const responsesThroughChat = translation(true);
