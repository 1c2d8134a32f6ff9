/** Runs the tests of each money module on each of its mutants, in several processes at once. */
import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { instrument, untaken } from "./branches.ts";
import { applied, type Mutant, mutantsOf } from "./find-mutants.ts";
import type { MoneyModule } from "./money-modules.ts";
import type { MutantTrial, MutantTrialResult } from "./mutant-worker.ts";
import type { ModuleMutationResult } from "./mutation-score.ts";

export interface MutationRunOptions {
  modules: readonly MoneyModule[];
  lanes: number;
  stop: AbortSignal;
  /** Called when the tests of a module have run on its unchanged text. */
  onModule(line: string): void;
  onMutant(line: string, isKilled: boolean): void;
}

/** Longer than the slowest tests take on a busy machine: a trial that exceeds it never ends. */
const trialTimeoutMs = 240_000;
/**
 * A mistake that takes this many times as long as the module as it is, and at least so long, never
 * ends either.
 */
const slowerMax = 10;
const mutantTimeoutMsMin = 20_000;
/**
 * Several times what any test needs: an endless mistake that allocates ends here, and not with the
 * machine.
 */
const heapMbMax = 1_024;

export interface MutantLane {
  /**
   * The failure is `endless` when the text never finished, `broken` when the process ended without
   * a result.
   */
  run(work: MutantTrial, timeoutMs?: number): Promise<MutantTrialResult>;
  close(): void;
}

export function startLane(): MutantLane {
  let child: ChildProcess | undefined;
  // SQLite waits for the disk at every commit, but not in memory.
  const dir = mkdtempSync(
    join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "tollgate-mutants-"),
  );

  const started = async (): Promise<ChildProcess> => {
    const lane = fork(join(import.meta.dirname, "mutant-worker.ts"), [], {
      execArgv: [...process.execArgv, `--max-old-space-size=${heapMbMax}`],
      env: { ...process.env, TMPDIR: dir, NODE_COMPILE_CACHE: join(dir, "compiled") },
    });
    await new Promise((resolve) => lane.once("message", resolve));
    return lane;
  };
  const end = (): void => {
    child?.removeAllListeners();
    child?.kill("SIGKILL");
    child = undefined;
  };

  return {
    async run(work, timeoutMs = trialTimeoutMs) {
      child ??= await started();
      const lane = child;
      return await new Promise((resolve) => {
        const failed = (failure: string): void => {
          clearTimeout(limit);
          end();
          resolve({ passed: false, failure });
        };
        const limit = setTimeout(() => failed("endless"), timeoutMs);
        lane.once("exit", () => failed("broken"));
        lane.once("message", (answer: MutantTrialResult) => {
          clearTimeout(limit);
          lane.removeAllListeners("exit");
          resolve(answer);
        });
        lane.send(work);
      });
    },
    close() {
      end();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

export async function runMutants({
  modules,
  lanes,
  stop,
  onModule,
  onMutant,
}: MutationRunOptions): Promise<ModuleMutationResult[]> {
  const dir = mkdtempSync(join(tmpdir(), "tollgate-mutants-"));
  const opened = Array.from({ length: lanes }, startLane);
  const found = new Map<string, ModuleMutationResult & { survivors: Mutant[] }>();
  const queue: { module: MoneyModule; source: string; mutant: Mutant; timeoutMs: number }[] = [];
  const workOf = ({ file, tests }: MoneyModule, text: string): MutantTrial => ({
    override: { file: join(repositoryDir, file), text },
    tests: tests.map((test) => join(repositoryDir, test)),
  });

  /**
   * Checks that the tests pass on the module's unchanged text, and notes the branches that they
   * take.
   */
  async function prepare(lane: MutantLane, module: MoneyModule, notes: string): Promise<void> {
    const source = readFileSync(join(repositoryDir, module.file), "utf8");
    writeFileSync(notes, "");
    const fork = instrument(source, notes);
    const startedAt = performance.now();
    const { passed, failure } = await lane.run(workOf(module, fork.text));
    const timeoutMs = Math.min(
      trialTimeoutMs,
      Math.max(mutantTimeoutMsMin, slowerMax * (performance.now() - startedAt)),
    );
    if (!passed) throw new Error(`${module.file} as it is: ${failure}`);
    const missed = untaken(fork, notes);
    const mutants = mutantsOf(source);
    found.set(module.file, {
      file: module.file,
      branches: fork.branches.length,
      untaken: missed,
      mutants: 0,
      survivors: [],
    });
    onModule(
      `${module.file}: ${mutants.length} mutants, ${missed.length} of ${fork.branches.length} branches not taken`,
    );
    queue.push(...mutants.map((mutant) => ({ module, source, mutant, timeoutMs })));
  }

  async function tryMutant(lane: MutantLane, trial: (typeof queue)[number]): Promise<void> {
    const { module, source, mutant, timeoutMs } = trial;
    const { passed, failure } = await lane.run(workOf(module, applied(source, mutant)), timeoutMs);
    const its = found.get(module.file);
    if (its) its.mutants += 1;
    if (passed) its?.survivors.push(mutant);
    onMutant(
      `${module.file}:${mutant.line} ${mutant.change}${passed ? "" : `: ${failure}`}`,
      !passed,
    );
  }

  /** Each lane takes the next piece as soon as it has finished one. */
  async function share<Piece>(
    pieces: Piece[],
    work: (lane: MutantLane, piece: Piece) => Promise<void>,
  ): Promise<void> {
    await Promise.all(
      opened.map(async (lane) => {
        for (let next = pieces.shift(); next !== undefined && !stop.aborted; next = pieces.shift())
          await work(lane, next);
      }),
    );
  }

  try {
    const numbered = modules.map((module, index) => ({ module, notes: join(dir, String(index)) }));
    await share(numbered, (lane, { module, notes }) => prepare(lane, module, notes));
    await share(queue, tryMutant);
  } finally {
    for (const lane of opened) lane.close();
    rmSync(dir, { recursive: true, force: true });
  }
  return modules.flatMap(({ file }) => found.get(file) ?? []);
}
