/** The budgets that count one run of an agent by itself, with what the run has spent of them. */
import type { RunSubject } from "@tollgate/contract/accounts/budget-kinds.ts";
import type { RunDetails } from "@tollgate/contract/figures/runs.ts";
import type { Database } from "../../storage/database.ts";
import type { RunRow } from "../../storage/tables/run-tables.ts";
import { tellAmount } from "./budget-measures.ts";
import type { BudgetStore } from "./budget-store.ts";
import { selectCounted } from "./budget-view.ts";

export async function readRunBudgets(
  db: Pick<Database, "sql" | "read">,
  counters: BudgetStore["counters"],
  { run, token_id, team_id }: Pick<RunRow, "run" | "token_id" | "team_id">,
  now: number,
): Promise<RunDetails["budgets"]> {
  const rows = await db.read(
    db.sql
      .selectFrom("budgets")
      .selectAll()
      .where(({ or, and, eb }) =>
        or(
          Object.entries({ run: 0, token_run: token_id, team_run: team_id } satisfies Record<
            RunSubject,
            number
          >).map(([subject, id]) =>
            and([eb("subject", "=", subject as RunSubject), eb("subject_id", "=", id)]),
          ),
        ),
      )
      .where("enabled", "=", 1)
      .orderBy("id"),
  );
  const counted = await selectCounted(rows, now, counters, run);
  return counted.map(({ row: { id, name, measure, hard }, limit, spent, held }) => ({
    ...{ id, name, measure },
    amount: tellAmount(measure, limit),
    spent: tellAmount(measure, spent),
    held: tellAmount(measure, held),
    hard: hard === 1,
  }));
}
