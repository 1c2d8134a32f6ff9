/** Routes by which users make, see and stop their management keys, and root those of all. */
import type { Reference } from "@tollgate/contract/ids.ts";
import {
  createManagementKey,
  deleteManagementKey,
  disableManagementKey,
  enableManagementKey,
  listManagementKeys,
} from "@tollgate/contract/management-keys.ts";
import { roles } from "@tollgate/contract/roles.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { refuse } from "../http/refusal.ts";
import type { AuthenticatedContext, ProveIdentity } from "../http/request-context.ts";
import type { Database } from "../storage/database.ts";
import { uuid7 } from "../storage/time-ids.ts";
import { newKeyColumns, newManagementKey, viewManagementKey } from "./management-key-rules.ts";
import type { HeldManagementKey, ManagementKeyStore } from "./management-key-store.ts";

interface ManagementKeyRoutesDeps {
  db: Database;
  keys: ManagementKeyStore;
  proveIdentity: ProveIdentity;
}

export function managementKeyRoutes({ db, keys, proveIdentity }: ManagementKeyRoutesDeps): ApiRoute[] {
  /** Another user's key is answered as missing, except to root, who may stop every key. */
  const keyInReach = async ({ principal }: AuthenticatedContext, reference: Reference): Promise<HeldManagementKey> => {
    const key = await keys.find(reference);
    if (!key || (key.user_id !== principal.id && principal.role < roles.root)) throw refuse("management_key_not_found");
    return key;
  };

  const setDisabled = async (call: AuthenticatedContext, key: HeldManagementKey, disabled: 0 | 1) => {
    const { uuid, name, user_id } = key;
    const action = disabled === 1 ? "management_key.disable" : "management_key.enable";
    await db.write([keys.setDisabled(key.id, disabled), ...call.audit(action, uuid, { name, user_id })]);
    return viewManagementKey({ ...key, disabled });
  };

  return [
    apiRoute(listManagementKeys, async ({ principal, query }) => {
      const makerId = principal.role >= roles.root ? undefined : principal.id;
      const { rows, ...total } = await keys.page(makerId, query);
      return { data: rows.map(viewManagementKey), ...total };
    }),
    apiRoute(createManagementKey, async (call) => {
      const { body, principal, now } = call;
      const key = newManagementKey();
      const columns = newKeyColumns(body, principal, { key, now });
      await proveIdentity(call, body);
      const uuid = uuid7(now);
      const { name, scopes, subnet, expires_at } = columns;
      const entry = call.audit("management_key.create", uuid, { name, scopes, subnet, expires_at });
      await db.write([...keys.insert({ uuid, ...columns }), ...entry]);
      return { ...viewManagementKey(await keyInReach(call, { uuid })), key };
    }),
    apiRoute(disableManagementKey, async (call) => setDisabled(call, await keyInReach(call, call.params.id), 1)),
    apiRoute(enableManagementKey, async (call) => {
      const key = await keyInReach(call, call.params.id);
      // Its maker answers for what it does from now on.
      if (key.user_id !== call.principal.id) throw refuse("management_key_of_another");
      await proveIdentity(call, call.body);
      return setDisabled(call, key, 0);
    }),
    apiRoute(deleteManagementKey, async (call) => {
      const { id, uuid, name, user_id } = await keyInReach(call, call.params.id);
      await db.write([keys.remove(id), ...call.audit("management_key.delete", uuid, { name, user_id })]);
    }),
  ];
}
