// One thread of `npm run trust -- parser`: replays its share of the streams, or stops early when
// asked.
import { setImmediate as turn } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { collectGarbage } from "@tollgate/tests/harness/collect-garbage.ts";
import { cutsPerStream, findStreamProblem } from "./replay-stream.ts";

/** Seeds `first`, `first + 1`, … */
export interface StreamShare {
  first: number;
  streams: number;
}

export interface StreamBatch {
  streams: number;
  /** The streams times the ways in which each is split. */
  cases: number;
  problems: string[];
  /** Bytes in use after a garbage collection: sent after a tenth of the share, and at its end. */
  used?: number;
}

const batchSize = 1_000;
const troubleMax = 20;

function usedBytes(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

const port = parentPort;
if (!port) throw new Error("this is a thread of parser-run.ts");
const { first, streams } = workerData as StreamShare;
let isStopped = false;
port.once("message", () => {
  isStopped = true;
});
const tenth = Math.ceil(streams / 10 / batchSize) * batchSize;
for (let done = 0; done < streams; ) {
  const size = Math.min(batchSize, streams - done);
  const problems: string[] = [];
  for (let seed = first + done; seed < first + done + size; seed += 1) {
    const found = await findStreamProblem(seed);
    if (found && problems.length < troubleMax) problems.push(`seed ${seed}: ${found}`);
  }
  done += size;
  // Lets timers and messages run.
  await turn();
  const isEnd = done === streams || isStopped;
  port.postMessage({
    streams: size,
    cases: size * cutsPerStream,
    problems,
    ...((done === tenth || isEnd) && { used: usedBytes() }),
  } satisfies StreamBatch);
  if (isEnd) break;
}
port.close();
