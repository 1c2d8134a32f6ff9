import { refuse } from "../../../http/refusal.ts";
import type { Principal } from "../../../http/request-context.ts";
import type { UserAccount, UserStore } from "./user-store.ts";

/**
 * The account of the signed-in user. Refuses when it was deleted after the request was
 * authenticated.
 */
export async function ownAccount(
  users: Pick<UserStore, "byId">,
  { id }: Pick<Principal, "id">,
): Promise<UserAccount> {
  const account = await users.byId(id);
  if (!account) throw refuse("not_logged_in");
  return account;
}
