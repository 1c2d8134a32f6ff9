// `npm run trust:parser -- --cases 10000000`: generated streams of every interface through the relay's reading, against a
// slow and simple reader of the tests. Each is cut in sixteen ways, which are sixteen cases. A seed names a stream:
// `--cases 1 --seed <seed> --try` plays it again.
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { recordRun } from "../tests/src/trust/runs/run-record.ts";
import { stopOnSignal } from "../tests/src/trust/runs/stop-on-signal.ts";
import { cutsPerStream } from "../tests/src/trust/streams/replay-stream.ts";
import type { StreamBatch, StreamShare } from "../tests/src/trust/streams/stream-worker.ts";

const { values: flags } = parseArgs({
  options: {
    cases: { type: "string", default: "10000000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
    threads: { type: "string", default: String(availableParallelism()) },
    /** Nothing is written down. */
    try: { type: "boolean", default: false },
  },
});
const cases = Number(flags.cases);
const seed = Number(flags.seed);
const streams = Math.ceil(cases / cutsPerStream);
const threads = Math.min(Number(flags.threads), streams);
const mebi = 1024 * 1024;
/** What a thread may keep at its end beyond what it kept after a tenth; fewer cases have not filled what it remembers. */
const growthMiBMax = 8;
const casesToSettle = 1_000_000;
const tellEvery = 250_000;

const startedAt = Date.now();
const stop = stopOnSignal();
const trouble: string[] = [];
const used: number[][] = [];
let done = 0;

function take(thread: number, batch: StreamBatch): void {
  const before = Math.floor(done / tellEvery);
  done += batch.cases;
  trouble.push(...batch.problem);
  for (const line of batch.problem) console.error(line);
  if (batch.used !== undefined) used[thread]?.push(batch.used);
  if (Math.floor(done / tellEvery) > before) {
    const rate = (done / (Date.now() - startedAt)) * 1000;
    console.log(
      `${new Date().toISOString().slice(11, 19)} ${done} cases, ${rate.toFixed(0)}/s, ${trouble.length} troubles`,
    );
  }
}

async function run(thread: number): Promise<void> {
  const first = Math.floor((streams * thread) / threads);
  const share: StreamShare = { first: seed + first, streams: Math.floor((streams * (thread + 1)) / threads) - first };
  used[thread] = [];
  const worker = new Worker(join(import.meta.dirname, "../tests/src/trust/streams/stream-worker.ts"), {
    workerData: share,
  });
  stop.addEventListener("abort", () => worker.postMessage("stop"));
  worker.on("message", (batch: StreamBatch) => take(thread, batch));
  let played = 0;
  worker.on("message", (batch: StreamBatch) => {
    played += batch.streams;
  });
  worker.on("error", (error: Error) => {
    trouble.push(`among the thousand from seed ${share.first + played}: ${error.stack}`);
    console.error(trouble.at(-1));
  });
  await once(worker, "exit");
}

await Promise.all(Array.from({ length: threads }, (_, thread) => run(thread)));

const seconds = (Date.now() - startedAt) / 1000;
const at = (place: number): number => used.reduce((sum, each) => sum + (each.at(place) ?? 0), 0) / mebi;
const grownMiB = at(-1) - at(0);
const isFlat = done / threads < casesToSettle || grownMiB <= growthMiBMax * threads;
if (!isFlat) trouble.push(`memory grew by ${grownMiB.toFixed(1)} MiB`);
const passed = trouble.length === 0;
const figures = [
  `${done} cases, ${done / cutsPerStream} streams each cut in ${cutsPerStream} ways, from seed ${seed} in ${threads} threads, ${(done / seconds).toFixed(0)}/s`,
  `in use after a collection at a tenth ${at(0).toFixed(1)} MiB, at the end ${at(-1).toFixed(1)} MiB`,
  passed ? "none read unlike the model or by how it was cut, no false end, nothing thrown" : `then ${trouble[0]}`,
].join("; ");
if (flags.try) console.log(figures);
else recordRun({ run: "stream parser", size: done, passed, figures });
process.exitCode = passed ? 0 : 1;
