/**
 * The events that carry the same as a whole reply, for clients that asked for a stream of a
 * provider that sent none. Pure.
 */
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { doneEvent } from "./openai-errors.ts";

const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`;
const named = (value: JsonRecord): string => `event: ${text(value.type)}\n${data(value)}`;

export function streamChatReply(
  { choices, usage, ...reply }: JsonRecord,
  wantsUsage = true,
): string {
  const head = { ...reply, object: "chat.completion.chunk" };
  const whole = records(choices).map(({ message, ...choice }, at) => {
    const { tool_calls, ...said } = record(message);
    const calls = Array.isArray(tool_calls)
      ? { tool_calls: records(tool_calls).map((call, index) => ({ index, ...call })) }
      : {};
    return { index: at, ...choice, delta: { ...said, ...calls } };
  });
  const last = wantsUsage && usage !== undefined ? data({ ...head, choices: [], usage }) : "";
  return data({ ...head, choices: whole }) + last + doneEvent;
}

export function streamMessagesReply({
  content,
  stop_reason,
  stop_sequence,
  usage,
  ...message
}: JsonRecord): string {
  const counted = record(usage);
  const begun = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counted, output_tokens: 0 },
  };
  const blocks = records(content).flatMap((block, index) => [
    { type: "content_block_start", index, content_block: emptied(block) },
    ...listDeltas(block).map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ]);
  return [
    { type: "message_start", message: begun },
    ...blocks,
    { type: "message_delta", delta: { stop_reason, stop_sequence }, usage: counted },
    { type: "message_stop" },
  ]
    .map(named)
    .join("");
}

/** A block as it begins: what its deltas bring is not there yet. */
function emptied(block: JsonRecord): JsonRecord {
  switch (block.type) {
    case "text":
      return { ...block, text: "" };
    case "thinking":
      return { ...block, thinking: "", signature: "" };
    case "tool_use":
      return { ...block, input: {} };
    default:
      return block;
  }
}

function listDeltas(block: JsonRecord): JsonRecord[] {
  switch (block.type) {
    case "text":
      return [{ type: "text_delta", text: text(block.text) }];
    case "thinking":
      return [
        { type: "thinking_delta", thinking: text(block.thinking) },
        ...(text(block.signature) === ""
          ? []
          : [{ type: "signature_delta", signature: block.signature }]),
      ];
    case "tool_use":
      return [{ type: "input_json_delta", partial_json: JSON.stringify(block.input ?? {}) }];
    default:
      return [];
  }
}

export const streamResponsesReply = (reply: JsonRecord): string =>
  listResponsesEvents(reply).map(named).join("");

/** The events of Responses that carry a whole response, in order. */
export function listResponsesEvents(reply: JsonRecord): JsonRecord[] {
  const begun = { ...reply, status: "in_progress", output: [], usage: null };
  const items = records(reply.output).flatMap((item, output_index) => [
    { type: "response.output_item.added", output_index, item },
    ...listTextEvents(item, output_index),
    { type: "response.output_item.done", output_index, item },
  ]);
  const type = reply.status === "incomplete" ? "response.incomplete" : "response.completed";
  return [{ type: "response.created", response: begun }, ...items, { type, response: reply }].map(
    (event, sequence_number) => ({ ...event, sequence_number }),
  );
}

/** Clients show an answer by its deltas. */
const listTextEvents = (item: JsonRecord, output_index: number): JsonRecord[] =>
  item.type !== "message"
    ? []
    : records(item.content).flatMap((part, content_index) =>
        part.type === "output_text"
          ? [
              {
                type: "response.output_text.delta",
                item_id: item.id,
                output_index,
                content_index,
                delta: text(part.text),
              },
            ]
          : [],
      );

export const streamGeminiReply = (reply: JsonRecord): string => data(reply);
