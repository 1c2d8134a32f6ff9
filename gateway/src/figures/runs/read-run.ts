/** A run with all that its page and its program see. */
import type { RunDetails } from "@tollgate/contract/figures/runs.ts";
import type { BudgetStore } from "../../accounts/budgets/budget-store.ts";
import { readRunBudgets } from "../../accounts/budgets/run-budgets.ts";
import type { Database } from "../../storage/database.ts";
import type { AgentRunStore, NamedRun } from "./run-store.ts";
import { viewRunDetails } from "./run-view.ts";

export interface RunSources {
  db: Pick<Database, "sql" | "read">;
  store: AgentRunStore;
  /** `counters` are those of budgets. */
  counters: BudgetStore["counters"];
}

/**
 * `ReadRun` is that of the caller's account; undefined for another one's, and for a run without a
 * call that has ended.
 */
export type ReadRun = (
  run: string,
  caller: { userId: number; tokenId: number; teamId: number },
) => Promise<RunDetails | undefined>;

export async function readRunDetails(
  { db, store, counters }: RunSources,
  row: NamedRun,
  now: number,
): Promise<RunDetails> {
  const [parts, steps, budgets] = await Promise.all([
    store.parts(row.run),
    store.costs(row),
    readRunBudgets(db, counters, row, now),
  ]);
  return viewRunDetails(row, parts, steps, budgets);
}

/**
 * `createRunReader` is for holders of keys: a run of the same account and payer, and of the same
 * key where there is no account.
 */
export const createRunReader =
  (sources: RunSources, now: () => number): ReadRun =>
  async (run, { userId, tokenId, teamId }) => {
    const row = await sources.store.find(run);
    const isOwn =
      row &&
      row.team_id === teamId &&
      row.user_id === userId &&
      (userId > 0 || row.token_id === tokenId);
    return isOwn ? await readRunDetails(sources, row, now()) : undefined;
  };
