/** The account, team or site whose figures a request asks for. */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { UserAccount, UserStore } from "../../accounts/identity/users/user-store.ts";
import type { ReachedTeam } from "../../accounts/teams/reach-team.ts";
import { readAskedTeam, type TeamSight } from "../../accounts/teams/team-sight.ts";
import { refuse } from "../../http/refusal.ts";
import type { Principal } from "../../http/request-context.ts";
import type { PayerScope } from "../../storage/payer-scope.ts";

export interface PayerSources {
  users: UserStore;
  sight: TeamSight;
}

/** `RequestedFigures` are those of the whole site where there is neither an account nor a team. */
export interface RequestedFigures {
  payer: PayerScope;
  account?: UserAccount;
  team?: ReachedTeam;
}

interface FigureQuery {
  user_id?: Reference | "all" | undefined;
  team_id?: Reference | undefined;
}

/**
 * The account to show, by default the caller's, or a team that the caller may see. Others' accounts
 * are for administrators.
 */
export async function readRequestedFigures(
  { users, sight }: PayerSources,
  principal: Principal,
  { user_id, team_id }: FigureQuery,
): Promise<RequestedFigures> {
  if (readAskedTeam(principal, team_id) !== undefined) {
    if (user_id === undefined) return sight.rowsOf(principal, team_id);
    throw refuse("invalid_request", {
      fields: { team_id: "cannot be named together with user_id" },
    });
  }
  const account = await readRequestedAccount(users, principal, user_id);
  return account ? { account, payer: { userId: account.id } } : { payer: {} };
}

async function readRequestedAccount(
  users: UserStore,
  principal: Principal,
  requestedUser: Reference | "all" | undefined,
): Promise<UserAccount | undefined> {
  const reference = requestedUser ?? { id: principal.id };
  const isSelf =
    reference !== "all" && (reference.id === principal.id || reference.uuid === principal.uuid);
  if (!isSelf && principal.role < roles.admin) throw refuse("insufficient_role");
  if (reference === "all") return undefined;
  const account = await users.byReference(reference);
  if (!account) throw refuse("user_not_found");
  return account;
}
