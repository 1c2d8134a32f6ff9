/**
 * Refuses new calls while the process runs short of descriptors, memory or time, so that running
 * calls can end well: before the resource is used up, not when it is. The management API stays
 * open, so that operators can look.
 */
import { readdirSync, readFileSync } from "node:fs";
import { totalmem } from "node:os";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { getHeapSpaceStatistics, getHeapStatistics } from "node:v8";

export type Shortage = "descriptors" | "memory" | "time";

export interface ProcessLoad {
  /** Open descriptors and their limit; Infinity when the system does not report one. */
  descriptors: number;
  descriptorsMax: number;
  /** Used share, 0 to 1, of the heap or of the memory of the process, whichever is scarcer. */
  memoryShare: number;
  /** Delay of the event loop, smoothed. */
  lagMs: number;
}

/** Shedding begins at the first bound and ends below the second. */
const bounds = { descriptors: [0.8, 0.75], memory: [0.85, 0.75], time: [1_000, 500] } as const;

/** The resource that the process is short of, given the previous one. */
export function findShortage(
  load: ProcessLoad,
  before: Shortage | undefined,
): Shortage | undefined {
  const values: Record<Shortage, number> = {
    descriptors: load.descriptors / load.descriptorsMax,
    memory: load.memoryShare,
    time: load.lagMs,
  };
  const isShort = (kind: Shortage): boolean =>
    values[kind] >= bounds[kind][kind === before ? 1 : 0];
  return (["descriptors", "memory", "time"] as const).find(isShort);
}

const lagSampleMaxMs = 2_000;
const lagWeight = 0.3;

/**
 * A single pause of any length is an accident; two long ones in a row mean that the loop cannot
 * keep up.
 */
export const computeSmoothedLag = (before: number, sampleMs: number): number =>
  before * (1 - lagWeight) + Math.min(sampleMs, lagSampleMaxMs) * lagWeight;

/** Reads the limit from the text of /proc/self/limits. */
export function computeDescriptorsMax(limits: string): number {
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
}

/** Node raises its limit at the start, so the limit is read after that. */
function readDescriptorsMax(): number {
  try {
    return computeDescriptorsMax(readFileSync("/proc/self/limits", "utf8"));
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

const youngSpaces = new Set(["new_space", "new_large_object_space"]);
/** Part of the heap limit that young objects use. Only old objects pile up. */
const youngMax = 96 * 1024 * 1024;

/** `limit` in bytes, the share of young objects included. */
export function computeHeapShare(
  spaces: { space_name: string; space_used_size: number }[],
  limit: number,
): number {
  const old = spaces.filter(({ space_name: name }) => !youngSpaces.has(name));
  const used = old.reduce((sum, { space_used_size: size }) => sum + size, 0);
  return used / Math.max(limit - youngMax, limit / 4);
}

/** Memory of the container, or else of the machine, in bytes. */
export function computeMemoryMax(): number {
  const constrained = process.constrainedMemory();
  const total = totalmem();
  return constrained > 0 && constrained < total ? constrained : total;
}

/** Memory of the process. Request bodies and responses are outside of the heap. */
function computeResidentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    // The value is read from a file, for which there may be no descriptor left.
    return 0;
  }
}

const checkIntervalMs = 250;
/** A burst fills the heap between two checks. */
const checkEveryCalls = 32;
const resolutionMs = 50;
/** Counting all descriptors takes milliseconds when there are many. */
const countEveryChecks = 40;
/**
 * Above this share no connection is accepted: running calls still need files, name look-ups and
 * other channels.
 */
const connectionsShareMax = 0.95;

export interface LoadSources {
  clientConnections(): number;
  /** Calls that hold a connection to a provider or will need one. */
  activeCalls(): number;
  /** Connections to providers, idle ones included. */
  upstreamConnections(): number;
  /** Closes connections that are only kept for reuse. */
  closeIdle(): void;
  /** Limits how many client connections may be open from now on. */
  limitClientConnections(max: number): void;
  onChange(shortage: Shortage | undefined): void;
}

export interface LoadShedding {
  /** Called once for every call that would begin. */
  isShort(): boolean;
  /** Starts the checks; the returned function stops them. */
  watch(watched: LoadSources): () => void;
}

export function createLoadShedding(descriptorsMax = readDescriptorsMax()): LoadShedding {
  let shortage: Shortage | undefined;
  /** Evaluated at each call: a flood exceeds the limit long before the next check. */
  let needed = (): number => 0;
  let open = (): number => 0;
  const neededMax = descriptorsMax * bounds.descriptors[0];
  const openMax = descriptorsMax * connectionsShareMax;
  const residentMax = computeMemoryMax();
  let check = (): void => undefined;
  let calls = 0;
  /**
   * Allocation triggers garbage collection: without any call, garbage would occupy memory forever.
   */
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

    watch({
      clientConnections,
      activeCalls,
      upstreamConnections,
      closeIdle,
      limitClientConnections,
      onChange,
    }) {
      const delay = monitorEventLoopDelay({ resolution: resolutionMs });
      delay.enable();
      let others = 0;
      let checks = 0;
      let lagMs = 0;
      let residentShare = 0;
      needed = () => others + clientConnections() + activeCalls();
      open = () => others + clientConnections() + upstreamConnections();

      check = () => {
        const heapShare = computeHeapShare(
          getHeapSpaceStatistics(),
          getHeapStatistics().heap_size_limit,
        );
        const memoryShare = Math.max(heapShare, residentShare);
        const found = findShortage(
          { descriptors: needed(), descriptorsMax, memoryShare, lagMs },
          shortage,
        );
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
        lagMs = computeSmoothedLag(lagMs, sampleMs);
        residentShare = computeResidentBytes() / residentMax;
        hasAdmittedProbe = false;
        check();
        if (shortage === "descriptors" || open() >= openMax) closeIdle();
        if (Number.isFinite(descriptorsMax)) {
          limitClientConnections(
            Math.max(
              1,
              Math.floor(descriptorsMax * connectionsShareMax) - others - upstreamConnections(),
            ),
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
