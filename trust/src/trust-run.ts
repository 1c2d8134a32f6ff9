/** What a large run of `npm run trust` is. */
import type { RunFindings } from "./runs/run-record.ts";

/** The usual value, whose type the option has, and what it says. */
type TrustOption = readonly [value: number | string, help: string];
type TrustOptionValues<Options> = {
  [Name in keyof Options]: Options[Name] extends readonly [infer Value, string]
    ? Value extends number
      ? number
      : string
    : never;
};

/** Options that several runs have. */
export const storeOption = ["sqlite", "sqlite or postgres"] as const;
export const seedOption = [
  Date.now() % 1_000_000_000,
  "the same seed repeats the same run",
] as const;

export interface TrustRunContext {
  /** Aborted when the operator asks the run to end after its current step. */
  stop: AbortSignal;
  /** Writes what a run found; prints it for `--try`, and where it is only a part of the run. */
  report(found: RunFindings, isPart?: boolean): void;
  /** False for `--try`: pages stay as they are. */
  isRecorded: boolean;
}

export interface TrustRun<
  Options extends Readonly<Record<string, TrustOption>> = Readonly<Record<string, TrustOption>>,
> {
  summary: string;
  options: Options;
  run(values: TrustOptionValues<Options>, context: TrustRunContext): Promise<void>;
}

export const defineRun = <const Options extends Readonly<Record<string, TrustOption>>>(
  run: TrustRun<Options>,
) => run;
