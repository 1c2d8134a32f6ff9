/**
 * What a call costs servers that cost nearly the same. They take turns of some 50 ms, so that what
 * slows the machine for longer than that slows all of them.
 */
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { type CostedLoad, concurrency, countWarmUp } from "./call-cost.ts";
import { openLoad } from "./load-generator.ts";
import { threadMicros } from "./process-time.ts";

export interface TurnedServer {
  name: string;
  pid: number;
  url: string;
  key: string;
}

/** Turns of each server. */
const turns = 150;
/** The part of a round's calls that a turn sends: garbage is collected about once in it. */
const partOfRound = 1 / 20;

/**
 * `turnCosts` gives for each server the microseconds per call of each turn. Work that a call leaves
 * behind is counted, in a later turn.
 */
export async function turnCosts(
  servers: readonly TurnedServer[],
  { calls, ...what }: Omit<CostedLoad, "rounds">,
): Promise<number[][]> {
  const sent = Math.ceil(calls * partOfRound);
  const loads = servers.map(({ name, url, key }) => ({
    name,
    ...openLoad({ ...what, url, key, concurrency }),
  }));
  const send = async ({ name, send }: (typeof loads)[number], count: number) => {
    const answered = await send(count);
    if (answered !== count)
      throw new Error(`${name} left ${count - answered} calls without a whole answer`);
  };
  for (const load of loads) await send(load, countWarmUp({ calls, ...what }));
  const costs: number[][] = servers.map(() => []);
  const readMicros = () => servers.map(({ pid }) => threadMicros(pid));
  let before = readMicros();
  for (let turn = 0; turn < turns; turn += 1) {
    for (const load of loads) await send(load, sent);
    const after = readMicros();
    for (const [at, cost] of costs.entries())
      cost.push(((after[at] ?? 0) - (before[at] ?? 0)) / sent);
    before = after;
    // Each comes behind each other one as often.
    const first = loads.shift();
    if (first) loads.push(first);
    if (turn % servers.length === 0) loads.reverse();
  }
  for (const { close } of loads) await close();
  return costs;
}

/**
 * `pinProcess` gives what is measured the last core, and everything else the others. Nothing
 * happens on a single core and where there is no `taskset`.
 */
export function pinProcess(pid: number, isMeasured: boolean): void {
  const last = cpus().length - 1;
  if (last > 0)
    spawnSync("taskset", ["-acp", isMeasured ? `${last}` : `0-${last - 1}`, String(pid)]);
}
