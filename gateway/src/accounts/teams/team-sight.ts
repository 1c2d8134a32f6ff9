/**
 * The sight of a caller on what a team pays: the one rule of lists, sums, traces, runs and exports.
 * A member sees the own rows, admins and viewers all of the team, and others find no team.
 */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { readBoundTeam } from "../../http/management-key-access.ts";
import type { Principal } from "../../http/request-context.ts";
import type { PayerScope } from "../../storage/payer-scope.ts";
import { findTeam, type ReachedTeam, reachTeam } from "./reach-team.ts";
import { mayDo, type TeamAct } from "./team-rules.ts";
import type { TeamStore } from "./team-store.ts";

/** `team` is missing where the caller asks about the own account. */
export interface SeenRows {
  payer: PayerScope;
  team?: ReachedTeam;
}

/** A row of an account or, where `team_id` is more than 0, of a team. */
interface OwnedRow {
  user_id: number;
  team_id: number | null;
}

export type TeamSight = ReturnType<typeof createTeamSight>;

/** `readAskedTeam` is the named team, or the one that the caller is bound to. */
export function readAskedTeam(
  principal: Principal,
  team_id: Reference | undefined,
): Reference | undefined {
  const bound = readBoundTeam(principal);
  return team_id ?? (bound === undefined ? undefined : { id: bound });
}

export function createTeamSight(teams: Pick<TeamStore, "find" | "member">) {
  /** `all` is the act that reaches the rows of everyone in the team. */
  const reaches = async (
    principal: Principal,
    { user_id, team_id }: OwnedRow,
    all: TeamAct,
  ): Promise<boolean> => {
    if (principal.role >= roles.admin) return true;
    const isOwn = user_id > 0 && user_id === principal.id;
    if (!team_id) return isOwn && readBoundTeam(principal) === undefined;
    const { standings = [] } = (await findTeam(teams, principal, { id: team_id })) ?? {};
    return mayDo(standings, all) || (isOwn && mayDo(standings, "use"));
  };
  return {
    /** `rowsOf` says what a list without or with `team_id` shows the caller. */
    async rowsOf(principal: Principal, team_id: Reference | undefined): Promise<SeenRows> {
      const asked = readAskedTeam(principal, team_id);
      if (asked === undefined) return { payer: { userId: principal.id } };
      const team = await reachTeam({ teams }, { principal }, asked);
      const teamId = team.row.id;
      return {
        team,
        payer: mayDo(team.standings, "see") ? { teamId } : { teamId, userId: principal.id },
      };
    },
    async payerOf(principal: Principal, team_id: Reference | undefined): Promise<PayerScope> {
      return (await this.rowsOf(principal, team_id)).payer;
    },
    mayRead: (principal: Principal, row: OwnedRow): Promise<boolean> =>
      reaches(principal, row, "see"),
    mayChange: (principal: Principal, row: OwnedRow): Promise<boolean> =>
      reaches(principal, row, "manage"),
  };
}
