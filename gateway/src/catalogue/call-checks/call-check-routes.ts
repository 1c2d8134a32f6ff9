/**
 * API route that tells whether a call would work. The relay decides; this file decides who may ask
 * about whom.
 */

import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { QueryOf } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { type CallCheck, checkCall } from "@tollgate/contract/catalogue/call-checks.ts";
import type { UserStore } from "../../accounts/identity/users/user-store.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { Principal } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import { byReference } from "../../storage/paged-list.ts";

type CallCheckQuery = QueryOf<typeof checkCall>;
export type CheckedCall = Pick<
  CallCheckQuery,
  "model" | "endpoint" | "max_tokens" | "prompt_tokens"
>;

/** Checks a call with a token, or of a user without one; undefined when that is gone. */
export type CheckCall = (
  by: { tokenId: number } | { userId: number },
  call: CheckedCall,
) => Promise<CallCheck | undefined>;

interface CallCheckRoutesDeps {
  db: Pick<Database, "sql" | "read">;
  users: UserStore;
  check: CheckCall;
}

export function callCheckRoutes({ db, users, check }: CallCheckRoutesDeps): ApiRoute[] {
  const isAdmin = ({ role }: Principal): boolean => role >= roles.admin;

  /** A token or user that the caller may not ask about is reported as missing. */
  const tokenIdOf = async (token: Reference, principal: Principal): Promise<number> => {
    const tokens = db.sql
      .selectFrom("tokens")
      .select(["id", "user_id"])
      .where("session_hash", "is", null);
    const [row] = await db.read(tokens.where(byReference("tokens", token)));
    if (!row || (row.user_id !== principal.id && !isAdmin(principal)))
      throw refuse("token_not_found");
    return row.id;
  };
  const userIdOf = async (user: Reference, principal: Principal): Promise<number> => {
    const account = await users.byReference(user);
    if (!account || (account.id !== principal.id && !isAdmin(principal)))
      throw refuse("user_not_found");
    return account.id;
  };

  return [
    apiRoute(checkCall, async ({ query, principal }) => {
      const by = query.token
        ? { tokenId: await tokenIdOf(query.token, principal) }
        : { userId: query.user ? await userIdOf(query.user, principal) : principal.id };
      const checked = await check(by, query);
      if (!checked) throw refuse("token_not_found");
      return isAdmin(principal) ? checked : { ...checked, channels: [] };
    }),
  ];
}
