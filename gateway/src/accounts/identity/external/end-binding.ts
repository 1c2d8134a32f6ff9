/**
 * What ends with the binding of an external account: the role, the group and the teams that the
 * rules of its provider gave. No later sign-in with it could take them away.
 */
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { noActor, type RequestContext } from "../../../http/request-context.ts";
import type { Database, Write } from "../../../storage/database.ts";
import type { PlanProviderMemberships } from "../../teams/provider-memberships.ts";
import { applyProviderGrants } from "../oidc/claim-rules.ts";
import type { UserAccount } from "../users/user-store.ts";
import type { ExternalAccount } from "./external-store.ts";

interface EndBindingDeps {
  db: Pick<Database, "sql">;
  planMemberships: PlanProviderMemberships;
}

/** `bindingTopics` are what changes with the end of a binding. */
export const bindingTopics = ["users", "teams", "tokens", "budgets"] as const;

/** `EndBinding` gives statements for the batch that removes the row. */
export type EndBinding = (
  account: UserAccount,
  bound: ExternalAccount,
  call: RequestContext,
) => Promise<Write[]>;

export const createEndBinding =
  ({ db: { sql }, planMemberships }: EndBindingDeps): EndBinding =>
  async (account, bound, call) => {
    const { provider, given_role: givenRole, given_group: givenGroup } = bound;
    const left = await planMemberships(account, { provider, title: "" }, [], call);
    const { role, group } = applyProviderGrants(
      { role: account.role, group: account.group, givenRole, givenGroup },
      { role: null, group: "" },
    );
    if (role === account.role && group === account.group) return left;
    // The batch may edit the account itself, so the version that was read decides nothing here.
    const query = sql
      .updateTable("users")
      .set(({ eb }) => ({ role, group, updated_at: eb("updated_at", "+", 1) }))
      .where("id", "=", account.id)
      .where("role", "=", account.role)
      .where("role", "<", roles.root);
    return [
      ...left,
      { query },
      ...call.audit("external.standing", account.uuid, { provider, role, group }, noActor),
    ];
  };
