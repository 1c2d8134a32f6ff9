// Modelled on Amazon's references, not captured: the Bedrock runtime API (API_runtime_Converse,
// API_runtime_ConverseStream, API_runtime_InvokeModelWithResponseStream,
// docs.aws.amazon.com/bedrock/latest/APIReference), the event stream encoding (smithy.io, "Amazon
// Event Stream") and, for the content of `bytes`, Anthropic's streaming reference.
import { crc32 } from "node:zlib";
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

function checked(bytes: Buffer): Buffer {
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32BE(crc32(bytes));
  return Buffer.concat([bytes, checksum]);
}

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([7]),
    length,
    Buffer.from(value),
  ]);
}

/** `awsMessage` gives one message of an event stream. */
export function awsMessage(
  headers: Readonly<Record<string, string>>,
  payload: string | Buffer,
): Buffer {
  const named = Buffer.concat(Object.entries(headers).map(([name, value]) => header(name, value)));
  const body = Buffer.from(payload);
  const lengths = Buffer.alloc(8);
  lengths.writeUInt32BE(16 + named.length + body.length);
  lengths.writeUInt32BE(named.length, 4);
  return checked(Buffer.concat([checked(lengths), named, body]));
}

const event = (type: string, data: JsonRecord): Buffer =>
  awsMessage(
    { ":event-type": type, ":content-type": "application/json", ":message-type": "event" },
    // Bedrock pads events to hide the length of their text.
    JSON.stringify({ ...data, p: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJK" }),
  );

/** `converseMessages` gives one event after another, by type. */
export const converseMessages = (
  ...events: readonly (readonly [type: string, data: JsonRecord])[]
): Buffer => Buffer.concat(events.map(([type, data]) => event(type, data)));

/** Anthropic's events, one per message. */
export const invokeMessages = (...events: readonly JsonRecord[]): Buffer =>
  Buffer.concat(
    events.map((data) =>
      event("chunk", { bytes: Buffer.from(JSON.stringify(data)).toString("base64") }),
    ),
  );

export const awsException = (type: string, message: string): Buffer =>
  awsMessage(
    { ":exception-type": type, ":content-type": "application/json", ":message-type": "exception" },
    JSON.stringify({ message }),
  );

const usage = {
  inputTokens: 21,
  outputTokens: 17,
  totalTokens: 50,
  cacheReadInputTokens: 8,
  cacheWriteInputTokens: 4,
  serverToolUsage: {},
};

export const converseAnswer: JsonRecord = {
  metrics: { latencyMs: 1551 },
  output: {
    message: {
      role: "assistant",
      content: [
        {
          reasoningContent: {
            reasoningText: { text: "The user wants weather.", signature: "c2lnbmVk" },
          },
        },
        { text: "I will look." },
        {
          toolUse: {
            toolUseId: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q",
            name: "weather",
            input: { city: "Zürich" },
          },
        },
        { toolUse: { toolUseId: "tooluse_bSd3LDHR", name: "now", input: {} } },
      ],
    },
  },
  stopReason: "tool_use",
  usage,
};

export const converseStream = converseMessages(
  ["messageStart", { role: "assistant" }],
  [
    "contentBlockDelta",
    { contentBlockIndex: 0, delta: { reasoningContent: { text: "The user " } } },
  ],
  [
    "contentBlockDelta",
    { contentBlockIndex: 0, delta: { reasoningContent: { text: "wants weather." } } },
  ],
  [
    "contentBlockDelta",
    { contentBlockIndex: 0, delta: { reasoningContent: { signature: "c2lnbmVk" } } },
  ],
  ["contentBlockStop", { contentBlockIndex: 0 }],
  ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: "I will" } }],
  ["contentBlockDelta", { contentBlockIndex: 1, delta: { text: " look." } }],
  ["contentBlockStop", { contentBlockIndex: 1 }],
  [
    "contentBlockStart",
    {
      contentBlockIndex: 2,
      start: { toolUse: { toolUseId: "tooluse_kZJMlvQmRJ6eAyJE5GIl7Q", name: "weather" } },
    },
  ],
  ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '{"city":' } } }],
  ["contentBlockDelta", { contentBlockIndex: 2, delta: { toolUse: { input: '"Zürich"}' } } }],
  ["contentBlockStop", { contentBlockIndex: 2 }],
  [
    "contentBlockStart",
    { contentBlockIndex: 3, start: { toolUse: { toolUseId: "tooluse_bSd3LDHR", name: "now" } } },
  ],
  ["contentBlockDelta", { contentBlockIndex: 3, delta: { toolUse: { input: "" } } }],
  ["contentBlockStop", { contentBlockIndex: 3 }],
  ["messageStop", { stopReason: "tool_use" }],
  ["metadata", { metrics: { latencyMs: 1551 }, usage }],
);

export const claudeAnswer: JsonRecord = {
  model: "claude-sonnet-4-5-20250929",
  id: "msg_bdrk_01XFDUDYJgAACzvnptvVoYEL",
  type: "message",
  role: "assistant",
  content: [
    {
      type: "thinking",
      thinking: "Three words.",
      signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=",
    },
    { type: "text", text: "one two three" },
  ],
  stop_reason: "end_turn",
  stop_sequence: null,
  usage: {
    input_tokens: 6,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 2,
    output_tokens: 12,
  },
};

export const claudeEvents: readonly JsonRecord[] = [
  {
    type: "message_start",
    message: {
      model: "claude-sonnet-4-5-20250929",
      id: "msg_bdrk_01XFDUDYJgAACzvnptvVoYEL",
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: 6,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 2,
        output_tokens: 1,
      },
    },
  },
  {
    type: "content_block_start",
    index: 0,
    content_block: { type: "thinking", thinking: "", signature: "" },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: { type: "thinking_delta", thinking: "Three words." },
  },
  {
    type: "content_block_delta",
    index: 0,
    delta: {
      type: "signature_delta",
      signature: "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=",
    },
  },
  { type: "content_block_stop", index: 0 },
  { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "one two" } },
  { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: " three" } },
  { type: "content_block_stop", index: 1 },
  {
    type: "message_delta",
    delta: { stop_reason: "end_turn", stop_sequence: null },
    usage: { output_tokens: 12 },
  },
  { type: "message_stop" },
];

/** Bedrock writes its own metrics into the last event. */
export const claudeStream = invokeMessages(...claudeEvents.slice(0, -1), {
  type: "message_stop",
  "amazon-bedrock-invocationMetrics": {
    inputTokenCount: 6,
    outputTokenCount: 12,
    invocationLatency: 1551,
    firstByteLatency: 502,
    cacheReadInputTokenCount: 2,
    cacheWriteInputTokenCount: 0,
  },
});
