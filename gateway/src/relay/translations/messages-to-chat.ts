/** Callers of Anthropic's Messages, such as coding agents, served by a channel that speaks chat completions. */
import { eventJson } from "../event-text.ts";
import type { Json } from "../json-parts.ts";
import { parsedObject, present, record, records, text } from "../json-parts.ts";
import { chatCompletions } from "../shapes/chat-completions.ts";
import { usageFrom } from "../shapes/open-ai-usage.ts";
import type { Call } from "../shapes/shape.ts";
import type { ReadUsage } from "../usage.ts";
import { type CallPiece, CallsInTurn } from "./calls-in-turn.ts";
import { lostOf } from "./kept.ts";
import { keptByChat, writtenInMessages } from "./kept-from-messages.ts";
import { RepeatedWords } from "./repeated-words.ts";
import type { AnswerTranslator, Translation } from "./translation.ts";
import { chatContent, isThinker, limitName, namedSse, takesEffort, thoughtIn } from "./wire-parts.ts";

const mediumFrom = 2_048;
const highFrom = 8_192;

function body(json: Json, model: string, keepsThoughts: boolean): Json {
  const thinks = isThinker(model);
  const system = blocksText(json.system);
  const format = record(record(json.output_config).format ?? json.output_format);
  const tools = records(json.tools).flatMap(tool);
  return present({
    model: json.model,
    messages: [
      ...(system === "" ? [] : [{ role: "system", content: system }]),
      ...records(json.messages).flatMap((message) => turn(message, keepsThoughts)),
    ],
    [limitName(model)]: json.max_tokens,
    stream: json.stream,
    stream_options: json.stream === true ? { include_usage: true } : undefined,
    temperature: thinks ? undefined : json.temperature,
    top_p: thinks ? undefined : json.top_p,
    stop: json.stop_sequences,
    tools: tools.length > 0 ? tools : undefined,
    tool_choice: tools.length > 0 ? toolChoice(record(json.tool_choice)) : undefined,
    parallel_tool_calls: record(json.tool_choice).disable_parallel_tool_use === true ? false : undefined,
    reasoning_effort: takesEffort(model) ? effortOf(record(json.thinking)) : undefined,
    response_format:
      format.type === "json_schema"
        ? { type: "json_schema", json_schema: { name: "answer", schema: format.schema, strict: true } }
        : undefined,
    user: record(json.metadata).user_id,
  });
}

/** One message may hold results of tools besides words: each of them is a message of its own over there. */
function turn({ role, content }: Json, keepsThoughts: boolean): Json[] {
  if (typeof content === "string") return [{ role, content }];
  const blocks = records(content);
  if (role === "assistant") {
    const calls = blocks.filter(({ type }) => type === "tool_use").map(toolCall);
    const said = blocksText(blocks);
    if (said === "" && calls.length === 0) return [];
    const thoughts = keepsThoughts ? blocks.filter(isSigned) : [];
    return [
      present({
        role,
        content: said === "" ? undefined : said,
        thinking_blocks: thoughts.length > 0 ? thoughts : undefined,
        tool_calls: calls.length > 0 ? calls : undefined,
      }),
    ];
  }
  const results = blocks.filter(({ type }) => type === "tool_result");
  const parts = blocks.flatMap(part);
  // What a tool shows cannot stand in its result over there: the user shows it right after.
  const shown = results.flatMap((result) =>
    records(result.content)
      .filter(({ type }) => type === "image")
      .flatMap(part),
  );
  const rest = [...shown, ...parts];
  return [
    ...results.map((result) => ({
      role: "tool",
      tool_call_id: result.tool_use_id,
      content: blocksText(result.content),
    })),
    ...(rest.length === 0 ? [] : [{ role: "user", content: chatContent(rest) }]),
  ];
}

const isText = ({ type }: Json): boolean => type === "text";

function blocksText(content: unknown): string {
  if (typeof content === "string") return content;
  return records(content)
    .filter(isText)
    .map((block) => text(block.text))
    .join("\n\n");
}

function part(block: Json): Json[] {
  if (isText(block)) return [{ type: "text", text: text(block.text) }];
  const { type, media_type, data, url } = record(block.source);
  const address = type === "base64" ? `data:${text(media_type)};base64,${text(data)}` : text(url);
  if (block.type === "image") return [{ type: "image_url", image_url: { url: address } }];
  if (block.type !== "document") return [];
  if (type === "text") return [{ type: "text", text: text(data) }];
  return [{ type: "file", file: { filename: text(block.title) || "document.pdf", file_data: address } }];
}

function toolCall({ id, name, input }: Json): Json {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}

/** Tools that the provider runs itself have no `input_schema`, and nobody over there who could run them. */
function tool({ name, description, input_schema }: Json): Json[] {
  if (input_schema === undefined) return [];
  return [{ type: "function", function: present({ name, description, parameters: input_schema }) }];
}

function toolChoice({ type, name }: Json): unknown {
  if (type === "tool") return { type: "function", function: { name } };
  return type === "any" ? "required" : type === "none" ? "none" : undefined;
}

function effortOf({ type, budget_tokens }: Json): string | undefined {
  if (type === "adaptive") return "medium";
  if (type !== "enabled") return undefined;
  const budget = Number(budget_tokens);
  return budget >= highFrom ? "high" : budget >= mediumFrom ? "medium" : "low";
}

/** Without its signature a thought would not be taken back. */
const isSigned = ({ type, signature, data }: Json): boolean =>
  (type === "thinking" && text(signature) !== "") || (type === "redacted_thinking" && text(data) !== "");

const stopReasons: Readonly<Record<string, string>> = {
  length: "max_tokens",
  tool_calls: "tool_use",
  function_call: "tool_use",
  content_filter: "refusal",
};
const stopReason = (finishReason: unknown): string => stopReasons[text(finishReason)] ?? "end_turn";

function messagesUsage(read: ReadUsage | undefined): Json {
  const { input = 0, cache_read = 0, output = 0 } = read?.usage ?? {};
  return {
    input_tokens: input,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cache_read,
    output_tokens: output,
  };
}

function whole(call: Call, answer: Json): Json {
  const [choice = {}] = records(answer.choices);
  const message = record(choice.message);
  const thought = thoughtIn(message);
  const signed = records(message.thinking_blocks).filter(isSigned);
  const unsigned = thought === "" ? [] : [{ type: "thinking", thinking: thought, signature: "" }];
  const content = [
    ...(signed.length > 0 ? signed : unsigned),
    ...(text(message.content) === "" ? [] : [{ type: "text", text: text(message.content) }]),
    ...(text(message.refusal) === "" ? [] : [{ type: "text", text: text(message.refusal) }]),
    ...records(message.tool_calls).map(({ id, function: called }) => ({
      type: "tool_use",
      id,
      name: record(called).name,
      input: parsedObject(text(record(called).arguments)),
    })),
  ];
  return {
    id: `msg_${text(answer.id)}`,
    type: "message",
    role: "assistant",
    model: call.model,
    content,
    stop_reason: stopReason(choice.finish_reason),
    stop_sequence: null,
    usage: messagesUsage(usageFrom(answer.usage)),
  };
}

type BlockKind = "text" | "thinking" | "tool_use";

/** One stream. Over there text, thoughts and tool calls mix freely; here one block ends before the next begins. */
class MessageEvents implements AnswerTranslator {
  readonly #call: Call;
  #hasBegun = false;
  #index = -1;
  /** The open block: its kind, and for a tool call which one it is over there. */
  #open: { kind: BlockKind; call: number } | undefined;
  readonly #calls = new CallsInTurn();
  #stopReason = "end_turn";
  #usage: ReadUsage | undefined;
  readonly #repeated = new RepeatedWords();

  constructor(call: Call) {
    this.#call = call;
  }

  whole(json: Json): Json {
    return whole(this.#call, json);
  }

  event(event: string): string {
    const words = this.#repeated.in(event);
    if (words !== undefined) return this.#again(words);
    const data = eventJson(event);
    this.#repeated.learn(event, data);
    return this.#said(data);
  }

  /** What `#said` makes of words that need no escape, behind others of the same block. */
  #again(words: string): string {
    return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${this.#index},"delta":{"type":"text_delta","text":"${words}"}}\n\n`;
  }

  #said(data: Json): string {
    if (data.choices === undefined && data.usage === undefined) return "";
    const [choice = {}] = records(data.choices);
    const delta = record(choice.delta);
    this.#usage = usageFrom(data.usage) ?? this.#usage;
    if (typeof choice.finish_reason === "string") this.#stopReason = stopReason(choice.finish_reason);
    const thought = thoughtIn(delta);
    const words = text(delta.content) || text(delta.refusal);
    return [
      this.#begin(text(data.id)),
      thought === "" && words === "" ? "" : this.#toolCalls(this.#calls.end()),
      ...(thought === ""
        ? []
        : [this.#block("thinking", 0), this.#delta({ type: "thinking_delta", thinking: thought })]),
      ...records(delta.thinking_blocks).map((block) => this.#signed(block)),
      ...(words === "" ? [] : [this.#block("text", 0), this.#delta({ type: "text_delta", text: words })]),
      ...records(delta.tool_calls).map((part) => this.#toolCalls(this.#calls.push(part))),
    ].join("");
  }

  end(): string {
    const delta = { stop_reason: this.#stopReason, stop_sequence: null };
    return [
      this.#begin(""),
      this.#toolCalls(this.#calls.end()),
      this.#close(),
      namedSse({ type: "message_delta", delta, usage: messagesUsage(this.#usage) }),
      namedSse({ type: "message_stop" }),
    ].join("");
  }

  #begin(id: string): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    const message = {
      id: `msg_${id}`,
      type: "message",
      role: "assistant",
      model: this.#call.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: messagesUsage(undefined),
    };
    return namedSse({ type: "message_start", message });
  }

  /** A block of thoughts is told whole, behind its words. */
  #signed(block: Json): string {
    if (!isSigned(block)) return "";
    if (block.type === "redacted_thinking") {
      const closed = this.#close();
      this.#index += 1;
      const index = this.#index;
      return (
        closed +
        namedSse({ type: "content_block_start", index, content_block: block }) +
        namedSse({ type: "content_block_stop", index })
      );
    }
    const isSaid = this.#open?.kind === "thinking" || text(block.thinking) === "";
    return [
      this.#block("thinking", 0),
      isSaid ? "" : this.#delta({ type: "thinking_delta", thinking: block.thinking }),
      this.#delta({ type: "signature_delta", signature: block.signature }),
      this.#close(),
    ].join("");
  }

  #toolCalls(pieces: readonly CallPiece[]): string {
    return pieces
      .map(({ call, id, name, written }) => {
        const block = this.#block("tool_use", call, { id, name, input: {} });
        return written === "" ? block : block + this.#delta({ type: "input_json_delta", partial_json: written });
      })
      .join("");
  }

  #block(
    kind: BlockKind,
    call: number,
    more: Json = kind === "text" ? { text: "" } : { thinking: "", signature: "" },
  ): string {
    if (this.#open?.kind === kind && this.#open.call === call) return "";
    const closed = this.#close();
    this.#index += 1;
    this.#open = { kind, call };
    return (
      closed + namedSse({ type: "content_block_start", index: this.#index, content_block: { type: kind, ...more } })
    );
  }

  #delta(delta: Json): string {
    return namedSse({ type: "content_block_delta", index: this.#index, delta });
  }

  #close(): string {
    if (!this.#open) return "";
    this.#open = undefined;
    return namedSse({ type: "content_block_stop", index: this.#index });
  }
}

const translation = (keepsThoughts: boolean): Translation => ({
  to: chatCompletions,
  body: (json, model) => body(json, model, keepsThoughts),
  answers: (call) => new MessageEvents(call),
  lost: (json, model) => lostOf(json, keptByChat(json, model, keepsThoughts)),
  writtenAs: writtenInMessages,
});

/** Thoughts stay behind: providers refuse what their interface has no word for. */
export const messagesToChat = translation(false);
/** On the way to somebody who may take them. */
export const messagesThroughChat = translation(true);
