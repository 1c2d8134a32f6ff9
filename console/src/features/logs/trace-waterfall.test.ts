import type { Trace } from "@tollgate/contract/figures/traces.ts";
import { expect, test } from "vitest";
import { buildWaterfall, listAxisMarks } from "./trace-waterfall.ts";

const trace = (parts: Partial<Trace>): Trace => ({
  id: 1,
  uuid: "",
  trace_id: "t",
  url: "/v1/chat/completions",
  method: "POST",
  body_size: 1,
  status: 200,
  created_at: 0,
  updated_at: 0,
  timestamps: {},
  attempts: [],
  candidates: [],
  ...parts,
});
const attempt = { channel_id: 1, channel_uuid: "", channel_name: "main", outcome: "", error: null };

test("a request is divided into its phases, measured from its start", () => {
  const { totalMs, rows } = buildWaterfall(
    trace({
      timestamps: {
        request_received: 1_000,
        request_forwarded: 1_040,
        first_upstream_response: 1_790,
        first_client_response: 1_793,
        upstream_completed: 3_770,
        request_completed: 3_790,
      },
    }),
    "Request",
  );
  expect(totalMs).toBe(2_790);
  expect(rows[0]?.segments).toEqual([
    { phase: "processing", fromMs: 0, ms: 40 },
    { phase: "waiting", fromMs: 40, ms: 750 },
    { phase: "answering", fromMs: 790, ms: 3 },
    { phase: "streaming", fromMs: 793, ms: 1_977 },
    { phase: "finishing", fromMs: 2_770, ms: 20 },
  ]);
});

test("missing timestamps leave no gap, and timestamps out of order no negative segment", () => {
  const { rows } = buildWaterfall(
    trace({
      timestamps: {
        request_received: 100,
        request_forwarded: 150,
        first_upstream_response: 140,
        request_completed: 400,
      },
    }),
    "Request",
  );
  expect(rows[0]?.segments).toEqual([
    { phase: "processing", fromMs: 0, ms: 50 },
    { phase: "finishing", fromMs: 50, ms: 250 },
  ]);
});

test("a call that was refused was in the gateway all the time", () => {
  const { rows } = buildWaterfall(
    trace({
      timestamps: { request_received: 100, first_client_response: 102, request_completed: 103 },
    }),
    "Request",
  );
  expect(rows[0]?.segments).toEqual([{ phase: "processing", fromMs: 0, ms: 3 }]);
});

test("each attempt is a row: a failed one is marked, a running one has no length yet", () => {
  const { rows } = buildWaterfall(
    trace({
      timestamps: { request_received: 0, request_completed: 500 },
      attempts: [
        { ...attempt, started_at: 10, ended_at: 110, status: 503, error: "overloaded" },
        { ...attempt, channel_name: "backup", started_at: 120, ended_at: null, status: 200 },
      ],
    }),
    "Request",
  );
  expect(rows[1]).toMatchObject({
    name: "main",
    ms: 100,
    status: 503,
    error: "overloaded",
    segments: [{ phase: "failed", fromMs: 10, ms: 100 }],
  });
  expect(rows[2]).toMatchObject({
    name: "backup",
    ms: undefined,
    segments: [{ phase: "attempt", fromMs: 120, ms: 380 }],
  });
});

test("attempts with several keys of a channel name the key", () => {
  const attempts = ["aaaa", "bbbb"].map((key_hint) => ({
    ...attempt,
    key_hint,
    started_at: 0,
    ended_at: 1,
    status: 429,
  }));
  expect(
    buildWaterfall(trace({ attempts }), "Request")
      .rows.map(({ name }) => name)
      .slice(1),
  ).toEqual(["main …aaaa", "main …bbbb"]);
});

test("a trace without timestamps has no rows", () => {
  expect(buildWaterfall(trace({}), "Request")).toEqual({ totalMs: 0, rows: [] });
});

test("the axis has round marks", () => {
  expect(listAxisMarks(2_790)).toEqual([0, 1_000, 2_000]);
  expect(listAxisMarks(950)).toEqual([0, 250, 500, 750]);
  expect(listAxisMarks(0)).toEqual([0]);
});
