// The grammar of each format's streams, as its reference states it: what follows what, what is sent
// once, what must match. Each reader throws where a stream breaks it, and answers what was heard.
import { findEventData, SseSplitter } from "@tollgate/gateway/relay/wire/sse-splitter.ts";
import type { ConversationEndpoint } from "./conversation-scenario.ts";

export interface ParsedStream {
  text: string;
  thought: string;
  calls: { name: string; input: string }[];
  /** Tokens of the answer, where they were reported. */
  output: number | undefined;
}

// biome-ignore lint/suspicious/noExplicitAny: events of every structure are read
type GrammarEvent = any;

function assertGrammar(holds: boolean, what: string, event?: GrammarEvent): asserts holds {
  if (!holds) throw new Error(event === undefined ? what : `${what}: ${JSON.stringify(event)}`);
}

/** The data of each event, as texts. */
export function dataOf(stream: string): string[] {
  const { bytes, ends } = new SseSplitter().push(Buffer.from(stream));
  assertGrammar((ends.at(-1) ?? 0) === bytes.length, "the stream ends with a whole event");
  return ends.flatMap((end, at) => {
    const data = findEventData(bytes.toString("utf8", ends[at - 1] ?? 0, end));
    return data === undefined ? [] : [data];
  });
}

const parsed = (data: readonly string[]): GrammarEvent[] => data.map((text) => JSON.parse(text));

/**
 * Chunks of one id; for each choice one role, text, whole calls in order, one reason; then usage,
 * then `[DONE]`.
 */
function chat(stream: string): ParsedStream {
  const data = dataOf(stream);
  assertGrammar(data.at(-1) === "[DONE]", "it ends with [DONE]");
  const chunks = parsed(data.slice(0, -1));
  const heard: ParsedStream = { text: "", thought: "", calls: [], output: undefined };
  let reasons = 0;
  const customCalls = new Set<{ input: string }>();
  for (const [at, chunk] of chunks.entries()) {
    assertGrammar(
      chunk.object === "chat.completion.chunk" && chunk.id === chunks[0].id,
      "a chunk of this answer",
      chunk,
    );
    assertGrammar(heard.output === undefined, "usage is the last", chunk);
    if (chunk.usage) {
      assertGrammar(
        chunk.choices.length === 0 && reasons === 1,
        "usage stands alone, behind the reason",
        chunk,
      );
      heard.output = chunk.usage.completion_tokens;
      continue;
    }
    const [{ delta, finish_reason }] = chunk.choices;
    assertGrammar(at > 0 || delta.role === "assistant", "the first tells the role", chunk);
    assertGrammar(reasons === 0, "nothing is said behind the reason", chunk);
    heard.text += delta.content ?? delta.refusal ?? "";
    heard.thought += delta.reasoning_content ?? "";
    for (const { index, id, function: called, custom } of delta.tool_calls ?? []) {
      if (id !== undefined) {
        assertGrammar(index === heard.calls.length, "calls are numbered in turn", chunk);
        heard.calls.push({ name: (called ?? custom).name, input: "" });
      }
      const call = heard.calls[index];
      assertGrammar(call !== undefined, "a call begins with its id", chunk);
      call.input += custom ? custom.input : called.arguments;
      if (custom) customCalls.add(call);
    }
    if (finish_reason !== null) reasons += 1;
  }
  assertGrammar(reasons === 1, "there is one reason");
  // The input of a custom tool is text; formats that know functions alone have it as their one
  // argument.
  for (const call of customCalls) call.input = JSON.stringify({ input: call.input });
  return heard;
}

const deltasOf: Record<string, readonly string[]> = {
  text: ["text_delta", "citations_delta"],
  thinking: ["thinking_delta", "signature_delta"],
  tool_use: ["input_json_delta"],
  redacted_thinking: [],
};

/**
 * `message_start`, blocks one after the other with their numbers, `message_delta`, `message_stop`.
 */
function messages(stream: string): ParsedStream {
  const heard: ParsedStream = { text: "", thought: "", calls: [], output: undefined };
  let state: "before" | "between" | "inside" | "told" | "over" = "before";
  let index = -1;
  let block: GrammarEvent;
  for (const event of parsed(dataOf(stream))) {
    switch (event.type) {
      case "ping":
        assertGrammar(state !== "before" && state !== "over", "a ping is inside", event);
        break;
      case "message_start":
        assertGrammar(
          state === "before" && event.message.content.length === 0,
          "it begins once, with nothing",
          event,
        );
        assertGrammar(
          event.message.stop_reason === null && event.message.role === "assistant",
          "it begins open",
          event,
        );
        state = "between";
        break;
      case "content_block_start":
        assertGrammar(
          state === "between" && event.index === index + 1,
          "blocks begin in turn",
          event,
        );
        index += 1;
        block = event.content_block;
        assertGrammar(deltasOf[block.type] !== undefined, "a kind of block", event);
        if (block.type === "tool_use") {
          assertGrammar(Object.keys(block.input).length === 0, "input comes in pieces", event);
          heard.calls.push({ name: block.name, input: "" });
        }
        state = "inside";
        break;
      case "content_block_delta": {
        assertGrammar(
          state === "inside" && event.index === index,
          "a piece of the open block",
          event,
        );
        assertGrammar(
          deltasOf[block.type]?.includes(event.delta.type) ?? false,
          "a piece of its kind",
          event,
        );
        heard.text += event.delta.text ?? "";
        heard.thought += event.delta.thinking ?? "";
        const call = heard.calls.at(-1);
        if (call) call.input += event.delta.partial_json ?? "";
        break;
      }
      case "content_block_stop":
        assertGrammar(state === "inside" && event.index === index, "the open block ends", event);
        state = "between";
        break;
      case "message_delta":
        assertGrammar(
          state === "between" && typeof event.delta.stop_reason === "string",
          "one reason",
          event,
        );
        heard.output = event.usage.output_tokens;
        state = "told";
        break;
      case "message_stop":
        assertGrammar(state === "told", "the stop is the last", event);
        state = "over";
        break;
      default:
        assertGrammar(false, "a known event", event);
    }
  }
  assertGrammar(state === "over", "it ends");
  return heard;
}

/**
 * Numbers without gaps; every item is added, sent in pieces and done, and the last event repeats
 * them all.
 */
function responses(stream: string): ParsedStream {
  const data = dataOf(stream);
  const events = parsed(data.at(-1) === "[DONE]" ? data.slice(0, -1) : data);
  const heard: ParsedStream = { text: "", thought: "", calls: [], output: undefined };
  const items = new Map<
    number,
    { id: string; said: string; parts: number; citations: number; done: GrammarEvent }
  >();
  for (const [at, event] of events.entries()) {
    assertGrammar(event.sequence_number === at, "events are numbered", event);
    const name: string = event.type.replace(/^response\./, "");
    const item = items.get(event.output_index);
    if (at < 2)
      assertGrammar(
        name === ["created", "in_progress"][at],
        "it begins with created and in_progress",
        event,
      );
    else if (name === "output_item.added") {
      assertGrammar(event.output_index === items.size, "items are added in turn", event);
      items.set(event.output_index, {
        id: event.item.id,
        said: "",
        parts: 0,
        citations: 0,
        done: undefined,
      });
    } else if (["completed", "incomplete"].includes(name)) {
      assertGrammar(at === events.length - 1, "the end is the last", event);
      assertGrammar(event.response.status === name, "its status is its name", event);
      assertGrammar(
        JSON.stringify(event.response.output) ===
          JSON.stringify([...items.values()].map(({ done }) => done)),
        "the end repeats all items, which are done",
        event,
      );
      heard.output = event.response.usage?.output_tokens;
    } else {
      assertGrammar(
        item !== undefined && item.done === undefined,
        "a piece of an item that is open",
        event,
      );
      assertGrammar(
        event.item_id === undefined || event.item_id === item.id,
        "an item keeps its id",
        event,
      );
      if (name === "output_text.annotation.added") {
        assertGrammar(item.parts === 1, "a citation belongs to a part", event);
        assertGrammar(event.annotation_index === item.citations, "citations are numbered", event);
        item.citations += 1;
      } else if (name.startsWith("image_generation_call.")) {
        assertGrammar(item.parts === 0, "a picture has no parts", event);
      } else if (name.endsWith("part.added")) item.parts += 1;
      else if (name.endsWith("part.done")) item.parts -= 1;
      else if (name.endsWith(".delta")) {
        assertGrammar(
          item.parts === 1 || name.startsWith("function_call"),
          "words belong to a part",
          event,
        );
        item.said += event.delta;
      } else if (name === "output_item.done") {
        assertGrammar(
          item.parts === 0 && event.item.id === item.id,
          "parts end before their item",
          event,
        );
        item.done = event.item;
        addItem(heard, event.item, item.said);
      } else {
        const whole = event.text ?? event.refusal ?? event.arguments;
        assertGrammar(
          name.endsWith(".done") && whole === item.said,
          "what is done is what was said",
          event,
        );
      }
    }
  }
  assertGrammar(events.length > 2 && /completed|incomplete/.test(events.at(-1).type), "it ends");
  return heard;
}

function addItem(heard: ParsedStream, item: GrammarEvent, said: string): void {
  if (item.type === "reasoning") heard.thought += said;
  else if (item.type === "function_call") {
    assertGrammar(item.arguments === said, "arguments are what was said", item);
    heard.calls.push({ name: item.name, input: said });
  } else heard.text += said;
}

/** Answers of one id and model; one candidate, whole calls, and a reason with the last alone. */
function gemini(stream: string): ParsedStream {
  const heard: ParsedStream = { text: "", thought: "", calls: [], output: undefined };
  const answers = parsed(dataOf(stream));
  for (const [at, answer] of answers.entries()) {
    assertGrammar(answer.responseId === answers[0].responseId, "an answer of this stream", answer);
    if (answer.promptFeedback) continue;
    const [{ content, finishReason }] = answer.candidates;
    assertGrammar(content.role === "model", "the model speaks", answer);
    assertGrammar(
      (finishReason !== undefined) === (at === answers.length - 1),
      "the last alone has a reason",
      answer,
    );
    for (const { text = "", thought, functionCall } of content.parts) {
      if (functionCall)
        heard.calls.push({ name: functionCall.name, input: JSON.stringify(functionCall.args) });
      else if (thought) heard.thought += text;
      else heard.text += text;
    }
    const { candidatesTokenCount, thoughtsTokenCount = 0 } = answer.usageMetadata ?? {};
    if (candidatesTokenCount !== undefined)
      heard.output = candidatesTokenCount + thoughtsTokenCount;
  }
  assertGrammar(answers.length > 0, "there is an answer");
  return heard;
}

export const grammarReaders: Readonly<
  Record<ConversationEndpoint, (stream: string) => ParsedStream>
> = {
  "Chat Completions": chat,
  Responses: responses,
  Messages: messages,
  Gemini: gemini,
};
