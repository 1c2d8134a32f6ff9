/**
 * A commit's gateway beside this one, which runs twice: what the two of them differ by is what a
 * comparison cannot tell. Each round starts all three anew, since two processes of the same code
 * differ for as long as they live.
 */
import { loadavg } from "node:os";
import type { CostedLoad } from "./call-cost.ts";
import { boundRatios, meanOfMiddle } from "./paired-ratio.ts";
import { type TurnedServer, turnCosts } from "./turn-costs.ts";

export interface ComparedServer extends TurnedServer {
  close(): Promise<void>;
}

interface CommitComparison {
  shapes: readonly (Omit<CostedLoad, "rounds"> & { what: string })[];
  rounds: number;
  openBefore(): Promise<ComparedServer>;
  openAfter(): Promise<ComparedServer>;
}

/** `againstMax` is what a change may cost a call, as a ratio. */
const againstMax = 1.02;
/** `quietLoad` is of the last minute: other work on the machine would be measured as well. */
const quietLoad = 0.5;

/** `compareCommits` counts the gateways' own processes; PostgreSQL's server serves all. */
export async function compareCommits({
  shapes,
  rounds,
  openBefore,
  openAfter,
}: CommitComparison): Promise<void> {
  const [minute = 0] = loadavg();
  if (minute > quietLoad)
    console.log(`the machine is busy: the load average is ${minute.toFixed(2)}`);
  const measured = shapes.map((shape) => ({
    shape,
    changed: [] as number[],
    unchanged: [] as number[],
  }));
  for (let round = 0; round < rounds; round += 1) {
    const opened = await openInTurn(
      { before: openBefore, after: openAfter, again: openAfter },
      round,
    );
    const { before, after, again } = opened;
    for (const { shape, changed, unchanged } of measured) {
      const { what, ...load } = shape;
      const costs = await turnCosts([before, after, again], load);
      const [ofBefore = [], ofAfter = [], ofAgain = []] = costs;
      const change = compareTurns(ofAfter, ofBefore);
      const luck = compareTurns(ofAgain, ofAfter);
      changed.push(change);
      unchanged.push(luck);
      const micros = costs.map((cost) => meanOfMiddle(cost).toFixed(0)).join(", ");
      console.log(
        `${what}, round ${round + 1}: ${change.toFixed(3)}, the same twice ${luck.toFixed(3)} (${micros} µs)`,
      );
    }
    for (const { close } of Object.values(opened)) await close();
  }
  for (const { shape, changed, unchanged } of measured) {
    const { upper } = boundRatios(changed);
    const isSlower = upper > againstMax;
    console.log(
      `${isSlower ? "SLOWER" : "ok"}: ${shape.what} ${describeRatio(changed)} (at most ${againstMax}; ${rounds} rounds); the same twice ${describeRatio(unchanged)}`,
    );
    if (isSlower) process.exitCode = 1;
  }
}

/** Logarithms: a mean of ratios is above 1 where both are the same and vary. */
const compareTurns = (costs: readonly number[], baseCosts: readonly number[]): number =>
  Math.exp(
    meanOfMiddle(costs.map((micros, turn) => Math.log(micros / (baseCosts[turn] ?? Number.NaN)))),
  );

/** Another one is the first to start in the next round. */
async function openInTurn<Name extends string>(
  openers: Record<Name, () => Promise<ComparedServer>>,
  round: number,
): Promise<Record<Name, ComparedServer>> {
  const names = Object.keys(openers) as Name[];
  const first = round % names.length;
  const opened: Partial<Record<Name, ComparedServer>> = {};
  for (const name of [...names.slice(first), ...names.slice(0, first)])
    opened[name] = await openers[name]();
  return opened as Record<Name, ComparedServer>;
}

function describeRatio(ratios: readonly number[]): string {
  const { median, lower, upper } = boundRatios(ratios);
  return `${median.toFixed(3)}, 95 % bounds ${lower.toFixed(3)} and ${upper.toFixed(3)}`;
}
