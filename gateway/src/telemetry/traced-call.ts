/** The facts of which spans are made: a call that has ended, with its attempts. */
import type { Usage } from "../money/prices/price.ts";
import type { AttemptResult } from "./call-metrics.ts";

/** `TracedAttempt` is what the main thread knows of a traced attempt beside its record. */
export interface TracedAttempt {
  spanId: string;
  /** The provider's address. */
  host: string;
  port: number;
  /** `channelType` is that of the channel, as `channelTypes` numbers them. */
  channelType: number;
}

/**
 * The ids that a call has as long as spans are sent at all; whether it is sent is known at its end.
 */
export interface CallTrace {
  traceId: string;
  /** `spanId` is that of the span of the server. */
  spanId: string;
  /** The client's span, if it told a valid one. */
  parentSpanId: string | undefined;
  /** The client's `tracestate`; empty without one. */
  state: string;
  /** Chosen by its trace id, or by a client that is trusted. */
  isSampled: boolean;
  /** `heldAt` is when the hold was open, in milliseconds since the epoch; 0 before. */
  heldAt: number;
  attempts: TracedAttempt[];
}

/** An ended call as the main thread hands it over. */
export interface TracedCall {
  trace: CallTrace;
  /** A `TraceRecord` as JSON, as it is stored. */
  record: string;
  /** The endpoint of the client API. */
  entry: string;
  requestId: string;
  address: string;
  userId: number;
  tokenId: number;
  requestedModel: string;
  /** The model after mapping. */
  model: string;
  isStream: boolean;
  outcome: string;
  charge: number;
  ttftMs: number;
  usage: Usage;
  /** `UsageDetails` as JSON. */
  usageDetails: string | null;
  results: readonly AttemptResult[];
  settledAt: number;
}
