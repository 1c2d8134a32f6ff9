/** Whose figures a request asks for. */
import type { Reference } from "@tollgate/contract/ids.ts";
import { roles } from "@tollgate/contract/roles.ts";
import { refuse } from "../http/refusal.ts";
import type { Principal } from "../http/request-context.ts";
import type { UserAccount, UserStore } from "../identity/users/user-store.ts";

/** The account to show, by default the caller's; undefined means all users. Others' are for administrators. */
export async function requestedAccount(
  users: UserStore,
  principal: Principal,
  requestedUser: Reference | "all" | undefined,
): Promise<UserAccount | undefined> {
  const reference = requestedUser ?? { id: principal.id };
  const isSelf = reference !== "all" && (reference.id === principal.id || reference.uuid === principal.uuid);
  if (!isSelf && principal.role < roles.admin) throw refuse("insufficient_role");
  if (reference === "all") return undefined;
  const account = await users.byReference(reference);
  if (!account) throw refuse("user_not_found");
  return account;
}
