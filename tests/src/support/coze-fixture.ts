// Modelled on Coze's reference of `/v3/chat` (docs.coze.cn/developer_guides/chat_v3) and of its
// OAuth apps, and on the events in the tests of its own libraries; not captured.
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

const chat_id = "7382159487131697202";
const conversation_id = "7381473525342978089";
const bot_id = "7379462189365198898";

const event = (name: string, data: JsonRecord): string =>
  `event:${name}\ndata:${JSON.stringify(data)}\n\n`;

const chat = (status: string, more: JsonRecord = {}): JsonRecord => ({
  id: chat_id,
  conversation_id,
  bot_id,
  created_at: 1718792949,
  last_error: { code: 0, msg: "" },
  status,
  usage: { token_count: 0, output_count: 0, input_count: 0 },
  ...more,
});

const message = (type: string, content: string, more: JsonRecord = {}): JsonRecord => ({
  id: "7382159494123470858",
  conversation_id,
  bot_id,
  role: "assistant",
  type,
  content,
  content_type: "text",
  chat_id,
  ...more,
});

const beginning =
  event("conversation.chat.created", chat("created")) +
  event("conversation.chat.in_progress", chat("in_progress"));
const finished = JSON.stringify({
  msg_type: "generate_answer_finish",
  data: '{"finish_reason":0}',
  from_module: null,
});
/** The count includes the bot's prompt and its search results, far more than the question. */
const ending =
  event("conversation.message.completed", message("verbose", finished, { id: "v" })) +
  event("conversation.message.completed", message("follow_up", "And on Sunday?", { id: "f" })) +
  event(
    "conversation.chat.completed",
    chat("completed", {
      completed_at: 1718792950,
      usage: { token_count: 6133, output_count: 19, input_count: 6114 },
    }),
  ) +
  'event:done\ndata:"[DONE]"\n\n';

export const cozeStream = [
  beginning,
  event(
    "conversation.message.completed",
    message("function_call", '{"name":"weather","arguments":{}}', { id: "c" }),
  ),
  event("conversation.message.completed", message("tool_response", "sunny", { id: "t" })),
  event("conversation.message.delta", message("answer", "", { reasoning_content: "Let me see." })),
  event("conversation.message.delta", message("answer", "星期六")),
  event("conversation.message.delta", message("answer", "是晴天。")),
  event("conversation.message.completed", message("answer", "星期六是晴天。")),
  ending,
].join("");

/** A card does not arrive in deltas. */
export const cozeCardStream = [
  beginning,
  event(
    "conversation.message.completed",
    message("answer", '{"card":1}', { content_type: "card" }),
  ),
  ending,
].join("");

export const cozeFailedStream =
  beginning +
  event(
    "conversation.chat.failed",
    chat("failed", { last_error: { code: 5000, msg: "event interval error" } }),
  );

export const cozeCutStream =
  beginning + event("conversation.message.delta", message("answer", "星期六"));

export const cozeUnauthorized: JsonRecord = {
  code: 4100,
  msg: "authentication is invalid",
  detail: { logid: "20241210152726467C48D89D6DB2F3EA" },
};

export const cozeToken: JsonRecord = {
  access_token: "czs_access-token-of-coze",
  // A point in time: 2026-11-21 01:00 UTC.
  expires_in: 1_795_222_800,
  token_type: "Bearer",
};
