/** Rights of people in a team, and the view of a team. Pure. */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import {
  type TeamMember as ShownMember,
  type Team as ShownTeam,
  type TeamToken as ShownToken,
  type TeamInput,
  type TeamRole,
  type TeamSetting,
  type TransferSource,
  teamInput,
  teamStatus,
} from "@tollgate/contract/accounts/teams.ts";
import { buildEachTokenLimit } from "@tollgate/contract/accounts/token-restrictions.ts";
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import * as z from "zod/mini";
import { refuse } from "../../http/refusal.ts";
import { buildUnixSeconds } from "../../http/unix-seconds.ts";
import type { RulingProviders } from "../ruling-providers.ts";
import { viewOldKey } from "../tokens/key-rotation-rules.ts";
import { viewOwnPause } from "../tokens/pause-rules.ts";
import { readRestrictions, showStatus } from "../tokens/token-rules.ts";
import type { Membership, NamedTokenRow, TeamMemberRow, TeamRow } from "./team-store.ts";

/** `TeamStanding` is what the caller is to a team. */
export type TeamStanding = "site" | "owner" | TeamRole | "auditor" | "outsider";

/**
 * `see` all of it, `use` it with keys of one's own, `manage` it, `pay` into it, `own` it,
 * `administer` it for the site.
 */
export type TeamAct = "know" | "see" | "use" | "manage" | "pay" | "own" | "administer";

const allowedActs: Readonly<Record<TeamStanding, readonly TeamAct[]>> = {
  site: ["know", "see", "manage", "pay", "own", "administer"],
  owner: ["know", "see", "use", "manage", "pay", "own"],
  admin: ["know", "see", "use", "manage", "pay"],
  member: ["know", "use"],
  viewer: ["know", "see"],
  auditor: ["know", "see", "use"],
  outsider: [],
};

/** A team that the caller may not know of answers like one that does not exist. */
const refusedActs: Readonly<Record<TeamAct, ErrorCode>> = {
  know: "team_not_found",
  see: "team_role_insufficient",
  use: "team_role_insufficient",
  manage: "team_role_insufficient",
  pay: "transfer_not_allowed",
  own: "team_owner_only",
  administer: "insufficient_role",
};

interface TeamCaller {
  id: number;
  role: number;
  isReadOnly?: boolean;
}

/** An auditor who is an admin of a team has keys there, and the eyes of a viewer. */
const limitStanding = (standing: TeamStanding): TeamStanding =>
  standing === "owner" || standing === "admin" ? "auditor" : standing;

/** An administrator of the site who is in the team has the rights of both. */
export function listStandings(
  { id, role, isReadOnly = false }: TeamCaller,
  team: Pick<TeamRow, "owner_id">,
  member: Membership | undefined,
): TeamStanding[] {
  // A provider may have taken from the owner what a team needs of one.
  const isOwner = team.owner_id === id && member?.role === "admin";
  const held = member?.left_at === null ? (isOwner ? "owner" : member.role) : "outsider";
  const own = isReadOnly ? limitStanding(held) : held;
  return role >= roles.admin ? ["site", own] : [own];
}

export const mayDo = (standings: readonly TeamStanding[], act: TeamAct): boolean =>
  standings.some((standing) => allowedActs[standing].includes(act));

export function checkMayDo(standings: readonly TeamStanding[], act: TeamAct): void {
  for (const needed of ["know", act] as const)
    if (!mayDo(standings, needed)) throw refuse(refusedActs[needed]);
}

/** `settingActs` are what each setting of a team needs. */
export const settingActs: Readonly<Record<TeamSetting, TeamAct>> = {
  name: "manage",
  note: "manage",
  members_see_balance: "manage",
  group: "administer",
  models: "administer",
  status: "administer",
  owner_id: "administer",
  ...buildEachTokenLimit(() => "administer" as const),
};

/** `transferActs` are what each source of a transfer needs; new quota comes from root alone. */
export const transferActs: Readonly<Record<TransferSource, TeamAct>> = {
  own: "pay",
  team: "administer",
  issuance: "administer",
};

/**
 * `checkUsersTeam` is about a team that a user makes: the own one, of the own group. What only
 * administrators of the site change has its default.
 */
export function checkUsersTeam(
  caller: TeamCaller & { group: string },
  { owner_id = caller.id, group, external_id, ...input }: TeamInput,
): void {
  const usual = z.parse(teamInput, { name: input.name });
  const isUsual = Object.entries(settingActs).every(
    ([name, act]) =>
      act !== "administer" ||
      !(name in input) ||
      input[name as keyof typeof input] === usual[name as keyof typeof input],
  );
  const isOwn = owner_id === caller.id && [usual.group, caller.group].includes(group);
  if (!isUsual || !isOwn || external_id) throw refuse("insufficient_role");
}

/** A new team as the table has it; its wallet comes with the batch. */
export const buildTeamColumns = (
  { external_id, members_see_balance, owner_id: _, ...input }: TeamInput,
  owner_id: number,
  uuid: string,
  now: number,
) => ({
  ...{ uuid, ...input, owner_id, status: teamStatus.enabled },
  members_see_balance: members_see_balance ? (1 as const) : (0 as const),
  external_id: external_id || null,
  ...{ created_at: now, updated_at: now },
});

/**
 * `checkMaySwitch` says whose keys a caller sees and switches: a service's belong to the admins, a
 * member's to the member.
 */
export function checkMaySwitch(
  caller: TeamCaller,
  standings: readonly TeamStanding[],
  token: { user_id: number; service: number; status: number },
  wanted: number,
): void {
  if (token.service === 0 && token.user_id === caller.id) {
    checkMayDo(standings, "use");
    return;
  }
  // An admin stops the key of a member, and only the member starts it again.
  const isAllowed = mayDo(standings, "manage") && (token.service === 1 || wanted === 2);
  if (!isAllowed) throw refuse("team_key_not_yours");
}

/** `shownRoles` are what a screen offers acts by. */
const shownRoles: Readonly<Record<Exclude<TeamStanding, "site">, TeamRole | "">> = {
  ...{ owner: "admin", admin: "admin", member: "member", viewer: "viewer" },
  ...{ auditor: "member", outsider: "" },
};

export function viewTeam(row: TeamRow, standings: readonly TeamStanding[]): ShownTeam {
  const seesBalance = mayDo(standings, "see") || row.members_see_balance === 1;
  const [own = "outsider"] = standings.flatMap((one) => (one === "site" ? [] : [one]));
  const shown = (units: number): number | null => (seesBalance ? units : null);
  return {
    ...{ id: row.id, uuid: row.uuid, external_id: row.external_id ?? "", name: row.name },
    note: mayDo(standings, "manage") ? row.note : "",
    ...{ group: row.group, models: row.models, status: row.status, owner_id: row.owner_id },
    role: shownRoles[own],
    ...{ balance: shown(row.balance), held: shown(row.held), debt: shown(row.debt) },
    members_see_balance: row.members_see_balance === 1,
    ...buildEachTokenLimit((name) => row[name]),
    ...{ members: Number(row.members), keys: Number(row.keys) },
    managed_by: mayDo(standings, "manage") ? row.managed_by : "",
    ...{ created_at: row.created_at, updated_at: row.updated_at },
  };
}

export const viewMember = (
  row: TeamMemberRow,
  team: Pick<TeamRow, "owner_id">,
  ruling: RulingProviders,
): ShownMember => ({
  ...{
    id: row.id,
    user_id: row.user_id,
    username: row.username,
    display_name: row.display_name,
    role: row.role,
  },
  is_owner: row.user_id === team.owner_id,
  is_enabled: row.user_status === 1,
  by_provider: ruling.find(row.by_provider),
  keys: Number(row.keys),
  created_at: row.created_at,
});

export const viewTeamToken = (row: NamedTokenRow, now: number): ShownToken => ({
  ...{
    id: row.id,
    uuid: row.uuid,
    user_id: row.user_id,
    username: row.username ?? "",
    name: row.name,
  },
  service: row.service === 1,
  status: showStatus(row, now),
  paused: viewOwnPause(row),
  remain_quota: row.remain_quota,
  unlimited_quota: row.unlimited_quota === 1,
  used_quota: row.used_quota,
  created_time: buildUnixSeconds(row.created_at),
  accessed_time: buildUnixSeconds(row.accessed_at),
  expired_time: row.expired_at === null ? -1 : buildUnixSeconds(row.expired_at),
  ...readRestrictions(row),
  external_id: row.external_id ?? "",
  ...viewOldKey(row, now),
  created_at: row.created_at,
  updated_at: row.updated_at,
});
