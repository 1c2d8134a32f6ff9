/** Who is in a team, and as what, by a configuration document. */
import type { ConfigurationRequest } from "@tollgate/contract/commands/configuration.ts";
import type {
  ConfiguredMember,
  ConfiguredTeam,
} from "@tollgate/contract/commands/configured-teams.ts";
import { checkByHand } from "../../accounts/ruling-providers.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import { planMemberCaps } from "../../money/holds/inherited-budgets.ts";
import type {
  ConfiguredTeamStore,
  NamedAccount,
  StoredMember,
  TeamParts,
} from "./configured-team-store.ts";
import { addStep, isTakenOver, type KindPlan, type PlannedStep } from "./kind-plan.ts";
import type { PlannedTeam, TeamPlanDeps } from "./planned-team.ts";

export type FindAccount = (member: ConfiguredMember) => NamedAccount;

/** `createMemberFinder` reads all accounts that the teams name; a missing one is refused. */
export async function createMemberFinder(
  store: Pick<ConfiguredTeamStore, "byUsername" | "byExternalId">,
  teams: readonly ConfiguredTeam[],
): Promise<FindAccount> {
  const members = teams.flatMap(({ members = [] }) => members);
  const listNames = (name: "user" | "externalId"): string[] => [
    ...new Set(members.flatMap((member) => member[name] ?? [])),
  ];
  const byName = new Map(
    (await store.byUsername(listNames("user"))).map((one) => [one.username, one]),
  );
  const byExternalId = new Map(
    (await store.byExternalId(listNames("externalId"))).map((one) => [one.external_id, one]),
  );
  return ({ user, externalId }) => {
    const found = user === undefined ? byExternalId.get(externalId ?? null) : byName.get(user);
    if (found) return found;
    throw refuse("user_not_found", {
      message:
        user === undefined
          ? `No account has the external id ${externalId}. A file makes no accounts`
          : `No account is named ${user}. A file makes no accounts`,
    });
  };
}

/** `findOwner` gives undefined where the document leaves the owner as it is. */
export function findOwner(
  { members = [] }: ConfiguredTeam,
  findAccount: FindAccount,
): NamedAccount | undefined {
  const owner = members.find(({ role }) => role === "owner");
  return owner && findAccount(owner);
}

interface PlannedMembers {
  team: PlannedTeam;
  request: ConfigurationRequest;
  parts: TeamParts;
  findAccount: FindAccount;
}

/**
 * The people that the document names get their roles. Who is in the team besides stays, is told, and
 * leaves where the request prunes; the owner never does, nor who came by a sign-in provider.
 */
export async function addMemberSteps(
  plan: KindPlan,
  deps: TeamPlanDeps,
  call: AuthenticatedContext,
  { team, request, parts, findAccount }: PlannedMembers,
): Promise<void> {
  const { wanted, row, ownerId } = team;
  if (wanted.members === undefined) return;
  const stored = new Map(
    (row ? (parts.members.get(row.id) ?? []) : []).map((member) => [member.user_id, member]),
  );
  const named = new Set<number>();
  for (const member of wanted.members)
    await addStep(plan, "team_member", describe(team, member), () => {
      const account = findAccount(member);
      if (named.has(account.id)) throw refuse("configuration_twice");
      named.add(account.id);
      const role = member.role === "owner" ? "admin" : member.role;
      if (account.id === ownerId && role !== "admin") throw refuse("team_needs_owner");
      const known = stored.get(account.id);
      // The insert of a team makes its owner a member.
      if (known?.role === role || (!row && account.id === ownerId)) return undefined;
      if (known) checkByHand(deps.ruling, known.by_provider);
      if (row) isTakenOver(row, request);
      return putMember(deps, call, { team, account, role, isJoining: !known });
    });
  if (!row) return;
  const leaving = [...stored.values()].filter(
    ({ user_id, by_provider }) =>
      user_id !== ownerId && !named.has(user_id) && !deps.ruling.find(by_provider),
  );
  for (const member of leaving)
    await addStep(plan, "team_member", `${wanted.name}: ${member.username}`, () => {
      if (!request.prune) return { action: "left", writes: [], audits: [] };
      isTakenOver(row, request);
      return removeMember(deps, call, row.name, row.uuid, member);
    });
}

const describe = ({ wanted }: PlannedTeam, { user, externalId }: ConfiguredMember): string =>
  `${wanted.name}: ${user ?? externalId}`;

interface PutMember {
  team: PlannedTeam;
  account: NamedAccount;
  role: StoredMember["role"];
  isJoining: boolean;
}

function putMember(
  { db, teams, invitations }: TeamPlanDeps,
  call: AuthenticatedContext,
  { team: { id, uuid, wanted }, account, role, isJoining }: PutMember,
): PlannedStep {
  const capped = planMemberCaps(db, { teamId: id, userIds: [account.id] }, call.now);
  return {
    action: isJoining ? "create" : "update",
    members: isJoining ? [] : ["role"],
    writes: [
      teams.putMember(id, account.id, role, call.now),
      ...(isJoining ? capped : []),
      // What an admin offered ends with the right to offer it.
      ...(isJoining || role === "admin" ? [] : [invitations.endOf(id, account.id)]),
    ],
    audits: call.audit("team.set_member", uuid, {
      ...{ name: wanted.name, user: account.username, role },
    }),
  };
}

function removeMember(
  { teams, invitations }: TeamPlanDeps,
  call: AuthenticatedContext,
  name: string,
  uuid: string,
  member: StoredMember,
): PlannedStep {
  return {
    action: "delete",
    writes: [
      ...teams.removeMember(member, call.now),
      invitations.endOf(member.team_id, member.user_id),
    ],
    audits: call.audit("team.remove_member", uuid, { name, user: member.username }),
  };
}
