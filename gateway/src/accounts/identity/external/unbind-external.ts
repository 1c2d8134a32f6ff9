/** Unbinds an external account, but never the last way to sign into the account. */

import type { unbindExternalAccount } from "@tollgate/contract/accounts/external-sign-in.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { refuse } from "../../../http/refusal.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import type { Database } from "../../../storage/database.ts";
import type { ProviderPeople } from "../oidc/provider-people.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { ownAccount } from "../users/own-account.ts";
import type { UserStore } from "../users/user-store.ts";
import { bindingTopics, type EndBinding } from "./end-binding.ts";
import type { ExternalStore } from "./external-store.ts";

interface UnbindExternalDeps {
  db: Database;
  users: UserStore;
  external: ExternalStore;
  reauthenticate: Reauthenticate;
  people: Pick<ProviderPeople, "mayUnbind">;
  endBinding: EndBinding;
}

export function createExternalUnbind({
  db,
  users,
  external,
  reauthenticate,
  people,
  endBinding,
}: UnbindExternalDeps) {
  return async (body: BodyOf<typeof unbindExternalAccount>, call: AuthenticatedContext) => {
    const { provider } = body;
    const account = await ownAccount(users, call.principal);
    const bound = (await external.ofUser(account.id)).find((row) => row.provider === provider);
    if (!bound) throw refuse("external_not_bound");
    if (!people.mayUnbind(provider, account)) throw refuse("external_bound_by_rule");
    await reauthenticate(account, body, call);
    const batch = [
      ...(await endBinding(account, bound, call)),
      ...external.unbind(account.id, provider),
      ...call.audit("external.unbind", account.uuid, { provider, external_id: bound.external_id }),
    ];
    await db.write(batch, { changes: bindingTopics });
  };
}
