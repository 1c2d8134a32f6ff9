// What the simulator received and how each answer went, for tests to read afterwards.
import type { IncomingHttpHeaders } from "node:http";
import { performance } from "node:perf_hooks";

/** Times are milliseconds since 1970, with fractions; null where it did not come to that. */
export type ReceivedCall = {
  number: number;
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  key: string | null;
  /** Which call of this key it was, from 1. */
  keyCall: number;
  /** JSON when it was JSON, text otherwise; cut to `bodyKept` bytes. */
  body: unknown;
  bodyBytes: number;
  status: number | null;
  stream: boolean;
  contentEvents: number;
  receivedAt: number;
  firstByteAt: number | null;
  lastByteAt: number | null;
  /** When the gateway hung up before we were done. */
  abortedAt: number | null;
};

export type SimulatorStats = { calls: number; openCalls: number; openStreams: number; aborted: number };

type CallLogEntry = { call: ReceivedCall; bodyText: string };

const callsMax = 10_000;
const bodyBytesMax = 64 * 1024;
/** So that ten thousand long prompts do not fill the memory. */
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

    /** Entered once the body is here, so that a list never shows half a call. */
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

    list: (): ReceivedCall[] => entries.map(({ call, bodyText }) => ({ ...call, body: jsonOrText(bodyText) })),

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
