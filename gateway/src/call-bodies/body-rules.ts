/** Rights to read kept contents of calls. Pure. */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { canManage } from "../accounts/identity/users/user-edit-rules.ts";
import type { Principal } from "../http/request-context.ts";

interface BodyOwner {
  user_id: number;
  user_role: number;
}

/**
 * The owner of the key, and administrators of the account: with it they could make the calls
 * themselves. Auditors could not.
 */
export const mayReadBody = (principal: Principal, { user_id, user_role }: BodyOwner): boolean =>
  principal.id === user_id ||
  (principal.role >= roles.admin &&
    !principal.isReadOnly &&
    canManage(principal, { id: user_id, role: user_role }));
