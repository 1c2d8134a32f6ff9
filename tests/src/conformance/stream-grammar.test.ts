// Streams that the gateway writes keep the grammar of their format, whatever the provider sends.
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ConversationEndpoint, conversationEndpoints } from "./conversation-scenario.ts";
import { callOf, entryOf, translated } from "./in-process-relay.ts";
import { grammarReaders, type ParsedStream } from "./stream-grammar.ts";
import { streamedReply, streamNames } from "./wire-fixtures.ts";

const wires: Readonly<Record<ConversationEndpoint, string>> = {
  "Chat Completions": "openai-chat",
  Responses: "openai-responses",
  Messages: "anthropic-messages",
  Gemini: "gemini",
};
const scenes = (wire: string) =>
  streamNames(wire).filter((name) => name !== "broken" && name !== "completion");

describe("the fixtures themselves", () => {
  test.each(
    conversationEndpoints.flatMap((entry) =>
      scenes(wires[entry]).map((scene) => ({ entry, scene })),
    ),
  )("$entry: $scene", ({ entry, scene }) => {
    expect(() =>
      grammarReaders[entry](streamedReply(wires[entry], scene).bytes.toString()),
    ).not.toThrow();
  });
});

/** `ReplyPart` is one step of an answer: one kind of content, in pieces. */
interface ReplyPart {
  kind: "text" | "thought" | "call";
  /** `name` is that of the function that is called. */
  name: string;
  pieces: string[];
}

const piece = fc.string({ minLength: 1, maxLength: 12, unit: "grapheme" });
const words = fc.array(piece, { minLength: 1, maxLength: 4 });
const argument = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,6}$/),
  fc.oneof(piece, fc.integer(), fc.boolean()),
  {
    maxKeys: 3,
  },
);
const call = fc
  .tuple(fc.stringMatching(/^[a-z_]{1,12}$/), argument, fc.nat(30))
  .map(([name, input, at]): ReplyPart => {
    const text = JSON.stringify(input);
    return {
      kind: "call",
      name,
      pieces: [text.slice(0, at), text.slice(at)].filter((one) => one !== ""),
    };
  });
const thoughts = words.map((pieces): ReplyPart => ({ kind: "thought", name: "", pieces }));
const texts = words.map((pieces): ReplyPart => ({ kind: "text", name: "", pieces }));
/** `answer` is as models speak: thoughts first, calls last. */
const answer = fc
  .tuple(fc.option(thoughts), fc.option(texts), fc.array(call, { maxLength: 3 }))
  .map(([thought, text, calls]) => [thought, text, ...calls].filter((step) => step !== null));

const sse = (data: unknown): string => `data: ${JSON.stringify(data)}\n\n`;
const usage = { prompt_tokens: 5, completion_tokens: 9 };

function chatStream(steps: readonly ReplyPart[]): string[] {
  let calls = -1;
  const chunk = (delta: object, finish_reason: string | null = null) =>
    sse({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const events = steps.flatMap((step) => {
    if (step.kind === "text") return step.pieces.map((content) => chunk({ content }));
    if (step.kind === "thought")
      return step.pieces.map((reasoning_content) => chunk({ reasoning_content }));
    calls += 1;
    const index = calls;
    const begun = {
      index,
      id: `call_${index}`,
      type: "function",
      function: { name: step.name, arguments: "" },
    };
    const rest = step.pieces.map((written) =>
      chunk({ tool_calls: [{ index, function: { arguments: written } }] }),
    );
    return [chunk({ tool_calls: [begun] }), ...rest];
  });
  return [
    chunk({ role: "assistant", content: "" }),
    ...events,
    chunk({}, calls >= 0 ? "tool_calls" : "stop"),
    sse({ id: "chatcmpl-1", object: "chat.completion.chunk", choices: [], usage }),
    "data: [DONE]\n\n",
  ];
}

function messagesStream(steps: readonly ReplyPart[]): string[] {
  const blocks = steps.flatMap((step, index) => {
    const begun = {
      text: { type: "text", text: "" },
      thought: { type: "thinking", thinking: "", signature: "" },
      call: { type: "tool_use", id: `toolu_${index}`, name: step.name, input: {} },
    }[step.kind];
    const delta = (text: string) =>
      ({
        text: { type: "text_delta", text: text },
        thought: { type: "thinking_delta", thinking: text },
        call: { type: "input_json_delta", partial_json: text },
      })[step.kind];
    const signed = step.kind === "thought" ? [{ type: "signature_delta", signature: "c2ln" }] : [];
    return [
      sse({ type: "content_block_start", index, content_block: begun }),
      ...[...step.pieces.map(delta), ...signed].map((one) =>
        sse({ type: "content_block_delta", index, delta: one }),
      ),
      sse({ type: "content_block_stop", index }),
    ];
  });
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
  };
  const stop_reason = steps.at(-1)?.kind === "call" ? "tool_use" : "end_turn";
  return [
    sse({
      type: "message_start",
      message: { ...message, usage: { input_tokens: 5, output_tokens: 1 } },
    }),
    ...blocks,
    sse({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: 9 },
    }),
    sse({ type: "message_stop" }),
  ];
}

function geminiStream(steps: readonly ReplyPart[]): string[] {
  const parts = steps.flatMap((step): object[] =>
    step.kind === "call"
      ? [{ functionCall: { name: step.name, args: JSON.parse(step.pieces.join("")) } }]
      : step.pieces.map((text) => (step.kind === "thought" ? { text, thought: true } : { text })),
  );
  const all = parts.length > 0 ? parts : [{ text: "" }];
  return all.map((part, at) => {
    const isLast = at === all.length - 1;
    const candidate = {
      content: { role: "model", parts: [part] },
      ...(isLast && { finishReason: "STOP" }),
      index: 0,
    };
    const usageMetadata = { promptTokenCount: 5, ...(isLast && { candidatesTokenCount: 9 }) };
    return sse({ candidates: [candidate], usageMetadata, modelVersion: "m", responseId: "r1" });
  });
}

/** Compatible servers number all calls alike, and distinguish them by their ids. */
const numberedAlike = (events: readonly string[]): string[] =>
  events.map((event) => event.replace(/"tool_calls":\[\{"index":\d+/, '"tool_calls":[{"index":0'));

/** Or they write calls in turns: the second begins before the first is complete. */
function inTurns(events: readonly string[]): string[] {
  const isCall = (event: string) => event.includes('"tool_calls":[');
  const numberOf = (event: string) => Number(/"tool_calls":\[\{"index":(\d+)/.exec(event)?.[1]);
  const calls = Map.groupBy(events.filter(isCall), numberOf);
  const longest = Math.max(0, ...[...calls.values()].map(({ length }) => length));
  const turns = Array.from({ length: longest }, (_, at) =>
    [...calls.values()].flatMap((of) => of.slice(at, at + 1)),
  );
  const first = events.findIndex(isCall);
  return events.flatMap((event, at) =>
    at === first ? turns.flat() : isCall(event) ? [] : [event],
  );
}

const written: Readonly<Record<string, (steps: readonly ReplyPart[]) => string[]>> = {
  "Chat Completions": chatStream,
  Messages: messagesStream,
  Gemini: geminiStream,
};

/**
 * `habits` are what is legal, or usual enough among compatible servers, though OpenAI itself writes
 * no such streams.
 */
const habits: Readonly<Record<string, (events: readonly string[]) => string[]>> = {
  "numbered alike": numberedAlike,
  "written in turns": inTurns,
};

describe.each(Object.keys(habits))("a compatible server whose calls are %s", (habit) => {
  test.each(conversationEndpoints.filter((entry) => entry !== "Chat Completions"))(
    "is understood by clients of %s",
    (entry) => {
      fc.assert(
        fc.property(answer, (steps) => {
          const events = habits[habit]?.(chatStream(steps)) ?? [];
          expect(
            outcome(grammarReaders[entry](translated(callOf(entry), "chat_completions", events))),
          ).toEqual(heardIn(steps));
        }),
      );
    },
  );
});

describe("a compatible server that mixes words, thoughts and calls", () => {
  test.each(conversationEndpoints.filter((entry) => entry !== "Chat Completions"))(
    "is understood by clients of %s",
    (entry) => {
      fc.assert(
        fc.property(fc.array(fc.oneof(thoughts, texts, call), { maxLength: 6 }), (steps) => {
          const heard = grammarReaders[entry](
            translated(callOf(entry), "chat_completions", chatStream(steps)),
          );
          expect(outcome(heard)).toEqual(heardIn(steps));
        }),
      );
    },
  );
});

/** Calls by what they ask for: how it is written does not matter. */
const outcome = (heard: ParsedStream) => ({
  ...heard,
  calls: heard.calls.map(({ name, input }) => ({ name, input: JSON.parse(input) as unknown })),
});

const heardIn = (steps: readonly ReplyPart[]) => {
  const joined = (kind: string) =>
    steps.flatMap((step) => (step.kind === kind ? step.pieces : [])).join("");
  const calls = steps.flatMap((step) =>
    step.kind === "call" ? [{ name: step.name, input: JSON.parse(step.pieces.join("")) }] : [],
  );
  return { text: joined("text"), thought: joined("thought"), calls, output: 9 };
};

describe.each(Object.keys(written) as ConversationEndpoint[])(
  "what a provider of %s says",
  (spoken) => {
    test.each(conversationEndpoints.filter((entry) => entry !== spoken))(
      "is written in the grammar of %s, and nothing is lost",
      (entry) => {
        fc.assert(
          fc.property(answer, (steps) => {
            const events = written[spoken]?.(steps) ?? [];
            expect(
              outcome(grammarReaders[entry](translated(callOf(entry), entryOf(spoken), events))),
            ).toEqual(heardIn(steps));
          }),
        );
      },
    );
  },
);
