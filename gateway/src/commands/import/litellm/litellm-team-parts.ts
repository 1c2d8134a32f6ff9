/** Rows of other tables that belong to teams of LiteLLM: keys of people, budgets of members. */
import * as z from "zod/mini";
import { fillRow, formatSourceText } from "../sources/source-fields.ts";
import { buildRows, type SourceTables } from "../sources/source-tables.ts";
import type { LitellmBudget } from "./litellm-budgets.ts";
import { dollars } from "./litellm-fields.ts";
import type { TeamContext } from "./litellm-teams.ts";

const membershipTable = "LiteLLM_TeamMembership";
const membershipsMax = 500_000;
const shape = {
  user_id: formatSourceText(400),
  team_id: formatSourceText(400),
  spend: dollars,
  budget_id: formatSourceText(400),
};
const membershipRow = z.object(shape);

interface TeamPartsGiven {
  keyTable: string;
  budgetOf(budgetId: string): LitellmBudget | undefined;
  /** Refuses a table that does not fit into memory. */
  requireRoom(table: string, count: number): void;
}

export async function readTeamParts(
  tables: SourceTables,
  { keyTable, budgetOf, requireRoom }: TeamPartsGiven,
): Promise<Pick<TeamContext, "keyHoldersOf" | "memberBudgetsOf">> {
  const holders = new Map<string, Set<string>>();
  let count = 0;
  const columns = ["user_id", "team_id"];
  for await (const rows of buildRows(tables, keyTable, { columns, key: "token" }))
    for (const { user_id, team_id } of rows) {
      if (!user_id || !team_id) continue;
      count += 1;
      requireRoom(keyTable, count);
      const found = holders.get(String(team_id)) ?? new Set();
      holders.set(String(team_id), found.add(String(user_id)));
    }
  const budgets = new Map<string, Map<string, { budget: LitellmBudget; spent: number }>>();
  count = 0;
  for await (const rows of buildRows(tables, membershipTable, {
    columns: Object.keys(shape),
    key: "user_id",
    // One page: a user has a row for each team, so that no page may end between two of them.
    limit: membershipsMax + 1,
  }))
    for (const row of rows) {
      count += 1;
      requireRoom(membershipTable, count);
      const { success, data } = z.safeParse(membershipRow, fillRow(row, shape));
      const budget = success ? budgetOf(data.budget_id) : undefined;
      if (!success || !budget) continue;
      const found = budgets.get(data.team_id) ?? new Map();
      budgets.set(data.team_id, found.set(data.user_id, { budget, spent: data.spend ?? 0 }));
    }
  return {
    keyHoldersOf: (teamId) => holders.get(teamId) ?? new Set(),
    memberBudgetsOf: (teamId) => budgets.get(teamId) ?? new Map(),
  };
}
