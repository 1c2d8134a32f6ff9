/** The budgets of a team and those that it gives each member, by a configuration document. */
import type {
  ConfigurationKind,
  ConfigurationRequest,
} from "@tollgate/contract/commands/configuration.ts";
import type { ConfiguredTeamBudget } from "@tollgate/contract/commands/configured-teams.ts";
import { buildBudget, changeBudget, changeTerms } from "../../accounts/budgets/budget-rules.ts";
import type { BudgetRow } from "../../accounts/budgets/budget-store.ts";
import {
  planTemplateUpdate,
  type TemplateTerms,
} from "../../accounts/budgets/budget-template-store.ts";
import { buildTeamCap } from "../../accounts/teams/team-cap-rules.ts";
import { buildMemberChanges, findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { inheritedColumns } from "../../money/holds/inherited-budgets.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import { buildTeamTerms, meansTeamBudget } from "./configured-team.ts";
import type { TeamParts } from "./configured-team-store.ts";
import { type FoundByDocument, readIdentity } from "./document-finder.ts";
import {
  addLeavingSteps,
  addStep,
  findAction,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";
import type { PlannedTeam, TeamPlanDeps } from "./planned-team.ts";

interface PlannedBudgets {
  team: PlannedTeam;
  request: ConfigurationRequest;
  parts: TeamParts;
}

interface KindOfBudget<Row> {
  kind: ConfigurationKind;
  wanted: readonly ConfiguredTeamBudget[];
  rows: readonly Row[];
  step(wanted: ConfiguredTeamBudget, row: Row | undefined): PlannedStep | undefined;
  remove(row: Row): Pick<PlannedStep, "writes" | "audits">;
}

/** What the file left makes room first, for a team may have few of each kind. */
async function addBudgetSteps<Row extends FoundByDocument & { managed_by: string }>(
  plan: KindPlan,
  { team, request }: PlannedBudgets,
  { kind, wanted, rows, step, remove }: KindOfBudget<Row>,
): Promise<void> {
  const nameOf = ({ name }: { name: string }) => `${team.wanted.name}: ${name}`;
  const isLeft = (row: Row) =>
    row.managed_by === request.file && !wanted.some((one) => meansTeamBudget(one, row));
  await addLeavingSteps(plan, rows.filter(isLeft), request.prune, { kind, nameOf, remove });
  const meant = new Set<Row>();
  const named = new Set<string>();
  for (const one of wanted)
    await addStep(plan, kind, nameOf(one), () => {
      const [row, ...others] = rows.filter((row) => meansTeamBudget(one, row));
      if (others.length > 0) throw refuse("configuration_ambiguous");
      const identity = readIdentity(one);
      if (row ? meant.has(row) : named.has(identity)) throw refuse("configuration_twice");
      if (row) meant.add(row);
      named.add(identity);
      return step(one, row);
    });
}

export const addCapSteps = (
  plan: KindPlan,
  { db, teamCaps: caps }: TeamPlanDeps,
  call: AuthenticatedContext,
  given: PlannedBudgets,
): Promise<void> => {
  const { team, request, parts } = given;
  const tell = (cap: string) => ({ name: team.wanted.name, cap });
  return addBudgetSteps<TemplateTerms>(plan, given, {
    kind: "member_budget",
    wanted: team.wanted.memberBudgets,
    rows: team.row ? (parts.caps.get(team.row.id) ?? []) : [],
    step(wanted, row) {
      const { enabled, ...terms } = buildTeamTerms(wanted);
      if (!row) {
        const uuid = readUuid7(call.now);
        const input = { ...terms, enabled };
        const columns = {
          ...buildTeamCap(team.id, input, uuid, call.now, terms.zone ?? "UTC"),
          external_id: wanted.externalId ?? null,
          managed_by: request.file,
        };
        const { window, amount } = columns;
        return {
          action: "create",
          writes: caps.insert(columns),
          audits: call.audit("team.create_cap", team.uuid, {
            ...tell(wanted.name),
            ...{ window, amount },
          }),
        };
      }
      const switched = wanted.enabled === undefined ? {} : { enabled };
      const change = changeTerms(row, { uuid: row.uuid, ...terms, ...switched }, call.now);
      const action = findAction(row, change.differing, request);
      if (!action) return undefined;
      return {
        action,
        members: change.differing,
        writes: planTemplateUpdate(db, row, change, { managed_by: request.file }),
        audits: call.audit("team.update_cap", team.uuid, {
          ...buildMemberChanges(row, change.terms),
          ...tell(row.name),
        }),
      };
    },
    remove: (row) => ({
      writes: caps.remove(row),
      audits: call.audit("team.remove_cap", team.uuid, tell(row.name)),
    }),
  });
};

export const addTeamBudgetSteps = (
  plan: KindPlan,
  { budgets: store }: TeamPlanDeps,
  call: AuthenticatedContext,
  given: PlannedBudgets,
): Promise<void> => {
  const { team, request, parts } = given;
  return addBudgetSteps<BudgetRow>(plan, given, {
    kind: "team_budget",
    wanted: team.wanted.budgets,
    rows: team.row ? (parts.budgets.get(team.row.id) ?? []) : [],
    step(wanted, row) {
      const { enabled, ...terms } = buildTeamTerms(wanted);
      if (!row) {
        const uuid = readUuid7(call.now);
        const columns = {
          ...buildBudget(
            {
              ...{ ...terms, enabled },
              ...{ subject: "team", subject_id: team.id },
              ...{ counts_team_keys: false, measure: "quota" },
            },
            uuid,
            call.now,
          ),
          external_id: wanted.externalId ?? null,
          managed_by: request.file,
        };
        return {
          action: "create",
          writes: [store.insert(columns)],
          audits: call.audit("budget.create", uuid, {
            ...columns,
            // The id of a new team is a statement until the batch has run.
            subject_id: team.row?.id ?? team.uuid,
          }),
        };
      }
      const switched = wanted.enabled === undefined ? {} : { enabled };
      const change = changeBudget(row, { uuid: row.uuid, ...terms, ...switched }, call.now);
      const differing = inheritedColumns.filter((name) => change[name] !== row[name]);
      const action = findAction(row, differing, request);
      if (!action) return undefined;
      const columns = { ...change, managed_by: request.file };
      return {
        action,
        members: differing,
        writes: [store.update(row, columns)],
        audits: call.audit("budget.update", row.uuid, findNamedChanges(row, columns)),
      };
    },
    remove: (row) => ({
      writes: [store.remove(row)],
      audits: call.audit("budget.delete", row.uuid, { name: row.name }),
    }),
  });
};
