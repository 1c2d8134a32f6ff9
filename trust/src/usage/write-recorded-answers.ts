// Writes the answers of the table as their providers do: whole, and as the events of a stream.
import type { RecordedAnswer, WireObject } from "./recorded-answer.ts";

const words = "a word";
const call = '{"city":"Bern"}';

/** The whole answer. */
export function replyOf(answer: RecordedAnswer): WireObject {
  const { speaks, content, usage } = answer;
  switch (speaks) {
    case "chat_completions":
      return {
        id: "c",
        object: "chat.completion",
        choices: [{ index: 0, message: chatMessage(content), finish_reason: "stop" }],
        usage,
      };
    case "response_api":
      return responseOf(answer);
    case "claude_messages":
      return {
        id: "m",
        type: "message",
        role: "assistant",
        content: content.map(messageBlock),
        usage,
      };
    case "gemini":
      return {
        candidates: [
          { content: { role: "model", parts: content.map(geminiPart) }, finishReason: "STOP" },
        ],
        usageMetadata: usage,
      };
    case "bedrock_converse":
      return {
        metrics: { latencyMs: 900 },
        output: { message: { role: "assistant", content: content.map(converseBlock) } },
        stopReason: "end_turn",
        usage,
      };
  }
}

/** The data of each event. */
export function eventsOf(answer: RecordedAnswer): WireObject[] {
  switch (answer.speaks) {
    case "chat_completions":
      return chatEvents(answer);
    case "response_api":
      return responseEvents(answer);
    case "claude_messages":
      return messageEvents(answer);
    case "gemini":
      return geminiEvents(answer);
    case "bedrock_converse":
      return converseEvents(answer).map(([type, data]) => ({ [type]: data }));
  }
}

const chatMembers: Readonly<Record<string, WireObject>> = {
  text: { content: words },
  reasoning: { reasoning_content: words },
  call: {
    tool_calls: [
      { index: 0, id: "call_1", type: "function", function: { name: "look", arguments: call } },
    ],
  },
  parts: {
    content: [
      { type: "thinking", thinking: [{ type: "text", text: words }] },
      { type: "text", text: words },
    ],
  },
};

const chatMessage = (content: readonly string[]): WireObject =>
  Object.assign({ role: "assistant", content: null }, ...content.map((kind) => chatMembers[kind]));

function chatEvents({ content, usage, stream }: RecordedAnswer): WireObject[] {
  const chunk = (
    delta: WireObject | undefined,
    finish_reason: string | null,
    more: WireObject = {},
  ): WireObject => ({
    id: "c",
    object: "chat.completion.chunk",
    model: "m",
    choices: delta ? [{ index: 0, delta, finish_reason }] : [],
    ...more,
  });
  const running = (output: number): WireObject => ({
    usage: { prompt_tokens: usage.prompt_tokens, completion_tokens: output },
  });
  const isAlways = stream === "counted_in_every_event";
  const isWithEnd = isAlways || stream === "counted_with_end";
  return [
    ...content.map((kind, index) =>
      chunk(chatMembers[kind], null, isAlways ? running(index + 1) : {}),
    ),
    chunk({ content: "" }, "stop", isWithEnd ? { usage } : {}),
    ...(isWithEnd ? [] : [chunk(undefined, null, { usage })]),
  ];
}

/** Members of output items beside id, type and status. */
const itemMembers: Readonly<Record<string, WireObject>> = {
  message: {
    role: "assistant",
    content: [{ type: "output_text", annotations: [], logprobs: [], text: words }],
  },
  reasoning: { summary: [{ type: "summary_text", text: words }], encrypted_content: "Z0FBQUFBQm9" },
  function_call: { call_id: "call_1", name: "look", arguments: call },
  call_of_program: {
    type: "function_call",
    call_id: "call_2",
    name: "look",
    arguments: call,
    caller: { type: "program", caller_id: "call_1" },
  },
  custom_tool_call: { call_id: "call_1", name: "look", input: words },
  // xAI searches with calls that look like those of a client's tools.
  search_of_xai: {
    type: "custom_tool_call",
    call_id: "xs_call_1",
    name: "x_keyword_search",
    input: words,
  },
  web_search_call: { action: { type: "search", query: words } },
  open_page: {
    type: "web_search_call",
    action: { type: "open_page", url: "https://page.example" },
  },
  find_in_page: {
    type: "web_search_call",
    action: { type: "find_in_page", pattern: words, url: "https://page.example" },
  },
  x_search_call: { name: "x_semantic_search", arguments: call },
  file_search_call: { queries: [words], results: null },
  mcp_list_tools: {
    server_label: "tools",
    tools: [{ name: "look", description: words, input_schema: {} }],
  },
  mcp_call: { server_label: "tools", name: "look", arguments: call, output: "what a server found" },
  apply_patch_call: {
    call_id: "call_1",
    operation: { type: "update_file", path: "a.md", diff: "+a word" },
  },
  shell_call: {
    call_id: "call_1",
    action: { commands: ["ls"] },
    environment: { type: "container_reference", container_id: "cntr_1" },
  },
  shell_call_output: {
    call_id: "call_1",
    output: [{ stdout: "a.md", stderr: "", outcome: { type: "exit", exit_code: 0 } }],
  },
  tool_search_call: { execution: "server", arguments: { query: words } },
  tool_search_output: {
    execution: "server",
    tools: [{ type: "function", name: "look", parameters: {} }],
  },
  image_generation_call: { quality: "low", output_format: "webp", result: "UklGRg==" },
  program: { call_id: "call_1", code: "await tools.look()" },
  program_output: { call_id: "call_1", output: words },
};

/** `itemDeltas` are what streams besides the item itself, by its type. */
const itemDeltas: Readonly<Record<string, WireObject>> = {
  message: { type: "response.output_text.delta", delta: words },
  reasoning: { type: "response.reasoning_summary_text.delta", delta: words },
  function_call: { type: "response.function_call_arguments.delta", delta: call },
  call_of_program: { type: "response.function_call_arguments.delta", delta: call },
  custom_tool_call: { type: "response.custom_tool_call_input.delta", delta: words },
  search_of_xai: { type: "response.custom_tool_call_input.delta", delta: words },
  mcp_call: { type: "response.mcp_call_arguments.delta", delta: call },
  apply_patch_call: { type: "response.apply_patch_call_operation_diff.delta", delta: "+a word" },
  shell_call: { type: "response.shell_call_command.delta", delta: "ls" },
  image_generation_call: {
    type: "response.image_generation_call.partial_image",
    partial_image_b64: "UklGRg==",
  },
};

const responseItem = (kind: string, index: number): WireObject => ({
  id: `item_${index}`,
  type: kind,
  status: "completed",
  ...itemMembers[kind],
});

const responseOf = ({ content, usage, toolUsage }: RecordedAnswer): WireObject => ({
  id: "r",
  object: "response",
  status: "completed",
  model: "m",
  output: content.map(responseItem),
  usage,
  ...(toolUsage && { tool_usage: toolUsage }),
});

/** `begunItem` gives what an item tells before its content comes. */
const begunItem = ({ id, type, call_id, name }: WireObject): WireObject => ({
  id,
  type,
  ...(call_id !== undefined && {
    call_id,
    name,
    ...(type === "function_call" ? { arguments: "" } : { input: "" }),
  }),
});

function responseEvents(answer: RecordedAnswer): WireObject[] {
  const { content, toolUsage } = answer;
  const begun = { id: "r", object: "response", status: "in_progress", output: [], usage: null };
  const response = { ...begun, ...(toolUsage && { tool_usage: toolUsage }) };
  return [
    { type: "response.created", response },
    { type: "response.in_progress", response },
    ...content.flatMap((kind, output_index) => {
      const item = responseItem(kind, output_index);
      const delta = itemDeltas[kind];
      return [
        {
          type: "response.output_item.added",
          output_index,
          item: { ...begunItem(item), status: "in_progress" },
        },
        ...(delta ? [{ ...delta, output_index, item_id: item.id }] : []),
        { type: "response.output_item.done", output_index, item },
      ];
    }),
    { type: "response.completed", response: responseOf(answer) },
  ];
}

function messageBlock(kind: string): WireObject {
  switch (kind) {
    case "text":
      return { type: "text", text: words };
    case "thinking":
      return { type: "thinking", thinking: words, signature: "c2ln" };
    case "fallback":
      return { type: "fallback", from: { model: "first" }, to: { model: "second" } };
    case "code_tool_result":
      return {
        type: "bash_code_execution_tool_result",
        tool_use_id: "tool_1",
        content: { type: "bash_code_execution_result", stdout: "a.md", return_code: 0 },
      };
    default:
      return kind.endsWith("tool_result")
        ? { type: kind, tool_use_id: "tool_1", content: [] }
        : { type: kind, id: "tool_1", name: "look", input: { city: "Bern" } };
  }
}

/** The block as it begins, and what follows it. */
function messageBlockEvents(kind: string, index: number): WireObject[] {
  const block = messageBlock(kind);
  const delta = (content: WireObject): WireObject => ({
    type: "content_block_delta",
    index,
    delta: content,
  });
  const deltas: Readonly<Record<string, readonly WireObject[]>> = {
    text: [delta({ type: "text_delta", text: words })],
    thinking: [
      delta({ type: "thinking_delta", thinking: words }),
      delta({ type: "signature_delta", signature: "c2ln" }),
    ],
  };
  const isTool = kind.endsWith("tool_use");
  const begun = {
    ...block,
    ...(isTool && { input: {} }),
    ...(kind === "text" && { text: "" }),
    ...(kind === "thinking" && { thinking: "" }),
  };
  return [
    { type: "content_block_start", index, content_block: begun },
    ...(deltas[kind] ?? (isTool ? [delta({ type: "input_json_delta", partial_json: call })] : [])),
    { type: "content_block_stop", index },
  ];
}

function messageEvents({ content, usage, started = usage, stream }: RecordedAnswer): WireObject[] {
  const start = {
    type: "message_start",
    message: { id: "m", type: "message", role: "assistant", content: [], usage: started },
  };
  const blocks = content.flatMap(messageBlockEvents);
  return [
    ...(stream === "started_twice" ? [start, ...blocks.slice(0, -1)] : []),
    start,
    { type: "ping" },
    ...blocks,
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage },
    { type: "message_stop" },
  ];
}

function geminiPart(kind: string): WireObject {
  switch (kind) {
    case "thought":
      return { text: words, thought: true };
    case "signed text":
      return { text: "", thoughtSignature: "c2ln" };
    case "call":
      return { functionCall: { name: "look", args: { city: "Bern" } }, thoughtSignature: "c2ln" };
    case "empty call":
      return { functionCall: { name: "look" } };
    case "begun call":
      return { functionCall: { name: "look", willContinue: true }, thoughtSignature: "c2ln" };
    case "partial call":
      return {
        functionCall: {
          partialArgs: [{ jsonPath: "$.city", stringValue: "Be", willContinue: true }],
          willContinue: true,
        },
      };
    case "last part of a call":
      return {
        functionCall: {
          partialArgs: [{ jsonPath: "$.city", stringValue: "rn" }],
          willContinue: true,
        },
      };
    case "end of a call":
      return { functionCall: {} };
    default:
      return { text: words };
  }
}

/** Google's own API counts in every event, Vertex in the last one alone. */
function geminiEvents({ content, usage }: RecordedAnswer): WireObject[] {
  const { trafficType } = usage;
  const early = trafficType === undefined ? { ...usage, candidatesTokenCount: 1 } : { trafficType };
  return content.map((kind, index) => {
    const isLast = index === content.length - 1;
    const candidate = {
      content: { role: "model", parts: [geminiPart(kind)] },
      ...(isLast && { finishReason: "STOP" }),
    };
    return { candidates: [candidate], usageMetadata: isLast ? usage : early };
  });
}

function converseBlock(kind: string): WireObject {
  switch (kind) {
    case "reasoning":
      return { reasoningContent: { reasoningText: { text: words, signature: "c2ln" } } };
    case "tool":
      return { toolUse: { toolUseId: "tool_1", name: "look", input: { city: "Bern" } } };
    case "empty tool":
      return { toolUse: { toolUseId: "tool_1", name: "look", input: {} } };
    default:
      return { text: words };
  }
}

/** Types and data of the messages in Amazon's binary framing. */
export function converseEvents({
  content,
  usage,
  stream,
}: RecordedAnswer): [type: string, data: WireObject][] {
  const blocks = content.flatMap((kind, contentBlockIndex): [string, WireObject][] => {
    const start = { contentBlockIndex, start: { toolUse: { toolUseId: "tool_1", name: "look" } } };
    const deltas: Readonly<Record<string, WireObject>> = {
      text: { text: words },
      reasoning: { reasoningContent: { text: words } },
      tool: { toolUse: { input: call } },
    };
    const delta = deltas[kind];
    return [
      ...(kind.endsWith("tool") ? [["contentBlockStart", start] as [string, WireObject]] : []),
      ...(delta
        ? [["contentBlockDelta", { contentBlockIndex, delta }] as [string, WireObject]]
        : []),
      ["contentBlockStop", { contentBlockIndex }],
    ];
  });
  const stop: [string, WireObject] = ["messageStop", { stopReason: "end_turn" }];
  const counted: [string, WireObject] = ["metadata", { metrics: { latencyMs: 900 }, usage }];
  const ends: Readonly<Record<string, [string, WireObject][]>> = {
    counted_before_end: [counted, stop],
    not_counted: [stop],
  };
  return [
    ["messageStart", { role: "assistant" }],
    ...blocks,
    ...(ends[stream ?? ""] ?? [stop, counted]),
  ];
}
