/** Runs as replies show them. Pure. */
import type { Run, RunDetails, RunPart } from "@tollgate/contract/figures/runs.ts";
import type { RunPartRow } from "../../storage/tables/run-tables.ts";
import type { NamedRun } from "./run-store.ts";

export const viewRun = ({ username, token_name, elapsed_ms, ...row }: NamedRun): Run => ({
  ...row,
  username: username ?? "",
  token_name: token_name ?? "",
  token_id: token_name === null ? 0 : row.token_id,
  generating_ms: Math.max(0, elapsed_ms - row.waiting_ms),
});

const viewParts = (parts: readonly RunPartRow[], kind: RunPartRow["kind"]): RunPart[] =>
  parts.filter((part) => part.kind === kind).map(({ run: _, kind: _kind, ...part }) => part);

/** `addUpCosts` makes the cost of each step the cost of the run up to it. */
export function addUpCosts(steps: RunDetails["costs"]): RunDetails["costs"] {
  let quota = 0;
  let calls = 0;
  return steps.map((step) => {
    quota += step.quota;
    calls += step.calls;
    return { at: step.at, quota, calls };
  });
}

export const viewRunDetails = (
  row: NamedRun,
  parts: readonly RunPartRow[],
  steps: RunDetails["costs"],
  budgets: RunDetails["budgets"],
): RunDetails => ({
  ...viewRun(row),
  models: viewParts(parts, "model"),
  tools: viewParts(parts, "tool"),
  costs: addUpCosts(steps),
  budgets,
});
