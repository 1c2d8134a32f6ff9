/** The result of a run over the mutants, compared with the list of equivalent mutants. */
import type { SourceBranch } from "./branches.ts";
import type { EquivalentMutant } from "./equivalent-mutants.ts";
import type { Mutant } from "./find-mutants.ts";

export interface ModuleMutationResult {
  /** Relative to the repository. */
  file: string;
  branches: number;
  untaken: readonly SourceBranch[];
  mutants: number;
  survivors: readonly Mutant[];
}

export interface MutationScore {
  mutants: number;
  killed: number;
  equivalent: number;
  /** `file:line` and the change of each mutant that a test should have noticed. */
  survivors: string[];
  branches: number;
  unreachable: number;
  uncovered: string[];
  /** Rows of the lists that match no mutant any more. */
  unneeded: string[];
  /** Killed mutants per hundred that are not equivalent, rounded down. */
  score: number;
}

export interface ExcusedMutants {
  mutants: readonly EquivalentMutant[];
  branches: readonly EquivalentMutant[];
}

export function mutationScore(
  found: readonly ModuleMutationResult[],
  excused: ExcusedMutants,
): MutationScore {
  const survived = found.flatMap(({ file, survivors }) =>
    survivors.map(({ line, change }) => ({ file, line, change })),
  );
  const untaken = found.flatMap(({ file, untaken: branches }) =>
    branches.map(({ line, name }) => ({ file, line, change: name })),
  );
  const mutants = split(survived, excused.mutants);
  const branches = split(untaken, excused.branches);
  const tried = new Set(found.map(({ file }) => file));
  const all = sum(found, (module) => module.mutants);
  const killed = all - survived.length;
  return {
    mutants: all,
    killed,
    equivalent: mutants.excused,
    survivors: mutants.others,
    branches: sum(found, (module) => module.branches),
    unreachable: branches.excused,
    uncovered: branches.others,
    unneeded: [...mutants.unneeded, ...branches.unneeded]
      .filter(({ file }) => tried.has(file))
      .map(({ file, change }) => `${file} ${change}`),
    score: Math.floor((100 * killed) / Math.max(1, all - mutants.excused)),
  };
}

interface LocatedChange {
  file: string;
  line: number;
  change: string;
}

function split(noticed: readonly LocatedChange[], rows: readonly EquivalentMutant[]) {
  const nameOf = ({ file, change }: Pick<LocatedChange, "file" | "change">): string =>
    `${file} ${change}`;
  const excused = new Set(rows.map(nameOf));
  const names = new Set(noticed.map(nameOf));
  return {
    excused: noticed.filter((one) => excused.has(nameOf(one))).length,
    others: noticed
      .filter((one) => !excused.has(nameOf(one)))
      .map(({ file, line, change }) => `${file}:${line} ${change}`),
    unneeded: rows.filter((row) => !names.has(nameOf(row))),
  };
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);
