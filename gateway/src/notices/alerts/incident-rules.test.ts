import { describe, expect, test } from "vitest";
import { computeIdFloor } from "../../storage/time-ids.ts";
import { buildIncident, type IncidentCall, inOrder, listChannelEvents } from "./incident-rules.ts";

const start = Date.UTC(2026, 10, 22, 9);
const minute = 60_000;

const call = (ago: number, changes: Partial<IncidentCall> = {}): IncidentCall => ({
  id: computeIdFloor(start + ago),
  user_id: 1,
  username: "mira",
  outcome: "failed",
  content: "status 503",
  origin_model_name: "small",
  trace: undefined,
  ...changes,
});
const attempt = (at: number, changes: object = {}) => ({
  channel_id: 12,
  channel_uuid: "",
  channel_name: "West",
  started_at: start + at,
  ended_at: start + at + 500,
  status: 503,
  outcome: "failed",
  error: "overloaded",
  ...changes,
});
const candidate = (reason: string, channel_name = "West") => ({
  channel_id: channel_name === "West" ? 12 : 13,
  channel_uuid: "",
  channel_name,
  taken: false,
  reason,
});

describe("what is told of an incident", () => {
  test("its minutes, whose calls failed, and what failed alike, most calls first", () => {
    const told = buildIncident([
      call(1_000),
      call(59_000, { user_id: 2, username: "noor" }),
      call(minute, { content: "status 500" }),
      call(minute + 1, { outcome: "success" }),
      call(5 * minute, { username: "mira lind" }),
    ]);
    expect([told.failed, told.rescued]).toEqual([4, 1]);
    expect(told.minutes).toEqual([
      { at: start, failed: 2, rescued: 0 },
      { at: start + minute, failed: 1, rescued: 1 },
      { at: start + 5 * minute, failed: 1, rescued: 0 },
    ]);
    expect(told.users).toEqual([
      { user_id: 1, username: "mira lind", failed: 3, rescued: 1 },
      { user_id: 2, username: "noor", failed: 1, rescued: 0 },
    ]);
    expect(told.failures).toEqual([
      { outcome: "failed", model: "small", reason: "status 503", calls: 3 },
      { outcome: "failed", model: "small", reason: "status 500", calls: 1 },
    ]);
  });

  test("the course of a channel: its failed attempts, and when a breaker kept calls from it", () => {
    const attempts = [
      attempt(0),
      attempt(1_000, { channel_id: 13, channel_name: "East", outcome: "success" }),
    ];
    const candidates = [
      candidate("last resort: suspended after status 503, 9 s left"),
      candidate("disabled", "East"),
    ];
    const told = buildIncident([
      call(0, { trace: { attempts, candidates: [] } }),
      call(minute, {
        trace: { attempts: [attempt(minute, { status: 0, error: null })], candidates: [] },
      }),
      call(2 * minute, { trace: { attempts: [], candidates } }),
    ]);
    expect(told.channels).toEqual([
      {
        channel_id: 12,
        channel_name: "West",
        failed_attempts: 2,
        statuses: [
          { status: 503, attempts: 1 },
          { status: 0, attempts: 1 },
        ],
        last_error: "overloaded",
        first_failed_at: start + 500,
        last_failed_at: start + minute + 500,
        first_suspended_at: start + 2 * minute,
        last_suspended_at: start + 2 * minute,
      },
    ]);
    expect(
      inOrder(listChannelEvents(told.channels)).map(({ kind, at }) => [kind, at - start]),
    ).toEqual([
      ["channel_failing", 500],
      ["channel_suspended", 2 * minute],
      ["channel_quiet", 2 * minute],
    ]);
  });

  test("one failure of a channel is one line of the timeline", () => {
    const { channels } = buildIncident([
      call(0, { trace: { attempts: [attempt(0)], candidates: [] } }),
    ]);
    expect(listChannelEvents(channels).map(({ kind }) => kind)).toEqual(["channel_failing"]);
  });
});
