/**
 * New calls are refused while the process is short of something, so that those that run can end well: before its
 * descriptors, its heap or its time are used up, not when they are. The management API goes on, for whoever has to look.
 */
import { readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";

export type Shortage = "descriptors" | "memory" | "time";

export interface ProcessLoad {
  /** Open descriptors and how many there may be; Infinity where the system does not say. */
  descriptors: number;
  descriptorsMax: number;
  /** Of what the heap, or the whole process, may have, whichever is scarcer: 0 to 1. */
  memoryShare: number;
  /** How late the event loop comes to what is due, smoothed. */
  lagMs: number;
}

/** Above the first it begins, below the second it is over: in between it stays as it is. */
const bounds = { descriptors: [0.8, 0.75], memory: [0.85, 0.75], time: [1_000, 500] } as const;

/** What the process is short of, given what it was short of before. */
export function shortageOf(load: ProcessLoad, before: Shortage | undefined): Shortage | undefined {
  const values: Record<Shortage, number> = {
    descriptors: load.descriptors / load.descriptorsMax,
    memory: load.memoryShare,
    time: load.lagMs,
  };
  const isShort = (kind: Shortage): boolean => values[kind] >= bounds[kind][kind === before ? 1 : 0];
  return (["descriptors", "memory", "time"] as const).find(isShort);
}

const lagSampleMaxMs = 2_000;
const lagWeight = 0.3;

/** One pause of any length is an accident; two long ones in a row are a loop that cannot follow. */
export const smoothedLag = (before: number, sampleMs: number): number =>
  before * (1 - lagWeight) + Math.min(sampleMs, lagSampleMaxMs) * lagWeight;

/** The limit in the text of /proc/self/limits. */
export function descriptorsMaxIn(limits: string): number {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Node raises its limit at the start, so it is read then and not earlier. */
function readDescriptorsMax(): number {
  try {
    return descriptorsMaxIn(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const youngSpaces = new Set(["new_space", "new_large_object_space"]);
/** What the limit of the heap has room for besides the old objects, which are the ones that pile up. */
const youngMax = 96 * 1024 * 1024;

/** `limit` in bytes, of which the young objects have their part. */
export function heapShareOf(spaces: { space_name: string; space_used_size: number }[], limit: number): number {
  const old = spaces.filter(({ space_name: name }) => !youngSpaces.has(name));
  const used = old.reduce((sum, { space_used_size: size }) => sum + size, 0);
  return used / Math.max(limit - youngMax, limit / 4);
}

/** The container's memory, or the machine's, in bytes. */
export function memoryMax(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

/** What the process occupies. Bodies and answers lie outside of the heap. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    // It is read from a file, for which there may be no descriptor.
    return 0;
  }
}

const checkIntervalMs = 250;
/** A burst fills the heap between two looks. */
const checkEveryCalls = 32;
const resolutionMs = 50;
/** Counting all descriptors takes milliseconds where there are many. */
const countEveryChecks = 40;
/** Above this nobody is let in any more: what runs still has to reach files, names and other channels. */
const connectionsShareMax = 0.95;

export interface LoadSources {
  clientConnections(): number;
  /** Calls that have a connection to a provider or will need one. */
  activeCalls(): number;
  /** Connections to providers, also those that wait for a next call. */
  upstreamConnections(): number;
  /** Gives up what is only kept in case that it is used again. */
  closeIdle(): void;
  /** How many callers may be connected from now on. */
  limitClientConnections(max: number): void;
  onChange(shortage: Shortage | undefined): void;
}

export interface LoadShedding {
  /** Asked once for every call that would begin. */
  isShort(): boolean;
  /** Begins to look; the answer ends it. */
  watch(watched: LoadSources): () => void;
}

export function createLoadShedding(descriptorsMax = readDescriptorsMax()): LoadShedding {
  let shortage: Shortage | undefined;
  /** Counted at each call: a flood is over the limit long before the next look. */
  let needed = (): number => 0;
  let open = (): number => 0;
  const neededMax = descriptorsMax * bounds.descriptors[0];
  const openMax = descriptorsMax * connectionsShareMax;
  const residentMax = memoryMax();
  let check = (): void => undefined;
  let calls = 0;
  /** Only who allocates makes the collector run: without any call, memory that is garbage would stay occupied for ever. */
  let hasAdmittedProbe = false;

  return {
    isShort() {
      if (needed() >= neededMax || open() >= openMax) return true;
      calls += 1;
      if (shortage === undefined && calls % checkEveryCalls === 0) check();
      if (shortage !== "memory" || hasAdmittedProbe) return shortage !== undefined;
      hasAdmittedProbe = true;
      return false;
    },

    watch({ clientConnections, activeCalls, upstreamConnections, closeIdle, limitClientConnections, onChange }) {
      const delay = monitorEventLoopDelay({ resolution: resolutionMs });
      delay.enable();
      let others = 0;
      let checks = 0;
      let lagMs = 0;
      let residentShare = 0;
      needed = () => others + clientConnections() + activeCalls();
      open = () => others + clientConnections() + upstreamConnections();

      check = () => {
        const heapShare = heapShareOf(getHeapSpaceStatistics(), getHeapStatistics().heap_size_limit);
        const memoryShare = Math.max(heapShare, residentShare);
        const found = shortageOf({ descriptors: needed(), descriptorsMax, memoryShare, lagMs }, shortage);
        if (found !== shortage) onChange(found);
        shortage = found;
      };
      const measure = (): void => {
        if (checks % countEveryChecks === 0 && Number.isFinite(descriptorsMax)) {
          others = Math.max(0, countDescriptors() - clientConnections() - upstreamConnections());
        }
        checks += 1;
        const sampleMs = delay.count > 0 ? Math.max(0, delay.mean / 1e6 - resolutionMs) : 0;
        delay.reset();
        lagMs = smoothedLag(lagMs, sampleMs);
        residentShare = residentBytes() / residentMax;
        hasAdmittedProbe = false;
        check();
        if (shortage === "descriptors" || open() >= openMax) closeIdle();
        if (Number.isFinite(descriptorsMax)) {
          limitClientConnections(
            Math.max(1, Math.floor(descriptorsMax * connectionsShareMax) - others - upstreamConnections()),
          );
        }
      };
      measure();
      const timer = setInterval(measure, checkIntervalMs);
      timer.unref();
      return () => {
        clearInterval(timer);
        delay.disable();
        check = () => undefined;
      };
    },
  };
}

function countDescriptors(): number {
  try {
    return readdirSync("/proc/self/fd").length;
  } catch {
    return 0;
  }
}
