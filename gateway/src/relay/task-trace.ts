/**
 * The trace of a task that a provider works on after its request was answered: a batch or a video.
 */
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import type { CallSnapshot } from "../money/call-log-row.ts";
import type { TracedStart } from "./call-recorder.ts";

/** `created_at`: when the provider took the task, in milliseconds since the epoch. */
export function buildTaskTrace(
  { channel_id, created_at }: { channel_id: number; created_at: number },
  {
    snapshot,
    channelName,
    traced,
  }: { snapshot: CallSnapshot; channelName: string; traced?: TracedStart },
  outcome: string,
  endedAt: number,
): TraceRecord {
  const { url, method, body_size, received_at } = snapshot;
  return {
    url,
    method,
    body_size,
    status: 200,
    timestamps: { request_received: received_at, upstream_completed: endedAt },
    attempts: [
      ...(traced?.attempts.slice(0, -1) ?? []),
      {
        ...(traced?.attempts.at(-1) ?? { channel_id, channel_uuid: "", channel_name: channelName }),
        started_at: created_at,
        ended_at: endedAt,
        status: 200,
        outcome,
        error: null,
      },
    ],
    candidates: traced?.candidates ?? [],
  };
}
