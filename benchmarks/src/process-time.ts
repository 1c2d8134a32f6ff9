/** Processor time and memory of processes, as Linux reports them. */
import { readdirSync, readFileSync } from "node:fs";

/** Linux counts a hundred ticks per second. */
const microsPerTick = 10_000;

/** User and system time of the whole process with its threads. */
export function cpuMicros(pid: number): number {
  const { own } = processStat(pid);
  return own * microsPerTick;
}

/** `threadMicros` does so to the nanosecond, for threads that run now. */
export function threadMicros(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const nanos = readdirSync(tasks).map((thread) =>
    Number(readFileSync(`${tasks}/${thread}/schedstat`, "utf8").split(" ")[0]),
  );
  return nanos.reduce((sum, time) => sum + time, 0) / 1000;
}

/**
 * `treeMicros` does the same of a process and everything that it started, what has ended included.
 */
export function treeMicros(root: number): number {
  const stats = new Map(allPids().flatMap((pid) => statOrNone(pid)));
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at; at = stats.get(at)?.parent)
      if (at === root) return true;
    return false;
  };
  const ticks = [...stats]
    .filter(([pid]) => isBelow(pid))
    .reduce((sum, [, { own, ended }]) => sum + own + ended, 0);
  return ticks * microsPerTick;
}

/** Resident memory in bytes. */
export function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) * 1024;
}

interface ProcessStat {
  parent: number;
  /** Ticks of the process, and of children that have ended. */
  own: number;
  ended: number;
}

function processStat(pid: number): ProcessStat {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  const [parent = 0, user = 0, system = 0, endedUser = 0, endedSystem = 0] = [
    1, 11, 12, 13, 14,
  ].map((at) => Number(fields[at]));
  return { parent, own: user + system, ended: endedUser + endedSystem };
}

const allPids = (): number[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);

/** Processes end while they are listed. */
function statOrNone(pid: number): [number, ProcessStat][] {
  try {
    return [[pid, processStat(pid)]];
  } catch {
    return [];
  }
}
