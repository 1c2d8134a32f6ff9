// Generated streams of every API format through the relay's reader, compared with a slow and simple
// reader, in threads.
import { once } from "node:events";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { cutsPerStream } from "./replay-stream.ts";
import type { StreamBatch, StreamShare } from "./stream-worker.ts";

export interface ParserRunOptions {
  /** Each stream is split in several ways, and each of them is a case. */
  cases: number;
  seed: number;
  threads: number;
  stop?: AbortSignal;
  onProgress?: (cases: number, problems: readonly string[]) => void;
}

export interface ParserFigures {
  cases: number;
  streams: number;
  threads: number;
  /**
   * `usedMiBFirst` is what all threads use after a collection, once a tenth is done and at the end.
   */
  usedMiBFirst: number;
  usedMiBLast: number;
  problems: string[];
}

const mebi = 1024 * 1024;
/**
 * `growthMiBMax` is what a thread may keep at its end beyond what it kept after a tenth; fewer
 * cases have not filled its caches.
 */
const growthMiBMax = 8;
const casesToSettle = 1_000_000;

export async function runParser(options: ParserRunOptions): Promise<ParserFigures> {
  const { seed, stop, onProgress } = options;
  const streams = Math.ceil(options.cases / cutsPerStream);
  const threads = Math.min(options.threads, streams);
  const problems: string[] = [];
  const used: number[][] = [];
  let cases = 0;

  async function runThread(thread: number): Promise<void> {
    const first = Math.floor((streams * thread) / threads);
    const share: StreamShare = {
      first: seed + first,
      streams: Math.floor((streams * (thread + 1)) / threads) - first,
    };
    const samples: number[] = [];
    used.push(samples);
    const worker = new Worker(join(import.meta.dirname, "stream-worker.ts"), { workerData: share });
    stop?.addEventListener("abort", () => worker.postMessage("stop"));
    let replayed = 0;
    worker.on("message", (batch: StreamBatch) => {
      cases += batch.cases;
      replayed += batch.streams;
      problems.push(...batch.problems);
      if (batch.used !== undefined) samples.push(batch.used);
      onProgress?.(cases, problems);
    });
    worker.on("error", (error: Error) => {
      problems.push(`among the thousand from seed ${share.first + replayed}: ${error.stack}`);
    });
    await once(worker, "exit");
  }
  await Promise.all(Array.from({ length: threads }, (_, thread) => runThread(thread)));

  const usedMiB = (index: number): number =>
    used.reduce((sum, samples) => sum + (samples.at(index) ?? 0), 0) / mebi;
  const [usedMiBFirst, usedMiBLast] = [usedMiB(0), usedMiB(-1)];
  const grownMiB = usedMiBLast - usedMiBFirst;
  if (cases / threads >= casesToSettle && grownMiB > growthMiBMax * threads) {
    problems.push(`memory grew by ${grownMiB.toFixed(1)} MiB`);
  }
  return { cases, streams: cases / cutsPerStream, threads, usedMiBFirst, usedMiBLast, problems };
}
