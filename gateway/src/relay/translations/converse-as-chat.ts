/** Answers of Bedrock's Converse as chat completions. */
import { randomUUID } from "node:crypto";
import { eventJson } from "../event-text.ts";
import type { Json } from "../json-parts.ts";
import { present, record, records, text } from "../json-parts.ts";
import { converseUsage } from "../shapes/bedrock-converse.ts";
import { doneEvent } from "../shapes/open-ai-wording.ts";
import type { Call } from "../shapes/shape.ts";
import type { ReadUsage } from "../usage.ts";
import type { AnswerTranslator } from "./translation.ts";
import { chatUsage, sse } from "./wire-parts.ts";

const finishReasons: Readonly<Record<string, string>> = {
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_calls",
  guardrail_intervened: "content_filter",
  content_filtered: "content_filter",
};

/** Some models say that they ended where they have called tools. */
function finishReason(stopReason: unknown, hasCalls: boolean): string {
  const reason = finishReasons[text(stopReason)] ?? "stop";
  return reason === "stop" && hasCalls ? "tool_calls" : reason;
}

/** Thoughts that are signed or sealed: whoever sends them back keeps the model's train of thought. */
function thinkingBlock({ reasoningText, redactedContent }: Json): Json[] {
  if (redactedContent !== undefined) return [{ type: "redacted_thinking", data: redactedContent }];
  const { text: thinking, signature } = record(reasoningText);
  return text(signature) === "" ? [] : [{ type: "thinking", thinking: text(thinking), signature }];
}

/** Answers have no ids there. */
const newId = (): string => `chatcmpl-${randomUUID().replaceAll("-", "")}`;

/** One answer, whole or event by event. */
export class ConverseAsChat implements AnswerTranslator {
  readonly #call: Call;
  readonly #created = Math.floor(Date.now() / 1000);
  readonly #id = newId();
  #usage: ReadUsage | undefined;
  #calls = -1;
  /** The tool call that is being said lacks its arguments. */
  #lacksArguments = false;
  /** What was thought since the last block of thoughts ended. */
  #thinking = "";
  #signature = "";

  constructor(call: Call) {
    this.#call = call;
  }

  whole({ output, stopReason, usage }: Json): Json {
    const blocks = records(record(record(output).message).content);
    const said = blocks.map((block) => text(block.text) + citedIn(block)).join("");
    const thoughts = blocks.map(({ reasoningContent }) => record(reasoningContent));
    const reasoning = thoughts.map(({ reasoningText }) => text(record(reasoningText).text)).join("");
    const thinking_blocks = thoughts.flatMap(thinkingBlock);
    const tool_calls = blocks
      .filter(({ toolUse }) => toolUse !== undefined)
      .map(({ toolUse }) => callOf(record(toolUse)));
    const hasCalls = tool_calls.length > 0;
    const message = present({
      reasoning_content: reasoning === "" ? undefined : reasoning,
      thinking_blocks: thinking_blocks.length > 0 ? thinking_blocks : undefined,
      tool_calls: hasCalls ? tool_calls : undefined,
    });
    const choice = { role: "assistant", content: said === "" && hasCalls ? null : said, ...message };
    const finish_reason = finishReason(stopReason, hasCalls);
    return present({
      ...this.#head("chat.completion"),
      choices: [{ index: 0, message: choice, logprobs: null, finish_reason }],
      usage: chatUsage(converseUsage(usage)),
    });
  }

  event(event: string): string {
    const data = eventJson(event);
    if (data.messageStart !== undefined) return this.#chunk({ role: "assistant", content: "" });
    if (data.contentBlockStart !== undefined) return this.#opened(record(record(data.contentBlockStart).start));
    if (data.contentBlockDelta !== undefined) return this.#said(record(record(data.contentBlockDelta).delta));
    if (data.contentBlockStop !== undefined) return this.#closed();
    if (data.metadata !== undefined) this.#usage = converseUsage(record(data.metadata).usage);
    if (data.messageStop === undefined) return "";
    return this.#chunk({}, finishReason(record(data.messageStop).stopReason, this.#calls >= 0));
  }

  end(): string {
    const usage = this.#call.wantsUsage ? chatUsage(this.#usage) : undefined;
    return (usage ? sse({ ...this.#head("chat.completion.chunk"), choices: [], usage }) : "") + doneEvent;
  }

  #opened({ toolUse }: Json): string {
    if (toolUse === undefined) return "";
    const { toolUseId, name } = record(toolUse);
    this.#calls += 1;
    this.#lacksArguments = true;
    const called = { name, arguments: "" };
    return this.#chunk({ tool_calls: [{ index: this.#calls, id: toolUseId, type: "function", function: called }] });
  }

  #said({ text: words, toolUse, reasoningContent, citation: _ }: Json): string {
    if (typeof words === "string") return this.#chunk({ content: words });
    if (toolUse !== undefined) return this.#written(text(record(toolUse).input));
    const { text: thinking, signature, redactedContent } = record(reasoningContent);
    if (redactedContent !== undefined) return this.#chunk({ thinking_blocks: thinkingBlock({ redactedContent }) });
    this.#thinking += text(thinking);
    this.#signature += text(signature);
    return text(thinking) === "" ? "" : this.#chunk({ reasoning_content: thinking });
  }

  #written(input: string): string {
    if (input === "") return "";
    this.#lacksArguments = false;
    return this.#chunk({ tool_calls: [{ index: this.#calls, function: { arguments: input } }] });
  }

  #closed(): string {
    // A call without arguments is said by no delta, but callers read them as JSON.
    const missing = this.#lacksArguments ? this.#written("{}") : "";
    const reasoningText = { text: this.#thinking, signature: this.#signature };
    const thinking_blocks = thinkingBlock({ reasoningText });
    this.#thinking = "";
    this.#signature = "";
    return missing + (thinking_blocks.length > 0 ? this.#chunk({ thinking_blocks }) : "");
  }

  #head(object: string): Json {
    return { id: this.#id, object, created: this.#created, model: this.#call.model };
  }

  #chunk(delta: Json, finish_reason: string | null = null): string {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason }];
    return sse({ ...this.#head("chat.completion.chunk"), choices });
  }
}

const citedIn = ({ citationsContent }: Json): string =>
  records(record(citationsContent).content)
    .map((part) => text(part.text))
    .join("");

const callOf = ({ toolUseId, name, input }: Json): Json => ({
  id: toolUseId,
  type: "function",
  function: { name, arguments: JSON.stringify(input ?? {}) },
});
