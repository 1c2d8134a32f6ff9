/** Answers of Responses as chat completions. */
import { eventJson } from "../event-text.ts";
import type { Json } from "../json-parts.ts";
import { present, record, records, text } from "../json-parts.ts";
import { usageFrom } from "../shapes/open-ai-usage.ts";
import { doneEvent } from "../shapes/open-ai-wording.ts";
import type { Call } from "../shapes/shape.ts";
import type { ReadUsage } from "../usage.ts";
import { blockOf } from "./sealed-thoughts.ts";
import type { AnswerTranslator } from "./translation.ts";
import { chatUsage, sse } from "./wire-parts.ts";

const incompleteReasons: Readonly<Record<string, string>> = {
  max_output_tokens: "length",
  content_filter: "content_filter",
};

/** The parts of a summary are paragraphs. */
const betweenParts = "\n\n";

/** One answer, whole or event by event. */
export class ResponsesAsChat implements AnswerTranslator {
  readonly #call: Call;
  #created = Math.floor(Date.now() / 1000);
  #id = "";
  #usage: ReadUsage | undefined;
  #serviceTier: unknown;
  #hasBegun = false;
  /** The number of a tool call over here, by its place in the output over there. */
  readonly #calls = new Map<unknown, number>();
  /** How much of a text was said, by where it stands: some providers tell it whole at its end alone. */
  readonly #said = new Map<string, number>();

  constructor(call: Call) {
    this.#call = call;
  }

  whole(json: Json): Json {
    this.#see(json);
    const output = records(json.output);
    const parts = output.filter(({ type }) => type === "message").flatMap(({ content }) => records(content));
    const said = parts.map((part) => text(part.text)).join("");
    const refusal = parts.map((part) => text(part.refusal)).join("");
    const reasoning = output.filter(({ type }) => type === "reasoning");
    const thoughts = reasoning.map(thoughtOf);
    const thinking_blocks = reasoning.flatMap((item) => blockOf(thoughtOf(item), item));
    const annotations = parts.flatMap((part) => records(part.annotations).flatMap(citation));
    const calls = output.flatMap(toolCall);
    const message = present({
      role: "assistant",
      reasoning_content: thoughts.filter((thought) => thought !== "").join(betweenParts) || undefined,
      thinking_blocks: thinking_blocks.length > 0 ? thinking_blocks : undefined,
      annotations: annotations.length > 0 ? annotations : undefined,
      tool_calls: calls.length > 0 ? calls : undefined,
    });
    const content = said === "" && (calls.length > 0 || refusal !== "") ? null : said;
    const choice = { ...message, content, refusal: refusal === "" ? null : refusal };
    const finish_reason = finishReason(json, calls.length > 0);
    return present({
      ...this.#head("chat.completion"),
      choices: [{ index: 0, message: choice, logprobs: logprobs(parts.flatMap(likelihoods)), finish_reason }],
      usage: chatUsage(this.#usage),
    });
  }

  event(event: string): string {
    const data = eventJson(event);
    switch (data.type) {
      case "response.created":
        this.#see(record(data.response));
        return this.#begin();
      case "response.output_item.added":
        return this.#opened(data);
      case "response.output_item.done":
        return this.#closed(record(data.item));
      case "response.output_text.delta":
        return this.#words(data, "content", likelihoods(data));
      case "response.output_text.done":
        return this.#rest(data, "content", text(data.text));
      case "response.refusal.delta":
        return this.#words(data, "refusal");
      case "response.refusal.done":
        return this.#rest(data, "refusal", text(data.refusal));
      case "response.reasoning_summary_part.added":
        return Number(data.summary_index) > 0 ? this.#delta({ reasoning_content: betweenParts }) : "";
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return this.#words(data, "reasoning_content");
      case "response.output_text.annotation.added": {
        const annotations = citation(record(data.annotation));
        return annotations.length > 0 ? this.#delta({ annotations }) : "";
      }
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta":
        return this.#written(data, text(data.delta));
      case "response.function_call_arguments.done":
        return this.#written(data, this.#unsaid(data, text(data.arguments)));
      case "response.custom_tool_call_input.done":
        return this.#written(data, this.#unsaid(data, text(data.input)));
      case "response.completed":
      case "response.incomplete":
        return this.#finished(record(data.response));
      default:
        return "";
    }
  }

  end(): string {
    const usage = this.#call.wantsUsage ? chatUsage(this.#usage) : undefined;
    return this.#begin() + (usage ? sse({ ...this.#head(), choices: [], usage }) : "") + doneEvent;
  }

  #see(response: Json): void {
    this.#id ||= text(response.id).replace(/^resp_/, "");
    if (typeof response.created_at === "number") this.#created = Math.floor(response.created_at);
    this.#usage = usageFrom(response.usage) ?? this.#usage;
    this.#serviceTier = response.service_tier ?? this.#serviceTier;
  }

  #begin(): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    return this.#chunk({ role: "assistant", content: "" });
  }

  #opened(data: Json): string {
    const item = record(data.item);
    const [call] = toolCall(item);
    if (!call) return "";
    const index = this.#calls.size;
    this.#calls.set(data.output_index, index);
    // Its arguments follow, or come with the event that ends it.
    const empty = item.type === "custom_tool_call" ? { custom: { name: item.name, input: "" } } : {};
    const called = item.type === "function_call" ? { function: { name: item.name, arguments: "" } } : {};
    return this.#delta({ tool_calls: [{ index, id: call.id, type: call.type, ...called, ...empty }] });
  }

  #closed(item: Json): string {
    const thinking_blocks = item.type === "reasoning" ? blockOf(thoughtOf(item), item) : [];
    return thinking_blocks.length > 0 ? this.#delta({ thinking_blocks }) : "";
  }

  #written(data: Json, written: string): string {
    const index = this.#calls.get(data.output_index);
    if (index === undefined || written === "") return "";
    this.#note(data, written);
    const isCustom = text(data.type).startsWith("response.custom");
    const more = isCustom ? { custom: { input: written } } : { function: { arguments: written } };
    return this.#delta({ tool_calls: [{ index, ...more }] });
  }

  #words(data: Json, member: string, likely: readonly Json[] = []): string {
    const words = text(data.delta);
    if (words === "") return "";
    this.#note(data, words);
    return this.#delta({ [member]: words }, likely);
  }

  #rest(data: Json, member: string, whole: string): string {
    const words = this.#unsaid(data, whole);
    return words === "" ? "" : this.#delta({ [member]: words });
  }

  #note(data: Json, words: string): void {
    const where = placeOf(data);
    this.#said.set(where, (this.#said.get(where) ?? 0) + words.length);
  }

  #unsaid(data: Json, whole: string): string {
    return whole.slice(this.#said.get(placeOf(data)) ?? 0);
  }

  #finished(response: Json): string {
    this.#see(response);
    const reason = finishReason(response, this.#calls.size > 0);
    return this.#begin() + this.#chunk({}, [], reason);
  }

  #delta(delta: Json, likely: readonly Json[] = []): string {
    return this.#begin() + this.#chunk(delta, likely);
  }

  #chunk(delta: Json, likely: readonly Json[] = [], finish_reason: string | null = null): string {
    return sse({ ...this.#head(), choices: [{ index: 0, delta, logprobs: logprobs(likely), finish_reason }] });
  }

  #head(object = "chat.completion.chunk"): Json {
    const { model } = this.#call;
    const id = `chatcmpl-${this.#id}`;
    return present({ id, object, created: this.#created, model, service_tier: this.#serviceTier });
  }
}

/** Where a text stands: in which part of which item. */
const placeOf = ({ output_index, content_index, summary_index }: Json): string =>
  `${String(output_index)}/${String(content_index ?? summary_index ?? "")}`;

function finishReason({ status, incomplete_details }: Json, hasCalls: boolean): string {
  const reason = status === "incomplete" ? incompleteReasons[text(record(incomplete_details).reason)] : undefined;
  return reason ?? (hasCalls ? "tool_calls" : "stop");
}

/** OpenAI tells a summary; models that anybody can run tell what they thought. */
function thoughtOf({ summary, content }: Json): string {
  const parts = records(summary).length > 0 ? records(summary) : records(content);
  return parts.map((part) => text(part.text)).join(betweenParts);
}

function toolCall({ type, call_id, name, arguments: written, input }: Json): Json[] {
  if (type === "function_call") {
    return [{ id: call_id, type: "function", function: { name, arguments: text(written) } }];
  }
  return type === "custom_tool_call" ? [{ id: call_id, type: "custom", custom: { name, input: text(input) } }] : [];
}

/** Chat completions cite addresses alone. */
const citation = ({ type, ...cited }: Json): Json[] => (type === "url_citation" ? [{ type, url_citation: cited }] : []);

/** The words are the same in both interfaces, also those about likelihoods. */
const likelihoods = (part: Json): Json[] => records(part.logprobs);
const logprobs = (content: readonly Json[]): Json | null => (content.length > 0 ? { content, refusal: null } : null);
