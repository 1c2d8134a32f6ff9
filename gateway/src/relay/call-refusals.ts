/** Refusals of calls: the words for the client and the reason for metrics, whatever a step threw. */

import { StorageUnavailable } from "../storage/database.ts";
import type { CallMetrics } from "../telemetry/call-metrics.ts";
import type { KnownCall, ReplyToClient } from "./exchange-parts.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import { overloaded, type RelayRefusal, RelayRefused } from "./wire/relay-refusal.ts";

export interface OverloadDeps {
  /** `isOverloaded` says whether the process lacks a resource, so that new calls are refused. */
  isOverloaded(): boolean;
}

/** `FrameDeps` are who counts a call, writes the row of a refused one and hears of faults. */
export interface FrameDeps {
  callMetrics: Pick<CallMetrics, "began" | "refused" | "ended">;
  refusedCalls: RefusedCalls;
  onError(error: unknown): void;
}

/**
 * Throws `RelayRefused` before a key is looked up or a body is read: a call that cannot be served
 * must cost nothing.
 */
export function refuseWhenOverloaded({ isOverloaded }: OverloadDeps): void {
  if (isOverloaded()) throw new RelayRefused(overloaded);
}

export const internalError: RelayRefusal = {
  status: 500,
  type: "internal_error",
  code: "internal_error",
  message: "Something went wrong in the gateway",
};

/** The refusal for anything that a step threw. */
export function buildRefusal(error: unknown, onError: (error: unknown) => void): RelayRefusal {
  if (error instanceof RelayRefused) return error.refusal;
  onError(error);
  if (error instanceof StorageUnavailable) {
    // No call is served unbilled: what cannot be held is refused.
    return {
      status: 503,
      type: "server_error",
      code: "storage_unavailable",
      message: "Storage is not available",
      retryAfter: 2,
    };
  }
  return internalError;
}

const namelessReasons: Readonly<Record<number, string>> = {
  401: "key_not_valid",
  403: "not_allowed",
  429: "rate_limited",
  503: "no_channel",
};

/**
 * `readRefusalReason` gives what a refusal before the hold is counted as. Its codes are the
 * gateway's own: no provider was asked.
 */
export const readRefusalReason = ({ code, status }: RelayRefusal): string =>
  typeof code === "string" && code !== "" ? code : (namelessReasons[status] ?? "bad_request");

/** Tells the client, metrics and the log what a step of the call threw; `entry` names it in metrics. */
export function refuseCall(
  exchange: KnownCall & ReplyToClient,
  entry: string,
  error: unknown,
  { callMetrics, refusedCalls, onError }: FrameDeps,
): void {
  const refusal = buildRefusal(error, onError);
  exchange.refuse(refusal);
  refusedCalls.record(exchange, error);
  callMetrics.refused(entry, readRefusalReason(refusal), refusal.budget);
}
