// Answers as providers give them, read from a folder, and what a client must be told of each:
// text, calls, how it ended and what was counted, read by the provider's own reference.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { ApiEndpoint } from "@tollgate/gateway/relay/formats/api-format.ts";
import type { ConversationEndpoint } from "./conversation-scenario.ts";

// biome-ignore lint/suspicious/noExplicitAny: answers of every structure are read
type RecordedEvent = any;

/** `EndClass` is why an answer ended, in the words of no format. */
export type EndClass = "stop" | "length" | "calls" | "refused";

/**
 * `ToldAnswer` is what a client acts on; tokens are those of the whole prompt, cached ones
 * included, and of the answer with its thoughts.
 */
export interface ToldAnswer {
  text: string;
  calls: { name: string; input: unknown }[];
  end: EndClass | undefined;
  tokens: { input: number; cached: number; output: number } | undefined;
}

export interface Recording {
  /** Its path below the folder. */
  name: string;
  speaks: ApiEndpoint;
  isStream: boolean;
  /** The events as JSON, or the one answer. */
  bodies: string[];
  told: ToldAnswer;
}

const parse = (text: string): RecordedEvent => JSON.parse(text || "{}");
const endsOf: Readonly<Record<string, EndClass>> = {
  ...{
    stop: "stop",
    length: "length",
    tool_calls: "calls",
    function_call: "calls",
    content_filter: "refused",
  },
  ...{
    end_turn: "stop",
    stop_sequence: "stop",
    max_tokens: "length",
    tool_use: "calls",
    refusal: "refused",
  },
  ...{ STOP: "stop", MAX_TOKENS: "length", SAFETY: "refused", PROHIBITED_CONTENT: "refused" },
  ...{ completed: "stop", max_output_tokens: "length" },
};

function tokensOfChat(usage: RecordedEvent): ToldAnswer["tokens"] {
  if (!usage) return undefined;
  return {
    input: usage.prompt_tokens,
    cached:
      usage.prompt_tokens_details?.cached_tokens ??
      usage.prompt_cache_hit_tokens ??
      usage.cached_tokens ??
      0,
    // xAI counts thoughts beside `completion_tokens`, in `total_tokens` alone.
    output: Math.max(usage.completion_tokens, (usage.total_tokens ?? 0) - usage.prompt_tokens),
  };
}

function tokensOfMessages(usage: RecordedEvent): ToldAnswer["tokens"] {
  if (!usage) return undefined;
  const cached = usage.cache_read_input_tokens ?? 0;
  const written = usage.cache_creation_input_tokens ?? 0;
  return {
    input: (usage.input_tokens ?? 0) + cached + written,
    cached,
    output: usage.output_tokens,
  };
}

function tokensOfGemini(usage: RecordedEvent): ToldAnswer["tokens"] {
  if (!usage) return undefined;
  return {
    input: (usage.promptTokenCount ?? 0) + (usage.toolUsePromptTokenCount ?? 0),
    cached: usage.cachedContentTokenCount ?? 0,
    output: (usage.candidatesTokenCount ?? 0) + (usage.thoughtsTokenCount ?? 0),
  };
}

function tokensOfResponses(usage: RecordedEvent): ToldAnswer["tokens"] {
  if (!usage) return undefined;
  return {
    input: usage.input_tokens,
    cached: usage.input_tokens_details?.cached_tokens ?? 0,
    output: usage.output_tokens,
  };
}

function tokensOfConverse(usage: RecordedEvent): ToldAnswer["tokens"] {
  if (!usage) return undefined;
  const cached = usage.cacheReadInputTokens ?? 0;
  const written = usage.cacheWriteInputTokens ?? 0;
  return { input: usage.inputTokens + cached + written, cached, output: usage.outputTokens };
}

/** The text of a message of chat completions, which Mistral sends in parts. */
const textOfChat = (content: RecordedEvent): string =>
  Array.isArray(content)
    ? content.map(({ text = "" }: RecordedEvent) => text).join("")
    : (content ?? "");

function readChat(events: readonly RecordedEvent[]): ToldAnswer {
  const told: ToldAnswer = { text: "", calls: [], end: undefined, tokens: undefined };
  const calls = new Map<number, { name: string; input: string; isCustom: boolean }>();
  for (const event of events) {
    told.tokens = tokensOfChat(event.usage ?? event.x_groq?.usage) ?? told.tokens;
    const [choice] = event.choices ?? [];
    if (!choice) continue;
    const message = choice.message ?? choice.delta ?? {};
    told.text += textOfChat(message.content) + (message.refusal ?? "");
    for (const [at, { index = at, function: called, custom }] of (
      message.tool_calls ?? []
    ).entries()) {
      const call = calls.get(index) ?? { name: "", input: "", isCustom: custom !== undefined };
      const { name, arguments: given, input = given } = called ?? custom ?? {};
      calls.set(index, { ...call, name: name || call.name, input: call.input + (input ?? "") });
    }
    told.end = endsOf[choice.finish_reason] ?? told.end;
  }
  told.calls = [...calls.values()].map(({ name, input, isCustom }) => ({
    name,
    input: isCustom ? { input } : parse(input),
  }));
  return told;
}

function readMessages(events: readonly RecordedEvent[]): ToldAnswer {
  const told: ToldAnswer = { text: "", calls: [], end: undefined, tokens: undefined };
  const inputs = new Map<number, { name: string; input: string }>();
  let usage: RecordedEvent;
  for (const event of events) {
    const message = event.type === "message" ? event : event.message;
    usage = { ...usage, ...message?.usage, ...event.usage };
    told.end = endsOf[message?.stop_reason ?? event.delta?.stop_reason] ?? told.end;
    for (const block of message?.content ?? []) {
      told.text += block.type === "text" ? block.text : "";
      if (block.type === "tool_use") told.calls.push({ name: block.name, input: block.input });
    }
    if (event.type === "content_block_start") {
      told.text += event.content_block.type === "text" ? event.content_block.text : "";
      if (event.content_block.type === "tool_use")
        inputs.set(event.index, { name: event.content_block.name, input: "" });
    }
    if (event.type === "content_block_delta") {
      told.text += event.delta.type === "text_delta" ? event.delta.text : "";
      const call = inputs.get(event.index);
      if (call) call.input += event.delta.partial_json ?? "";
    }
  }
  told.calls.push(
    ...[...inputs.values()].map(({ name, input }) => ({ name, input: parse(input) })),
  );
  return { ...told, tokens: tokensOfMessages(usage) };
}

/** One piece of arguments that come by path, such as `$.steps[0].text`; texts come in parts. */
function putPiece(input: RecordedEvent, { jsonPath, ...value }: RecordedEvent): void {
  const path = jsonPath
    .slice(1)
    .split(/[.[\]]+/)
    .filter(Boolean);
  let holder = input;
  for (const [at, step] of path.slice(0, -1).entries())
    holder = holder[step] ??= /^\d+$/.test(path[at + 1]) ? [] : {};
  const last = path.at(-1);
  const { stringValue, numberValue, boolValue } = value;
  if (stringValue !== undefined) holder[last] = (holder[last] ?? "") + stringValue;
  else if ("nullValue" in value) holder[last] = null;
  else if (numberValue !== undefined || boolValue !== undefined)
    holder[last] = numberValue ?? boolValue;
}

function readGemini(events: readonly RecordedEvent[]): ToldAnswer {
  const told: ToldAnswer = { text: "", calls: [], end: undefined, tokens: undefined };
  for (const event of events) {
    told.tokens = tokensOfGemini(event.usageMetadata) ?? told.tokens;
    const [candidate] = event.candidates ?? [];
    for (const { text = "", thought, functionCall } of candidate?.content?.parts ?? []) {
      if (!functionCall) {
        told.text += thought ? "" : text;
        continue;
      }
      if (functionCall.name)
        told.calls.push({ name: functionCall.name, input: functionCall.args ?? {} });
      const call = told.calls.at(-1);
      for (const piece of functionCall.partialArgs ?? []) if (call) putPiece(call.input, piece);
    }
    told.end = endsOf[candidate?.finishReason] ?? told.end;
  }
  return told.calls.length > 0 && told.end === "stop" ? { ...told, end: "calls" } : told;
}

function readResponses(events: readonly RecordedEvent[]): ToldAnswer {
  const last = events.findLast(
    ({ type, output, response }) =>
      output !== undefined || /completed|incomplete/.test(type) || response?.output?.length > 0,
  );
  const response = last?.response ?? last ?? {};
  const output: RecordedEvent[] = response.output ?? [];
  const calls = output
    .filter(({ type }) => type === "function_call" || type === "custom_tool_call")
    .map(({ name, arguments: given, input }) => ({
      name,
      input: given === undefined ? { input } : parse(given),
    }));
  const end = endsOf[response.incomplete_details?.reason ?? response.status];
  return {
    text: output
      .filter(({ type }) => type === "message")
      .flatMap(({ content }) => content)
      .map(({ text, refusal }) => text ?? refusal ?? "")
      .join(""),
    calls,
    end: calls.length > 0 && end === "stop" ? "calls" : end,
    tokens: tokensOfResponses(response.usage),
  };
}

/** A stream is the list of its events, and ends without a start where a library drops that. */
function readConverse(events: readonly RecordedEvent[]): ToldAnswer {
  const told: ToldAnswer = { text: "", calls: [], end: undefined, tokens: undefined };
  const inputs = new Map<number, { name: string; input: string }>();
  for (const event of events) {
    for (const { text = "", toolUse } of event.output?.message?.content ?? []) {
      told.text += text;
      if (toolUse) told.calls.push({ name: toolUse.name, input: toolUse.input });
    }
    const { contentBlockStart: started, contentBlockDelta: added } = event;
    const begun = started?.start?.toolUse;
    if (begun) inputs.set(started.contentBlockIndex, { name: begun.name, input: "" });
    told.text += added?.delta.text ?? "";
    const call = inputs.get(added?.contentBlockIndex);
    if (call) call.input += added.delta.toolUse?.input ?? "";
    told.end = endsOf[event.stopReason ?? event.messageStop?.stopReason] ?? told.end;
    told.tokens = tokensOfConverse(event.usage ?? event.metadata?.usage) ?? told.tokens;
  }
  told.calls.push(
    ...[...inputs.values()].map(({ name, input }) => ({ name, input: parse(input) })),
  );
  return told;
}

const readers: Partial<Record<ApiEndpoint, (events: readonly RecordedEvent[]) => ToldAnswer>> = {
  chat_completions: readChat,
  claude_messages: readMessages,
  gemini: readGemini,
  response_api: readResponses,
  bedrock_converse: readConverse,
};

/** `readTold` reads what a client of an interface was sent, with the same eyes as the recording. */
export const readTold = (client: ConversationEndpoint, bodies: readonly string[]): ToldAnswer => {
  const names = {
    "Chat Completions": readChat,
    Responses: readResponses,
    Messages: readMessages,
    Gemini: readGemini,
  } as const satisfies Record<
    ConversationEndpoint,
    (events: readonly RecordedEvent[]) => ToldAnswer
  >;
  return names[client](bodies.map((body) => JSON.parse(body)));
};

/**
 * The format of an answer by its members; undefined for answers of other kinds, such as pictures.
 */
function findFormat(events: readonly RecordedEvent[]): ApiEndpoint | undefined {
  if (events.some(({ choices, object }) => Array.isArray(choices) && object !== "text_completion"))
    return "chat_completions";
  if (
    events.some(
      ({ type, content }) =>
        type === "message_start" || (type === "message" && Array.isArray(content)),
    )
  )
    return "claude_messages";
  if (events.some(({ candidates }) => Array.isArray(candidates))) return "gemini";
  if (events.some(({ object, response }) => (response ?? { object }).object === "response"))
    return "response_api";
  if (events.some(({ output, messageStop }) => output?.message || messageStop))
    return "bedrock_converse";
  return undefined;
}

/** A file may hold the answers to several requests of one conversation. */
function splitAnswers(bodies: readonly string[]): string[][] {
  const answers: string[][] = [];
  for (const body of bodies) {
    const { type } = JSON.parse(body) as RecordedEvent;
    const isStart = type === "message_start" || type === "response.created";
    const last = answers.at(-1);
    if (
      !last ||
      (isStart &&
        last.some((earlier) => /"(message_stop|response\.(completed|incomplete))"/.test(earlier)))
    )
      answers.push([body]);
    else last.push(body);
  }
  return answers;
}

/**
 * Every answer of a conversation below the folder, in order of its name; files of other kinds and
 * errors are left out.
 */
export function readRecordings(folder: string): Recording[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(json|chunks\.txt)$/.test(file.name))
    .map((file) => join(file.parentPath, file.name))
    .sort();
  return files.flatMap((file) => {
    const isStream = file.endsWith(".txt");
    const text = readFileSync(file, "utf8");
    const bodies = isStream
      ? text.split("\n").filter((line) => line.trim() !== "" && line !== "[DONE]")
      : [text];
    const answers = splitAnswers(bodies);
    return answers.flatMap((answer, at) => {
      const events = answer.map((body) => JSON.parse(body));
      const speaks = findFormat(events);
      const read = speaks && readers[speaks];
      if (!speaks || !read || events.some(({ error }) => error)) return [];
      const name = relative(folder, file) + (answers.length > 1 ? `, answer ${at + 1}` : "");
      return [{ name, speaks, isStream, bodies: answer, told: read(events) }];
    });
  });
}
