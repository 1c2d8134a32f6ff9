// Modelled on Baidu's reference of ERNIE-3.5-8K and of its error codes
// (cloud.baidu.com/doc/WENXINWORKSHOP), not captured.
import type { JsonRecord } from "@tollgate/gateway/relay/wire/json-parts.ts";

export const baiduAnswer: JsonRecord = {
  id: "as-bcmt5ct4iy",
  object: "chat.completion",
  created: 1680167072,
  result: "您好，我是文心一言。",
  is_truncated: false,
  need_clear_history: false,
  finish_reason: "normal",
  usage: { prompt_tokens: 7, completion_tokens: 9, total_tokens: 16 },
};

export const baiduFunctionCall: JsonRecord = {
  ...baiduAnswer,
  result: "",
  finish_reason: "function_call",
  function_call: { name: "weather", thoughts: "用户想知道天气", arguments: '{"city":"北京"}' },
};

const piece = (
  sentence_id: number,
  result: string,
  is_end: boolean,
  completion_tokens: number,
): string => {
  const head = {
    id: "as-vb0m37ti8y",
    object: "chat.completion",
    created: 1709089502,
    sentence_id,
    is_end,
  };
  const usage = { prompt_tokens: 5, completion_tokens, total_tokens: 5 + completion_tokens };
  const more = {
    is_truncated: false,
    result,
    need_clear_history: false,
    finish_reason: "normal",
    usage,
  };
  return `data: ${JSON.stringify({ ...head, ...more })}\n\n`;
};

/** The count of the reply stays 0 until its end. */
export const baiduStream =
  piece(0, "当然可以，", false, 0) + piece(1, "以下是北京。", false, 0) + piece(2, "", true, 6);

export const baiduExpired: JsonRecord = {
  error_code: 110,
  error_msg: "Access token invalid or no longer valid",
};
export const baiduLimited: JsonRecord = {
  error_code: 18,
  error_msg: "Open api qps request limit reached",
};
export const baiduRefused: JsonRecord = {
  error_code: 336003,
  error_msg: "the length of messages must be an odd number",
};

export const baiduToken: JsonRecord = {
  refresh_token: "25.refresh",
  expires_in: 2592000,
  session_key:
    "9mzdDZXu3dENdFZQurfg0Vz8slgSgvvOAUebNFzyzcpQ5EnbxbF+hfG9DQkpUVQdh4p6HbQcAiz5RmuBAja1JJGgIdJI",
  access_token: "24.access-token-of-baidu",
  scope: "public brain_all_scope",
  session_secret: "fcaed9d5d3d2d9e8",
};

export const baiduVectors: JsonRecord = {
  id: "as-gjs275mj6s",
  object: "embedding_list",
  created: 1687155816,
  data: [
    { object: "embedding", embedding: [0.018314, 0.25], index: 0 },
    { object: "embedding", embedding: [-0.5, 1], index: 1 },
  ],
  usage: { prompt_tokens: 12, total_tokens: 12 },
};
