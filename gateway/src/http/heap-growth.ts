/**
 * The amount of garbage that may lie beside many open calls. V8 looks for garbage when the heap has
 * grown to a multiple, up to four times, of the living part: cheap for the small heap of short
 * calls, and a hundred megabytes of garbage beside thousands of open streams.
 */
import { setFlagsFromString } from "node:v8";

const mebibyte = 1024 * 1024;
/**
 * Fewer leave too little garbage to pay for a search of the heap: with 64 calls at once, searching
 * early costs 5 to 15 % more CPU.
 */
const callsMin = 1_000;
/** `aliveBytes` are in use without a call, and those below for each call that is open. */
const aliveBytes = 30 * mebibyte;
const aliveBytesPerCall = 32 * 1024;
/**
 * 4,000 open streams take 384 MB with this much garbage, 394 MB with 48 and 474 MB by V8's own
 * rule.
 */
const garbageBytes = 32 * mebibyte;
/** The flag seldom changes. */
const stepPercent = 5;
/** Thousands of calls may begin within a second. */
const checkEveryMs = 250;

/**
 * `heapGrowingPercent` says by how many percent of the living part the heap may grow; 0 is V8's own
 * rule.
 */
export function heapGrowingPercent(openCalls: number): number {
  if (openCalls < callsMin) return 0;
  const percent = (100 * garbageBytes) / (aliveBytes + openCalls * aliveBytesPerCall);
  return Math.max(stepPercent, Math.round(percent / stepPercent) * stepPercent);
}

/** Holds for all threads, from their next collections on. The returned function ends it. */
export function limitHeapGrowth(openCalls: () => number): () => void {
  let current = 0;
  const set = (percent: number): void => {
    if (percent !== current) setFlagsFromString(`--heap-growing-percent=${percent}`);
    current = percent;
  };
  const timer = setInterval(() => set(heapGrowingPercent(openCalls())), checkEveryMs);
  timer.unref();
  return () => {
    clearInterval(timer);
    set(0);
  };
}
