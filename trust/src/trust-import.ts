// `npm run trust -- import`: a large site moves in, within the time and the memory that a small
// machine has.
import { relative } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { ensureGatewayBuild } from "../../scripts/gateway-build.ts";
import { type ImportStep, runLargeImport } from "./runs/large-import.ts";
import { withStore } from "./runs/with-store.ts";
import type { TrustRunContext } from "./trust-run.ts";

/** Each command of a move, with a million rows of the log, on a machine with two processors. */
const stepMsMax = 300_000;
const memoryBytesMax = 300_000_000;

const figuresOf = ({ name, ms, processorMs, memoryBytes }: ImportStep): string =>
  `${name} ${secondsOf(ms)} s (${secondsOf(processorMs)} s of processor time), at most ${(memoryBytes / 1_000_000).toFixed(0)} MB`;
const secondsOf = (ms: number): string => (ms / 1_000).toFixed(0);

export async function runTrustImport(
  { users, logs, store }: { users: number; logs: number; store: string },
  { report }: Pick<TrustRunContext, "report">,
): Promise<void> {
  // As operators run it: removing the types of each source would count as memory of the command.
  process.env.GATEWAY_MAIN ??= relative(repositoryDir, await ensureGatewayBuild(repositoryDir));
  await withStore(store, async (use) => {
    const onStep = (step: ImportStep): void => console.log(figuresOf(step));
    const { steps, problems } = await runLargeImport({ ...use, users, logs, onStep });
    for (const problem of problems) console.error(problem);
    const isWithin = steps.every(
      ({ ms, memoryBytes }) => ms <= stepMsMax && memoryBytes <= memoryBytesMax,
    );
    report({
      run: `large import on ${use.store}`,
      size: logs,
      passed: problems.length === 0 && isWithin,
      figures: [
        `${users} users, ${users} keys and ${logs} rows of the log`,
        ...steps.map(figuresOf),
        problems.length === 0
          ? "0 differences, the books agree"
          : `then ${problems[0]?.split("\n")[0]}`,
      ].join("; "),
    });
  });
}
