// Received calls and the outcome of each, for tests to read.
import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";

/** Times are fractional milliseconds since 1970; null if the event did not happen. */
export type ReceivedCall = {
  number: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  key: string | null;
  /** The number of this call among those of its key, from 1. */
  keyCall: number;
  /** Parsed JSON, otherwise text; cut to `bodyBytesMax` bytes. */
  body: unknown;
  bodyBytes: number;
  status: number | null;
  stream: boolean;
  contentEvents: number;
  receivedAt: number;
  firstByteAt: number | null;
  lastByteAt: number | null;
  /** `abortedAt` is when the client disconnected before the reply was complete. */
  abortedAt: number | null;
};

export type SimulatorStats = {
  calls: number;
  openCalls: number;
  openStreams: number;
  aborted: number;
};

type CallLogEntry = { call: ReceivedCall; bodyText: string };

const callsMax = 10_000;
const bodyBytesMax = 64 * 1024;
/** Bounds the memory for ten thousand long prompts. */
const totalBytesMax = 64 * 1024 * 1024;

export type CallLog = ReturnType<typeof createCallLog>;

export function createCallLog() {
  let entries: CallLogEntry[] = [];
  let bytes = 0;
  const stats: SimulatorStats = { calls: 0, openCalls: 0, openStreams: 0, aborted: 0 };

  return {
    stats,

    begin(request: { method: string; path: string; headers: IncomingHttpHeaders }): ReceivedCall {
      stats.calls += 1;
      stats.openCalls += 1;
      return {
        ...request,
        number: stats.calls,
        key: null,
        keyCall: 0,
        body: null,
        bodyBytes: 0,
        status: null,
        stream: false,
        contentEvents: 0,
        receivedAt: now(),
        firstByteAt: null,
        lastByteAt: null,
        abortedAt: null,
      };
    },

    /** Adds the call once its body has arrived, so that the list never shows a partial call. */
    enter(call: ReceivedCall, body: Buffer): void {
      const bodyText = body.toString("utf8", 0, bodyBytesMax);
      call.bodyBytes = body.length;
      entries.push({ call, bodyText });
      bytes += bodyText.length;
      while (entries.length > callsMax || (bytes > totalBytesMax && entries.length > 1)) {
        bytes -= entries.shift()?.bodyText.length ?? 0;
      }
    },

    end(call: ReceivedCall, wasAborted: boolean): void {
      stats.openCalls -= 1;
      if (call.stream) stats.openStreams -= 1;
      if (!wasAborted) return;
      call.abortedAt = now();
      stats.aborted += 1;
    },

    list: (): ReceivedCall[] =>
      entries.map(({ call, bodyText }) => ({ ...call, body: jsonOrText(bodyText) })),

    clear(): void {
      entries = [];
      bytes = 0;
    },
  };
}

export const now = () => performance.timeOrigin + performance.now();

function jsonOrText(text: string): unknown {
  if (text === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
