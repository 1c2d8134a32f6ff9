/** An administrator creates an account with its wallet and first quota. */

import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { UserInput } from "@tollgate/contract/accounts/user-admin.ts";
import { idempotent } from "../../../http/idempotency.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import { grantWrites } from "../../../money/grant-writes.ts";
import { checkGroup } from "../../../settings/group-rules.ts";
import { readUuid7 } from "../../../storage/time-ids.ts";
import { readAssignedPasswordColumns, type UserDeps } from "./change-user.ts";

const defaultGroup = "default";
const displayNameMax = 20;

/**
 * Returns the uuid of the new account. A first quota above the administrator's limit waits for
 * root; the account does not.
 */
export function createUserCreator({ db, users, options, issuance }: UserDeps) {
  return async (call: AuthenticatedContext & { body: UserInput }): Promise<string> => {
    const { principal, now, body } = call;
    const {
      username,
      password,
      quota = 0,
      group = defaultGroup,
      email = "",
      role = roles.user,
    } = body;
    if (role >= principal.role) throw refuse("role_not_allowed");
    checkGroup(options, group);
    // The stored hash of the request must not depend on the password.
    const { password: _, ...fingerprinted } = body;
    const create = async (remember: Parameters<Parameters<typeof idempotent>[2]["create"]>[0]) => {
      const [uuid, walletUuid] = [readUuid7(now), readUuid7(now)];
      const row = {
        uuid,
        username,
        display_name: body.display_name || username.slice(0, displayNameMax),
        email,
        ...(await readAssignedPasswordColumns(password, call)),
        role: roles.user,
        status: userStatus.enabled,
        group,
        access_token_hash: null,
        external_id: body.external_id || null,
        created_at: now,
        updated_at: now,
      };
      const accountWrites = [...users.insertWithWallet(row, walletUuid), ...remember(uuid)];
      const auditOf = (given: number) =>
        call.audit("user.create", uuid, { username, email, group, quota: given });
      const issue = {
        kind: "user",
        target_uuid: uuid,
        name: "",
        quota,
        count: 1,
        amount: quota,
      } as const;
      await issuance.issue(call, issue, {
        batch: [
          ...accountWrites,
          ...grantWrites(db, {
            id: db.mintId(),
            wallet: { uuid: walletUuid },
            amount: quota,
            at: now,
          }),
          ...auditOf(quota),
        ],
        otherwise: [...accountWrites, ...auditOf(0)],
        changes: ["users", "budgets"],
      });
      return uuid;
    };
    return idempotent(db, call, { name: "user.create", body: fingerprinted, create });
  };
}
