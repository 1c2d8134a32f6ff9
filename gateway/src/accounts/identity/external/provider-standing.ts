/**
 * Gives an account the role and the group that its provider's rules give, and takes away what they
 * gave before and no longer do.
 */
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { ClaimVerdict } from "@tollgate/contract/accounts/oidc-providers.ts";
import { noActor, type RequestContext } from "../../../http/request-context.ts";
import { groupNames } from "../../../settings/group-rules.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database } from "../../../storage/database.ts";
import { applyProviderGrants } from "../oidc/claim-rules.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import type { ExternalStore } from "./external-store.ts";

interface ProviderStandingDeps {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  options: OptionReader;
}

export function createProviderStanding({ db, users, external, options }: ProviderStandingDeps) {
  /** Nothing is known without the groups of a user who has too many, so nothing changes. */
  return async (
    account: UserAccount,
    provider: ExternalAccountProvider,
    verdict: ClaimVerdict,
    { now, audit }: RequestContext,
  ): Promise<void> => {
    const bound = (await external.ofUser(account.id)).find((row) => row.provider === provider);
    if (!bound || verdict.is_overage) return;
    const { role, group } = account;
    // A group without a ratio has no price: the operator removed it after the rule was made.
    const ruled = {
      ...verdict,
      group: groupNames(options).includes(verdict.group) ? verdict.group : "",
    };
    const before = { role, group, givenRole: bound.given_role, givenGroup: bound.given_group };
    const after = applyProviderGrants(before, ruled);
    const isGivenSame =
      after.givenRole === before.givenRole && after.givenGroup === before.givenGroup;
    const isSame = after.role === role && after.group === group;
    if (isGivenSame && isSame) return;
    const columns = { role: after.role, group: after.group };
    await db.write(
      [
        ...(isSame
          ? []
          : [
              users.edit(account, {
                ...columns,
                updated_at: Math.max(now, account.updated_at + 1),
              }),
            ]),
        external.setGiven(bound, { given_role: after.givenRole, given_group: after.givenGroup }),
        ...(isSame
          ? []
          : audit("external.standing", account.uuid, { provider, ...columns }, noActor)),
      ],
      { changes: ["users"] },
    );
  };
}
