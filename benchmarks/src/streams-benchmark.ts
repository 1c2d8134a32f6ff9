/**
 * The gateway's memory for open streams: many slow ones, and long ones at full speed. Every client
 * checks that it receives no words of other streams. Writes docs/benchmarks.md.
 *
 *   node benchmarks/src/streams-benchmark.ts [--open 4000] [--seconds 60] [--long 200] [--tokens 600000]
 */
import { once } from "node:events";
import { connect } from "node:net";
import { parseArgs } from "node:util";
import {
  type BenchmarkProcesses,
  password,
  type StartedProcess,
  urlOf,
  withProcesses,
} from "./benchmark-processes.ts";
import { writeSection } from "./benchmark-report.ts";
import { signIn } from "./operator-client.ts";
import { cpuMicros, residentBytes } from "./process-time.ts";

const { values: flags } = parseArgs({
  options: {
    open: { type: "string", default: "4000" },
    seconds: { type: "string", default: "60" },
    long: { type: "string", default: "200" },
    tokens: { type: "string", default: "600000" },
  },
});
const mebibyte = 1024 * 1024;
const lookEveryMs = 500;

interface StreamRow {
  what: string;
  emptyMb: number;
  peakMb: number;
  goalMb: number;
  microsPerEvent: number;
  seconds: number;
}

const many = Number(flags.open);
const long = Number(flags.long);
const tokens = Number(flags.tokens);
const rows: StreamRow[] = [];
await withProcesses(async (processes) => {
  const upstream = await processes.start("stream-upstream.ts", [
    "--events",
    flags.seconds,
    "--every",
    "1000",
  ]);
  const what = `${many} streams, an event a second for ${flags.seconds} s`;
  rows.push(await measure(processes, upstream, what, many, Number(flags.seconds), 400));
});
await withProcesses(async (processes) => {
  const upstream = await processes.start("stream-upstream.ts", ["--events", flags.tokens]);
  rows.push(
    await measure(
      processes,
      upstream,
      `${long} streams of ${tokens} tokens at once`,
      long,
      tokens,
      300,
    ),
  );
});
writeSection("Open streams", [
  "Memory of the whole gateway process (resident, the highest of samples twice a second), SQLite, full accounting; every",
  "stream was read to its end by its own client, without a word of another stream, and charged, or the run failed.",
  "",
  "| Streams | Empty | Most | Goal | CPU per event | Took |",
  "|---|---|---|---|---|---|",
  ...rows.map(
    ({ what, emptyMb, peakMb, goalMb, microsPerEvent, seconds }) =>
      `| ${what} | ${emptyMb.toFixed(0)} MB | ${peakMb.toFixed(0)} MB | under ${goalMb} MB | ${microsPerEvent.toFixed(1)} µs | ${seconds.toFixed(0)} s |`,
  ),
]);

async function measure(
  { startGateway }: BenchmarkProcesses,
  upstream: StartedProcess,
  what: string,
  streams: number,
  events: number,
  goalMb: number,
): Promise<StreamRow> {
  const gateway = await startGateway(upstream);
  const operator = await signIn(urlOf(gateway), password);
  const key = await operator.prepare(urlOf(upstream));
  const before = await operator.totals();
  const empty = residentBytes(gateway.pid);
  const usedBefore = cpuMicros(gateway.pid);
  let peakBytes = empty;
  const watch = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(gateway.pid));
  }, lookEveryMs);
  const started = performance.now();
  const ends = await Promise.all(
    Array.from({ length: streams }, (_, id) => readStream(gateway.port, key, id)),
  );
  clearInterval(watch);
  const seconds = (performance.now() - started) / 1000;
  const used = cpuMicros(gateway.pid) - usedBefore;
  await operator.settled();
  const after = await operator.totals();
  const whole = ends.filter(Boolean).length;
  if (whole !== streams) throw new Error(`${streams - whole} streams were not complete`);
  if (after.rows - before.rows !== streams)
    throw new Error(`${after.rows - before.rows} log rows of ${streams} streams`);
  const row = {
    what,
    emptyMb: empty / mebibyte,
    peakMb: peakBytes / mebibyte,
    goalMb,
    microsPerEvent: used / (streams * events),
    seconds,
  };
  console.log(
    `${what}: ${row.peakMb.toFixed(0)} MB (under ${goalMb}), ${row.microsPerEvent.toFixed(1)} µs an event`,
  );
  return row;
}

function wordOf(id: number): string {
  return `caller-${id}-`;
}

/**
 * `readStream` gives one call on a plain socket, which is cheap for this process. Returns whether
 * the last event came; throws on a word of another stream.
 */
async function readStream(port: number, key: string, id: number): Promise<boolean> {
  const body = JSON.stringify({
    model: "gpt-4o-mini",
    stream: true,
    stream_options: { include_usage: true },
    messages: [{ role: "user", content: wordOf(id) }],
  });
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nauthorization: Bearer ${key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  );
  const own = wordOf(id);
  let last = "";
  for await (const part of socket as AsyncIterable<Buffer>) {
    const text = last + part.toString("latin1");
    for (let at = text.indexOf("caller-"); at >= 0; at = text.indexOf("caller-", at + 1)) {
      // A word that is cut off here is checked with the next chunk.
      if (text.length - at < own.length) break;
      if (!text.startsWith(own, at))
        throw new Error(`caller ${id} got ${text.slice(at, at + own.length)}`);
    }
    last = text.slice(-64);
  }
  return last.includes("data: [DONE]");
}
