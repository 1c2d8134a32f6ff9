// What an agent asks of a model and gets from it, in each of the four dialects: a scripted provider
// reads the one and writes the other.
import type { FixtureReply } from "../wire-fixtures.ts";

export const agentDialects = ["chat", "responses", "messages", "gemini"] as const;
export type AgentDialect = (typeof agentDialects)[number];

type WireRecord = Record<string, unknown>;
const isObject = (value: unknown): value is WireRecord =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const object = (value: unknown): WireRecord => (isObject(value) ? value : {});
const list = (value: unknown): WireRecord[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");

export interface DeclaredTool {
  name: string;
  namespace?: string;
  /** Its input is text. */
  isCustom: boolean;
  description: string;
  parameters: WireRecord;
}

export interface AgentTurn {
  dialect: AgentDialect;
  isStream: boolean;
  tools: readonly DeclaredTool[];
  /** Results of tools in the conversation. */
  results: number;
  /** The body as JSON. */
  said: string;
  /** Its last message as JSON. */
  last: string;
}

/** The dialect of an address. */
function dialectOf(url: string): AgentDialect | undefined {
  if (/:(?:stream)?[gG]enerateContent/.test(url)) return "gemini";
  if (/\/responses(?:\?|$)/.test(url)) return "responses";
  if (/\/messages(?:\?|$)/.test(url)) return "messages";
  return /\/chat\/completions(?:\?|$)/.test(url) ? "chat" : undefined;
}

/** Undefined for what is no question to a model. */
export function readTurn(url: string, body: unknown): AgentTurn | undefined {
  const dialect = dialectOf(url);
  if (dialect === undefined) return undefined;
  const json = object(body);
  const messages = list(json.messages ?? json.input ?? json.contents);
  const last = JSON.stringify(messages.at(-1) ?? json.input ?? "");
  const turn = { dialect, said: JSON.stringify(json), last, isStream: json.stream === true };
  switch (dialect) {
    case "chat":
      return {
        ...turn,
        tools: list(json.tools).map((tool) => declared(object(tool.function))),
        results: list(json.messages).filter(({ role }) => role === "tool").length,
      };
    case "responses":
      return {
        ...turn,
        tools: [json, ...list(json.input)].flatMap((holder) =>
          list(holder.tools).flatMap((tool) => responseTools(tool)),
        ),
        results: list(json.input).filter(({ type }) =>
          /^(?:function|custom_tool)_call_output$/.test(text(type)),
        ).length,
      };
    case "messages":
      return {
        ...turn,
        tools: list(json.tools).map((tool) => ({
          ...declared(tool),
          parameters: object(tool.input_schema),
        })),
        results: list(json.messages).flatMap(({ content }) =>
          list(content).filter(({ type }) => type === "tool_result"),
        ).length,
      };
    case "gemini":
      return {
        ...turn,
        isStream: url.includes("streamGenerateContent"),
        tools: list(json.tools).flatMap(({ functionDeclarations }) =>
          list(functionDeclarations).map((tool) => ({
            ...declared(tool),
            parameters: object(tool.parametersJsonSchema ?? tool.parameters),
          })),
        ),
        results: list(json.contents).flatMap(({ parts }) =>
          list(parts).filter((part) => isObject(part.functionResponse)),
        ).length,
      };
  }
}

const declared = ({ name, description, parameters }: WireRecord): DeclaredTool => ({
  name: text(name),
  isCustom: false,
  description: text(description),
  parameters: object(parameters),
});

function responseTools(tool: WireRecord, namespace?: string): DeclaredTool[] {
  if (tool.type === "namespace")
    return list(tool.tools).flatMap((inner) => responseTools(inner, text(tool.name)));
  if (tool.type !== "function" && tool.type !== "custom") return [];
  return [
    {
      ...declared(tool),
      isCustom: tool.type === "custom",
      ...(namespace !== undefined && { namespace }),
    },
  ];
}

/** What the model thinks before it calls a tool, and what its provider signs that with. */
const thought = "I look before I change anything.";
const signature = "c2lnbmVkIGJ5IHRoZSBtb2RlbA==";

/** `AgentAnswer` is what the model does: it thinks and calls a tool, or says something. */
export type AgentAnswer = { tool: DeclaredTool; input: WireRecord | string } | { words: string };

/** What the provider counts for one answer. */
export interface AgentUsage {
  prompt: number;
  cached: number;
  completion: number;
}

const json = (value: unknown): FixtureReply => ({
  status: 200,
  headers: { "content-type": "application/json" },
  bytes: Buffer.from(JSON.stringify(value)),
});
const stream = (events: readonly string[]): FixtureReply => ({
  status: 200,
  headers: { "content-type": "text/event-stream" },
  bytes: Buffer.from(events.join("")),
});
const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: WireRecord): string => `event: ${text(value.type)}\n${data(value)}`;

/** `number` tells the answers of one run apart. */
export function writeAnswer(
  turn: AgentTurn,
  answer: AgentAnswer,
  usage: AgentUsage,
  number: number,
): FixtureReply {
  switch (turn.dialect) {
    case "chat":
      return chatAnswer(turn, answer, usage, number);
    case "responses":
      return responsesAnswer(turn, answer, usage, number);
    case "messages":
      return messagesAnswer(turn, answer, usage, number);
    case "gemini":
      return geminiAnswer(turn, answer, usage, number);
  }
}

const inputText = (input: WireRecord | string): string =>
  typeof input === "string" ? input : JSON.stringify(input);

function chatAnswer(
  { isStream }: AgentTurn,
  answer: AgentAnswer,
  counted: AgentUsage,
  number: number,
): FixtureReply {
  const usage = {
    prompt_tokens: counted.prompt,
    completion_tokens: counted.completion,
    total_tokens: counted.prompt + counted.completion,
    prompt_tokens_details: { cached_tokens: counted.cached },
  };
  const called = "tool" in answer;
  const call = called && {
    id: `call_${number}`,
    type: "function",
    function: { name: answer.tool.name, arguments: inputText(answer.input) },
  };
  const thinks = called ? { reasoning_content: thought } : {};
  const message = called
    ? { content: null, ...thinks, tool_calls: [call] }
    : { content: answer.words };
  const finish_reason = called ? "tool_calls" : "stop";
  const head = { id: `chatcmpl-${number}`, created: 1_763_700_000, model: "agent" };
  if (!isStream) {
    const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason }];
    return json({ ...head, object: "chat.completion", choices, usage });
  }
  const chunk = (delta: WireRecord, reason: string | null): WireRecord => ({
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta, finish_reason: reason }],
  });
  return stream([
    data(chunk({ role: "assistant", content: "", ...thinks }, null)),
    data(chunk(called ? { tool_calls: [{ index: 0, ...call }] } : message, null)),
    data(chunk({}, finish_reason)),
    data({ ...head, object: "chat.completion.chunk", choices: [], usage }),
    "data: [DONE]\n\n",
  ]);
}

function responsesAnswer(
  { isStream }: AgentTurn,
  answer: AgentAnswer,
  counted: AgentUsage,
  number: number,
): FixtureReply {
  const item = outputItem(answer, number);
  const response = (
    status: string,
    output: readonly WireRecord[],
    usage: WireRecord | null,
  ): WireRecord => ({
    id: `resp_${number}`,
    object: "response",
    created_at: 1_763_700_000,
    status,
    model: "agent",
    output,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    usage,
  });
  const thoughtItem = "tool" in answer ? reasoningItem(number) : undefined;
  const output = thoughtItem ? [thoughtItem, item] : [item];
  const whole = response("completed", output, {
    input_tokens: counted.prompt,
    input_tokens_details: { cached_tokens: counted.cached },
    output_tokens: counted.completion,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: counted.prompt + counted.completion,
  });
  if (!isStream) return json(whole);
  const output_index = output.length - 1;
  const place = { item_id: item.id, output_index };
  const written = "tool" in answer ? inputText(answer.input) : answer.words;
  const kind = !("tool" in answer)
    ? "output_text"
    : answer.tool.isCustom
      ? "custom_tool_call_input"
      : "function_call_arguments";
  const more = kind === "output_text" ? { content_index: 0 } : {};
  const added =
    kind === "output_text"
      ? { ...item, content: [] }
      : { ...item, ...(kind === "function_call_arguments" ? { arguments: "" } : { input: "" }) };
  const events: WireRecord[] = [
    { type: "response.created", response: response("in_progress", [], null) },
    ...(thoughtItem ? reasoningEvents(thoughtItem) : []),
    { type: "response.output_item.added", output_index, item: { ...added, status: "in_progress" } },
    { type: `response.${kind}.delta`, ...place, ...more, delta: written },
    { type: "response.output_item.done", output_index, item },
    { type: "response.completed", response: whole },
  ];
  return stream(events.map((event, sequence_number) => named({ ...event, sequence_number })));
}

const reasoningItem = (number: number): WireRecord => ({
  type: "reasoning",
  id: `rs_${number}`,
  summary: [{ type: "summary_text", text: thought }],
  encrypted_content: signature,
});

function reasoningEvents(item: WireRecord): WireRecord[] {
  const place = { item_id: item.id, output_index: 0, summary_index: 0 };
  const part = { type: "summary_text", text: thought };
  return [
    { type: "response.output_item.added", output_index: 0, item: { ...item, summary: [] } },
    {
      type: "response.reasoning_summary_part.added",
      ...place,
      part: { ...part, text: "" },
    },
    { type: "response.reasoning_summary_text.delta", ...place, delta: thought },
    { type: "response.reasoning_summary_text.done", ...place, text: thought },
    { type: "response.reasoning_summary_part.done", ...place, part },
    { type: "response.output_item.done", output_index: 0, item },
  ];
}

function outputItem(answer: AgentAnswer, number: number): WireRecord {
  if (!("tool" in answer)) {
    const content = [{ type: "output_text", text: answer.words, annotations: [] }];
    return {
      type: "message",
      id: `msg_${number}`,
      status: "completed",
      role: "assistant",
      content,
    };
  }
  const { name, namespace, isCustom } = answer.tool;
  const call = {
    id: `fc_${number}`,
    status: "completed",
    call_id: `call_${number}`,
    name,
    ...(namespace !== undefined && { namespace }),
  };
  const written = inputText(answer.input);
  return isCustom
    ? { type: "custom_tool_call", ...call, input: written }
    : { type: "function_call", ...call, arguments: written };
}

function messagesAnswer(
  { isStream }: AgentTurn,
  answer: AgentAnswer,
  counted: AgentUsage,
  number: number,
): FixtureReply {
  const called = "tool" in answer;
  const block = called
    ? { type: "tool_use", id: `toolu_${number}`, name: answer.tool.name, input: answer.input }
    : { type: "text", text: answer.words };
  const stop_reason = called ? "tool_use" : "end_turn";
  const prompt = {
    input_tokens: counted.prompt - counted.cached,
    cache_read_input_tokens: counted.cached,
    cache_creation_input_tokens: 0,
  };
  const message = { id: `msg_${number}`, type: "message", role: "assistant", model: "agent" };
  if (!isStream) {
    const usage = { ...prompt, output_tokens: counted.completion };
    const content = called ? [{ type: "thinking", thinking: thought, signature }, block] : [block];
    return json({ ...message, content, stop_reason, stop_sequence: null, usage });
  }
  const begun = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...prompt, output_tokens: 1 },
  };
  const delta = called
    ? { type: "input_json_delta", partial_json: inputText(answer.input) }
    : { type: "text_delta", text: answer.words };
  const index = called ? 1 : 0;
  return stream(
    [
      { type: "message_start", message: begun },
      ...(called ? thinkingEvents : []),
      {
        type: "content_block_start",
        index,
        content_block: called ? { ...block, input: {} } : { type: "text", text: "" },
      },
      { type: "content_block_delta", index, delta },
      { type: "content_block_stop", index },
      {
        type: "message_delta",
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: counted.completion },
      },
      { type: "message_stop" },
    ].map(named),
  );
}

const thinkingEvents: readonly WireRecord[] = [
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "thinking", thinking: "", signature: "" },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "thinking_delta", thinking: thought },
  },
  { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature } },
  { type: "content_block_stop", index: 0 },
];

function geminiAnswer(
  { isStream }: AgentTurn,
  answer: AgentAnswer,
  counted: AgentUsage,
  number: number,
): FixtureReply {
  const parts =
    "tool" in answer
      ? [
          { text: thought, thought: true },
          {
            functionCall: { name: answer.tool.name, args: answer.input },
            thoughtSignature: signature,
          },
        ]
      : [{ text: answer.words }];
  const reply = {
    candidates: [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }],
    usageMetadata: {
      promptTokenCount: counted.prompt,
      cachedContentTokenCount: counted.cached,
      candidatesTokenCount: counted.completion,
      totalTokenCount: counted.prompt + counted.completion,
    },
    modelVersion: "agent",
    responseId: `gemini-${number}`,
  };
  return isStream ? stream([data(reply)]) : json(reply);
}
