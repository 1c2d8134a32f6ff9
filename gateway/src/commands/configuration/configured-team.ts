/** A team as a configuration document writes it, and the requests that make one. Pure. */
import { createTeamCap } from "@tollgate/contract/accounts/team-caps.ts";
import { type TeamInput, teamInput, teamStatus } from "@tollgate/contract/accounts/teams.ts";
import type {
  ConfiguredMember,
  ConfiguredTeam,
  ConfiguredTeamBudget,
} from "@tollgate/contract/commands/configured-teams.ts";
import type { RulingProviders } from "../../accounts/ruling-providers.ts";
import { parseOrRefuse } from "../../http/validation-errors.ts";
import { buildConfiguredTerms, buildTermsRequest } from "./configured-budget.ts";
import type { StoredMember, StoredTeam, TeamParts } from "./configured-team-store.ts";
import { type FoundByDocument, readIdentity } from "./document-finder.ts";

export const buildTeamInput = (wanted: ConfiguredTeam): TeamInput =>
  parseOrRefuse(teamInput, {
    ...{ external_id: readIdentity(wanted), name: wanted.name, note: wanted.note },
    ...{ group: wanted.group, models: wanted.models.join(",") },
    members_see_balance: wanted.membersSeeBalance,
    ...{ rpm_limit: wanted.rpmLimit, tpm_limit: wanted.tpmLimit },
    max_parallel_requests: wanted.maxParallelRequests,
  });

/** The members of a budget of the team and of one of each member alike. */
export const buildTeamTerms = (wanted: ConfiguredTeamBudget) =>
  parseOrRefuse(createTeamCap.body, buildTermsRequest(wanted));

export const buildConfiguredTeam = (
  row: StoredTeam,
  { members, caps, budgets }: TeamParts,
  { externalId, ruling }: { externalId: string; ruling: RulingProviders },
): ConfiguredTeam => ({
  name: row.name,
  ...(externalId !== row.name && { externalId }),
  ...{ note: row.note, group: row.group, models: row.models.split(",").filter(Boolean) },
  ...(row.status !== teamStatus.enabled && { enabled: false }),
  membersSeeBalance: row.members_see_balance === 1,
  ...{ rpmLimit: row.rpm_limit, tpmLimit: row.tpm_limit },
  maxParallelRequests: row.max_parallel_requests,
  // Whom a provider brings, its rules say.
  members: (members.get(row.id) ?? [])
    .filter(({ by_provider, user_id }) => !ruling.find(by_provider) || user_id === row.owner_id)
    .map((member) => showMember(member, row)),
  budgets: showBudgets(budgets.get(row.id) ?? []),
  memberBudgets: showBudgets(caps.get(row.id) ?? []),
});

const showMember = (
  { username, external_id, role, user_id }: StoredMember,
  { owner_id }: StoredTeam,
): ConfiguredMember => ({
  ...(external_id === null ? { user: username } : { externalId: external_id }),
  role: user_id === owner_id ? "owner" : role,
});

type StoredTeamBudget = Parameters<typeof buildConfiguredTerms>[0] & FoundByDocument;

/** `meansTeamBudget` is true of each of them and its row alone. */
const showBudgets = (rows: readonly StoredTeamBudget[]): ConfiguredTeamBudget[] => {
  const names = Map.groupBy(rows, ({ name }) => name);
  return rows.map((row) => {
    const isAmbiguous = names.get(row.name)?.length !== 1;
    const identity = row.external_id ?? (isAmbiguous ? row.uuid : undefined);
    return {
      name: row.name,
      ...(identity !== undefined && { externalId: identity }),
      ...buildConfiguredTerms(row),
    };
  });
};

/** Whether a document means this budget of its team. */
export const meansTeamBudget = (
  { name, externalId }: Pick<ConfiguredTeamBudget, "name" | "externalId">,
  row: FoundByDocument,
): boolean =>
  externalId === undefined ? name === row.name : externalId === (row.external_id ?? row.uuid);
