/**
 * Gives an account the role, the group and the teams that its provider's rules give, and takes away
 * what they gave before and no longer do.
 */
import type { ExternalAccountProvider } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { ClaimVerdict } from "@tollgate/contract/accounts/oidc-providers.ts";
import { noActor, type RequestContext } from "../../../http/request-context.ts";
import { groupNames } from "../../../settings/group-rules.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Database, Write } from "../../../storage/database.ts";
import type { PlanProviderMemberships } from "../../teams/provider-memberships.ts";
import { applyProviderGrants } from "../oidc/claim-rules.ts";
import type { UserAccount, UserStore } from "../users/user-store.ts";
import type { ExternalAccount, ExternalStore } from "./external-store.ts";
import type { SignInEntitlement } from "./sign-in-entitlement.ts";

interface ProviderStandingDeps {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  options: OptionReader;
  planMemberships: PlanProviderMemberships;
}

export function createProviderStanding(deps: ProviderStandingDeps) {
  const { db, users, external, options, planMemberships } = deps;

  const planGrants = (
    account: UserAccount,
    bound: ExternalAccount,
    verdict: ClaimVerdict,
    { now, audit }: RequestContext,
  ): Write[] => {
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
    if (isGivenSame && isSame) return [];
    const columns = { role: after.role, group: after.group };
    const given = { given_role: after.givenRole, given_group: after.givenGroup };
    if (isSame) return [external.setGiven(bound, given)];
    const told = { provider: bound.provider, ...columns };
    return [
      users.edit(account, { ...columns, updated_at: Math.max(now, account.updated_at + 1) }),
      external.setGiven(bound, given),
      ...audit("external.standing", account.uuid, told, noActor),
    ];
  };

  /** Nothing is known without the groups of a user who has too many, so nothing changes. */
  return async (
    account: UserAccount,
    provider: ExternalAccountProvider,
    { verdict, title }: Pick<SignInEntitlement, "verdict" | "title">,
    call: RequestContext,
  ): Promise<void> => {
    const bound = (await external.ofUser(account.id)).find((row) => row.provider === provider);
    if (!bound || verdict.is_overage) return;
    // Accounts are locked last.
    const joins = await planMemberships(account, { provider, title }, verdict.teams, call);
    const batch = [...joins, ...planGrants(account, bound, verdict, call)];
    if (batch.length === 0) return;
    const changes = joins.length === 0 ? [] : (["teams", "tokens", "budgets"] as const);
    await db.write(batch, { changes: ["users", ...changes] });
  };
}
