/** Tests one channel and writes down how it went. */
import { logTypes } from "@tollgate/contract/logs.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { Database } from "../storage/database.ts";
import type { Channel, ChannelStore } from "./channel-store.ts";

export interface TestResult {
  ok: boolean;
  /** The model's answer, or what went wrong in words that may be shown to administrators. */
  message: string;
  elapsedMs: number;
  modelName: string;
  promptTokens?: number;
  completionTokens?: number;
}

/** Sends the question; never throws for trouble of the upstream. Without a model it chooses one. */
export type TestChannel = (channel: Channel, model: string | undefined) => Promise<TestResult>;

const contentMax = 500;

export function testChannelWith(db: Database, channels: ChannelStore, ask: TestChannel) {
  return async (channel: Channel, model: string | undefined, { caller, now }: Circumstances & { caller: Caller }) => {
    const result = await ask(channel, model);
    const elapsed = Math.max(1, Math.round(result.elapsedMs));
    const row = {
      id: db.mintId(),
      type: logTypes.test,
      user_id: caller.id,
      username: caller.username,
      token_id: 0,
      token_name: "",
      channel_id: channel.id,
      channel_name: channel.name,
      model_name: result.modelName,
      origin_model_name: result.modelName,
      quota: 0,
      prompt_tokens: result.promptTokens ?? 0,
      completion_tokens: result.completionTokens ?? 0,
      cached_prompt_tokens: 0,
      cache_write_5m_tokens: 0,
      cache_write_1h_tokens: 0,
      elapsed_ms: elapsed,
      ttft_ms: 0,
      is_stream: 0 as const,
      outcome: "",
      content: `Channel test ${result.ok ? "succeeded" : "failed"}: ${result.message}`.slice(0, contentMax),
      price: null,
    };
    await db.write([channels.tested(channel, result.ok ? elapsed : 0, now), channels.addLog(row)]);
    if (!result.ok)
      throw refuse("channel_test_failed", {
        message: result.message,
        extras: { time: 0, modelName: result.modelName },
      });
    return { data: undefined, message: result.message, time: elapsed / 1000, modelName: result.modelName };
  };
}
