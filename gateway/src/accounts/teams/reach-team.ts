/** A team as a caller reaches it: with the caller's standing in it. */
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { readBoundTeam } from "../../http/management-key-access.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Principal } from "../../http/request-context.ts";
import type { OptionReader } from "../../settings/live-options.ts";
import type { Database } from "../../storage/database.ts";
import type { UserStore } from "../identity/users/user-store.ts";
import { listStandings, mayDo, type TeamStanding } from "./team-rules.ts";
import type { TeamRow, TeamStore } from "./team-store.ts";

export interface TeamDeps {
  db: Database;
  teams: TeamStore;
  users: Pick<UserStore, "byId">;
  options: OptionReader;
}

export type TeamCall = AuthenticatedContext & { params: { id: Reference } };

export interface ReachedTeam {
  row: TeamRow;
  standings: readonly TeamStanding[];
}

/**
 * `findTeam` is about a team that the caller may know of; undefined where there is none. For a
 * management key of a team, no other team exists.
 */
export async function findTeam(
  teams: Pick<TeamStore, "find" | "member">,
  principal: Principal,
  reference: Reference,
): Promise<ReachedTeam | undefined> {
  const row = await teams.find(reference);
  const bound = readBoundTeam(principal);
  if (!row || (bound !== undefined && bound !== row.id)) return undefined;
  const standings = listStandings(principal, row, await teams.member(row.id, principal.id));
  return mayDo(standings, "know") ? { row, standings } : undefined;
}

export async function reachTeam(
  { teams }: { teams: Pick<TeamStore, "find" | "member"> },
  { principal }: { principal: Principal },
  reference: Reference,
): Promise<ReachedTeam> {
  const found = await findTeam(teams, principal, reference);
  if (!found) throw refuse("team_not_found");
  return found;
}
