/** Planned changes of teams, their people and their budgets, by a configuration document. */

import { teamStatus } from "@tollgate/contract/accounts/teams.ts";
import { tokenLimitNames } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { ConfigurationRequest } from "@tollgate/contract/commands/configuration.ts";
import type { ConfiguredTeam } from "@tollgate/contract/commands/configured-teams.ts";
import { sql as raw } from "kysely";
import { buildTeamColumns } from "../../accounts/teams/team-rules.ts";
import { findNamedChanges } from "../../http/member-changes.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { checkGroupAmong } from "../../settings/group-rules.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import type { FindConfiguredTeam } from "./configured-identity-provider.ts";
import { buildTeamInput } from "./configured-team.ts";
import type { StoredTeam } from "./configured-team-store.ts";
import { createDocumentFinder, readIdentity } from "./document-finder.ts";
import { listGroups } from "./groups-after.ts";
import {
  addFoundSteps,
  emptyPlan,
  findAction,
  type KindPlan,
  type PlannedStep,
} from "./kind-plan.ts";
import { addCapSteps, addTeamBudgetSteps } from "./plan-team-budgets.ts";
import { addMemberSteps, createMemberFinder, findOwner } from "./plan-team-members.ts";
import type { PlannedTeam, TeamPlanDeps } from "./planned-team.ts";

/** The columns that a document decides. */
const configuredColumns = [
  ...(["external_id", "name", "note", "group", "models", "members_see_balance"] as const),
  ...tokenLimitNames,
];

/** `findTeam` is for what names a team beside them. */
export interface TeamsPlan {
  plan: KindPlan;
  findTeam: FindConfiguredTeam;
}

export async function planTeams(
  deps: TeamPlanDeps,
  call: AuthenticatedContext,
  request: ConfigurationRequest,
): Promise<TeamsPlan> {
  const plan = emptyPlan("teams", "budgets", "tokens");
  const wanted = request.document.teams;
  const rows = await deps.teamParts.all();
  const findStored = createDocumentFinder(rows);
  const findTeam = (name: string, planned: readonly PlannedTeam[]): string => {
    const named = planned.find(({ wanted }) => readIdentity(wanted) === name);
    const uuid = named?.uuid ?? findStored({ name })?.uuid;
    if (!uuid) throw refuse("team_not_found", { message: `No team is named ${name}` });
    return uuid;
  };
  if (wanted === undefined && !rows.some(({ managed_by }) => managed_by === request.file))
    return { plan, findTeam: (name) => findTeam(name, []) };
  const parts = await deps.teamParts.parts();
  const findAccount = await createMemberFinder(deps.teamParts, wanted ?? []);
  const groups = await listGroups(deps, request);
  const planned: PlannedTeam[] = [];
  await addFoundSteps(
    plan,
    request,
    { wanted, rows },
    {
      kind: "team",
      step(wanted, row) {
        checkGroupAmong(groups, wanted.group);
        const owner = findOwner(wanted, findAccount);
        const ownerId = owner?.id ?? row?.owner_id ?? call.principal.id;
        const step = row
          ? changeTeam(deps, call, { wanted, row, ownerId, request })
          : makeTeam(deps, call, { wanted, ownerId, request });
        planned.push(
          row
            ? { wanted, row, uuid: row.uuid, id: row.id, ownerId }
            : { wanted, row, uuid: step?.uuid ?? "", id: findTeamId(step?.uuid), ownerId },
        );
        return step?.planned;
      },
      remove: (row) => removeTeam(deps, call, row),
    },
  );
  for (const team of planned) {
    await addMemberSteps(plan, deps, call, { team, request, parts, findAccount });
    await addCapSteps(plan, deps, call, { team, request, parts });
    await addTeamBudgetSteps(plan, deps, call, { team, request, parts });
  }
  return { plan, findTeam: (name) => findTeam(name, planned) };
}

/** Statements take an expression where they take a value. */
const findTeamId = (uuid: string | undefined): number =>
  raw<number>`(select id from teams where uuid = ${uuid ?? ""})` as unknown as number;

interface MadeStep {
  uuid: string;
  planned: PlannedStep | undefined;
}

interface WantedTeam {
  wanted: ConfiguredTeam;
  ownerId: number;
  request: ConfigurationRequest;
}

function makeTeam(
  { teams }: TeamPlanDeps,
  call: AuthenticatedContext,
  { wanted, ownerId, request }: WantedTeam,
): MadeStep {
  const uuid = readUuid7(call.now);
  const columns = {
    ...buildTeamColumns(buildTeamInput(wanted), ownerId, uuid, call.now),
    ...(wanted.enabled === false && { status: teamStatus.disabled }),
    managed_by: request.file,
  };
  const planned = {
    action: "create" as const,
    writes: teams.insert(columns, readUuid7(call.now)),
    audits: call.audit("team.create", uuid, columns),
  };
  return { uuid, planned };
}

function changeTeam(
  { teams, invitations }: TeamPlanDeps,
  call: AuthenticatedContext,
  { wanted, row, ownerId, request }: WantedTeam & { row: StoredTeam },
): MadeStep {
  const columns = buildTeamColumns(buildTeamInput(wanted), ownerId, row.uuid, call.now);
  const isSwitched =
    wanted.enabled !== undefined && wanted.enabled !== (row.status === teamStatus.enabled);
  const isHandedOver = ownerId !== row.owner_id;
  const differing = [
    ...configuredColumns.filter((name) => columns[name] !== row[name]),
    ...(isSwitched ? ["enabled"] : []),
    ...(isHandedOver ? ["owner"] : []),
  ];
  // A name is told only where someone changes it: a file that finds a team by its name names it.
  const members = differing.filter((name) => name !== "external_id");
  const action = findAction(row, members, request);
  if (!action) return { uuid: row.uuid, planned: undefined };
  const change = {
    ...Object.fromEntries(configuredColumns.map((name) => [name, columns[name]])),
    ...(isSwitched && { status: wanted.enabled ? teamStatus.enabled : teamStatus.disabled }),
    ...(isHandedOver && { owner_id: ownerId }),
    managed_by: request.file,
    updated_at: Math.max(call.now, row.updated_at + 1),
  };
  const planned = {
    action,
    members,
    writes: [teams.update(row, change), ...(isHandedOver ? [invitations.endOffers(row.id)] : [])],
    audits: call.audit("team.update", row.uuid, findNamedChanges(row, change)),
  };
  return { uuid: row.uuid, planned };
}

/** A file moves no money: a team goes once its wallet is empty. */
function removeTeam(
  { teams, teamParts }: TeamPlanDeps,
  call: AuthenticatedContext,
  row: StoredTeam,
): Pick<PlannedStep, "writes" | "audits"> {
  if (row.balance !== 0 || row.debt !== 0 || row.held !== 0)
    throw refuse("invalid_request", {
      message:
        "The wallet of this team is not empty, and a file moves no money. Move the quota out of it, or delete the team in the console",
    });
  return {
    writes: [
      teamParts.requireEmpty(row.wallet_id),
      teams.update(row, {
        ...{ status: teamStatus.deleted, external_id: null },
        updated_at: Math.max(call.now, row.updated_at + 1),
      }),
      teams.disableTokens(row.id, call.now),
      teams.disableManagementKeys(row.id),
      teams.endKeyOffers(row.id),
    ],
    audits: call.audit("team.delete", row.uuid, { name: row.name, balance: 0 }),
  };
}
