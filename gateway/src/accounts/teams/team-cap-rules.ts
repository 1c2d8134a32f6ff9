/** Caps of members: how they are made, changed and shown. Pure. */
import type {
  TeamCap as ShownCap,
  TeamBudget,
  TeamCapInput,
} from "@tollgate/contract/accounts/team-caps.ts";
import { inheritedColumns } from "../../money/holds/inherited-budgets.ts";
import { buildBudget, buildTerms } from "../budgets/budget-rules.ts";
import type { BudgetColumns, BudgetRow, NamedBudgetRow } from "../budgets/budget-store.ts";
import type { BudgetTemplateColumns, TemplateTerms } from "../budgets/budget-template-store.ts";
import { type viewBudget, viewTerms } from "../budgets/budget-view.ts";
import type { RulingProviders } from "../ruling-providers.ts";
import type { TeamCapRow } from "./team-cap-store.ts";
import { mayDo, type TeamStanding } from "./team-rules.ts";

export const buildTeamCap = (
  team_id: number,
  input: TeamCapInput,
  uuid: string,
  now: number,
  siteZone: string,
): BudgetTemplateColumns & { team_id: number } => ({
  ...buildTerms({ ...input, subject: "member" }, uuid, now, siteZone),
  ...{ group_name: "", team_id },
});

export const buildMemberCap = (
  membershipId: number,
  input: TeamCapInput,
  uuid: string,
  now: number,
  siteZone: string,
): BudgetColumns =>
  buildBudget(
    {
      ...{ ...input, counts_team_keys: false, measure: "quota" },
      ...{ subject: "member", subject_id: membershipId },
    },
    uuid,
    now,
    siteZone,
  );

/** The terms that decide when a window begins and what counts in it. */
const countColumns = ["window", "first_day", "anchor", "zone", "models"] as const;

/** `followCap` gives a budget the terms of its cap again; other windows begin a new counter. */
export function followCap(row: BudgetRow, cap: TemplateTerms, now: number): Partial<BudgetColumns> {
  const terms = Object.fromEntries(
    inheritedColumns.map((name) => [name, cap[name]]),
  ) as Partial<BudgetColumns>;
  const isOtherCount = countColumns.some((name) => row[name] !== cap[name]);
  return {
    ...terms,
    template_id: cap.id,
    // Never the same twice: a counter belongs to one start.
    ...(isOtherCount && { counts_from: Math.max(now, row.counts_from + 1) }),
    updated_at: Math.max(now, row.updated_at + 1),
  };
}

export const viewTeamCap = (
  { followers, own, ...row }: TeamCapRow,
  standings: readonly TeamStanding[],
): ShownCap => {
  const { external_id: _, ...terms } = viewTerms(row);
  return { ...terms, note: mayDo(standings, "manage") ? terms.note : "", followers, own };
};

/**
 * The note of the whole team's budget is the site's; that of a member is for those who manage the
 * team.
 */
export function viewTeamBudget(
  shown: ReturnType<typeof viewBudget>,
  { cap_id, member_user_id, subject, ruled_by }: NamedBudgetRow,
  standings: readonly TeamStanding[],
  ruling: RulingProviders,
): TeamBudget {
  const seesNote = mayDo(standings, subject === "member" ? "manage" : "administer");
  return {
    ...{ ...shown, note: seesNote ? shown.note : "", user_id: member_user_id ?? 0, cap_id },
    by_provider: ruling.find(ruled_by),
  };
}
