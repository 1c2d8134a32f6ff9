/** `GET /v1/budget`: the budgets of the key and of its owner, for programs that pace themselves. */

import type { BudgetRow } from "../../accounts/budgets/budget-store.ts";
import { selectCounted } from "../../accounts/budgets/budget-view.ts";
import { type BudgetDeps, buildDetails, seesSums } from "../admission/budget-refusals.ts";
import type { KnownCall, ReplyToClient } from "../exchange-parts.ts";
import { sendJson } from "./json-endpoint.ts";
import { authenticateHolder, type HolderDeps } from "./key-usage.ts";

type ShowBudgetsDeps = HolderDeps & BudgetDeps;

/**
 * Sums are quota units: 500,000 to the dollar. `resets_at` is missing for a budget that does not
 * start anew. `paused` says who paused the key and why, and `bodies` what is kept of the contents
 * of its calls.
 */
export async function showBudgets(
  exchange: KnownCall & ReplyToClient,
  deps: ShowBudgetsDeps,
): Promise<void> {
  const caller = await authenticateHolder(exchange, deps);
  const rows: BudgetRow[] = deps.budgets.ofKey(caller).filter(({ enabled }) => enabled === 1);
  const counted = await selectCounted(rows, deps.now(), deps.readCounters);
  const data = counted.map((one) => ({
    object: "budget",
    ...buildDetails(one, caller),
    hard: one.row.hard === 1,
    starts_at: new Date(one.window.start).toISOString(),
    ...(seesSums[one.row.subject](caller) && {
      remaining: Math.max(0, one.limit - one.spent - one.held),
    }),
  }));
  sendJson(exchange, { object: "list", data, paused: caller.pause, bodies: caller.bodies });
}
