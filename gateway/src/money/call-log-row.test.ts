import { expect, test } from "vitest";
import { type CallSnapshot, callLogRow, type FinishedCall } from "./call-log-row.ts";
import { noUsage } from "./prices/price.ts";

const snapshot: CallSnapshot = {
  username: "mira",
  token_name: "laptop",
  origin_model_name: "requested",
  is_stream: true,
  url: "/v1/chat/completions",
  method: "POST",
  body_size: 100,
  received_at: 1,
};
const ending: FinishedCall = {
  id: 7,
  userId: 1,
  tokenId: 2,
  channelId: 3,
  channelName: "three",
  model: "served",
  quota: 40,
  usage: {
    ...noUsage,
    ...{ input: 1, cache_read: 20, cache_write_5m: 300, cache_write_1h: 4_000, output: 50_000 },
    ...{ input_audio: 600_000, cache_read_image: 7, output_image: 8, seconds: 9 },
  },
  outcome: "success",
  content: "a message",
  elapsedMs: 12,
  ttftMs: 3,
  price: "{}",
  usageDetails: '{"reason":"ended_early"}',
  retries: 1,
};

test("a log row has every member of its call, and counts each token once", () => {
  expect(callLogRow(snapshot, ending)).toEqual({
    ...{ id: 7, type: 2, user_id: 1, username: "mira", token_id: 2, token_name: "laptop" },
    ...{
      channel_id: 3,
      channel_name: "three",
      model_name: "served",
      origin_model_name: "requested",
      quota: 40,
    },
    prompt_tokens: 1 + 20 + 300 + 4_000 + 600_000 + 7,
    completion_tokens: 50_008,
    cached_prompt_tokens: 27,
    ...{
      cache_write_5m_tokens: 300,
      cache_write_1h_tokens: 4_000,
      elapsed_ms: 12,
      ttft_ms: 3,
      is_stream: 1,
    },
    ...{ outcome: "success", content: "a message", price: "{}" },
    usage_details: '{"reason":"ended_early"}',
    retries: 1,
    tags: null,
    cost_nanos: null,
    marks_saved: null,
    team_id: null,
    run: null,
    run_facts: null,
  });
  const tags = '{"counted":{"team":"search"}}';
  expect(callLogRow({ ...snapshot, tags }, ending).tags).toBe(tags);
  expect(callLogRow({ ...snapshot, is_stream: false }, { ...ending, price: null })).toMatchObject({
    is_stream: 0,
    price: null,
  });
});

test("a clock that was set back gives a duration of 0, and content at once is still content", () => {
  const early = { ...ending, elapsedMs: -5, ttftMs: -6 };
  expect(callLogRow(snapshot, early)).toMatchObject({ elapsed_ms: 0, ttft_ms: 1 });
  expect(callLogRow(snapshot, { ...ending, elapsedMs: 0, ttftMs: 0 })).toMatchObject({
    elapsed_ms: 0,
    ttft_ms: 1,
  });
  expect(callLogRow(snapshot, { ...ending, ttftMs: undefined }).ttft_ms).toBe(0);
});

test("text of an upstream is stored without invalid characters and cut to a maximum length", () => {
  const hostile = {
    ...ending,
    model: "a\0b\ud800",
    content: `${"x".repeat(1_999)}\0${"y".repeat(500)}`,
  };
  const row = callLogRow({ ...snapshot, origin_model_name: "\0asked" }, hostile);
  expect(row).toMatchObject({
    model_name: "ab\ufffd",
    origin_model_name: "asked",
    content: "x".repeat(1_999),
  });
  expect(callLogRow(snapshot, { ...ending, content: "x".repeat(2_001) }).content).toHaveLength(
    2_000,
  );
});
