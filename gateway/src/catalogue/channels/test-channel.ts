/** Tests one channel and records the result. */
import { logTypes } from "@tollgate/contract/figures/logs.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Principal } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import { buildEventRow } from "../../storage/event-row.ts";
import type { ChannelRow, ChannelStore } from "./channel-store.ts";

export interface ChannelTestReport {
  ok: boolean;
  /** The model's answer, or an error message that administrators may see. */
  message: string;
  elapsedMs: number;
  modelName: string;
  promptTokens?: number;
  completionTokens?: number;
  /** No call was made, so the result says nothing about the channel. */
  isUntestable?: boolean;
  /** There was no response at all: this server's network may be down. */
  isUnreachable?: boolean;
}

/** Makes a test call. Never throws for errors of the upstream. Without a model it chooses one. */
export type TestChannel = (
  channel: ChannelRow,
  model: string | undefined,
) => Promise<ChannelTestReport>;

/** Stores the result of a test, with a log row for the user who requested it. */
export type RecordTest = (
  channel: ChannelRow,
  result: ChannelTestReport,
  by: Pick<Principal, "id" | "username">,
  now: number,
) => Promise<void>;

const contentMax = 500;

export const findModelToTest = (channel: ChannelRow, requestedModel?: string): string | undefined =>
  requestedModel ?? channel.testing_model ?? undefined;

export function createTestRecorder(db: Database, channels: ChannelStore): RecordTest {
  return async (channel, result, by, now) => {
    const elapsed = Math.max(1, Math.round(result.elapsedMs));
    const row = {
      ...buildEventRow({
        id: db.mintId(),
        type: logTypes.test,
        user_id: by.id,
        username: by.username,
        quota: 0,
        content: `Channel test ${result.ok ? "succeeded" : "failed"}: ${result.message}`.slice(
          0,
          contentMax,
        ),
      }),
      channel_id: channel.id,
      channel_name: channel.name,
      model_name: result.modelName,
      origin_model_name: result.modelName,
      prompt_tokens: result.promptTokens ?? 0,
      completion_tokens: result.completionTokens ?? 0,
      elapsed_ms: elapsed,
    };
    await db.write([channels.tested(channel, result.ok ? elapsed : 0, now), channels.addLog(row)]);
  };
}

export function createChannelTest(runTest: TestChannel, record: RecordTest) {
  return async (
    channel: ChannelRow,
    model: string | undefined,
    { principal, now }: AuthenticatedContext,
  ) => {
    const result = await runTest(channel, findModelToTest(channel, model));
    await record(channel, result, principal, now);
    if (!result.ok)
      throw refuse("channel_test_failed", {
        message: result.message,
        extras: { time: 0, modelName: result.modelName },
      });
    const time = Math.max(1, Math.round(result.elapsedMs)) / 1000;
    return { data: undefined, message: result.message, time, modelName: result.modelName };
  };
}
