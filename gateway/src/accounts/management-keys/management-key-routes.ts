/** Routes by which users make, see and stop their management keys, and root those of all. */

import {
  createManagementKey,
  deleteManagementKey,
  disableManagementKey,
  enableManagementKey,
  listManagementKeys,
  tryManagementKey,
} from "@tollgate/contract/accounts/management-keys.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type { Endpoint } from "@tollgate/contract/api/endpoint.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import { catalogue } from "@tollgate/contract/catalogue/catalogue.ts";
import { type ApiRoute, apiRoute, tryCall } from "../../http/api-route.ts";
import { buildRefusalReply } from "../../http/error-reply.ts";
import { idempotent } from "../../http/idempotency.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext, Principal, ProveIdentity } from "../../http/request-context.ts";
import type { Database } from "../../storage/database.ts";
import { readUuid7 } from "../../storage/time-ids.ts";
import {
  buildKeyColumns,
  composeManagementKey,
  maskManagementKey,
  viewManagementKey,
} from "./management-key-rules.ts";
import type {
  HeldManagementKey,
  ManagementKeyRow,
  ManagementKeyStore,
} from "./management-key-store.ts";

const okStatus = 200;
const unknownOperation = "There is no such operation";
const invalidOperation = { message: unknownOperation, fields: { operation: unknownOperation } };

export interface ManagedTeam {
  id: number;
  /** `mayManage` holds for administrators of the site too, `isAdmin` for people in the team alone. */
  mayManage: boolean;
  isAdmin: boolean;
}

/** `FindManagedTeam` gives undefined where the caller may not know of the team. */
type FindManagedTeam = (
  principal: Principal,
  reference: Reference,
) => Promise<ManagedTeam | undefined>;

interface ManagementKeyRoutesDeps {
  db: Database;
  keys: ManagementKeyStore;
  findTeam: FindManagedTeam;
  proveIdentity: ProveIdentity;
  /** Rejects with why the key does not work. */
  principalOfKey(row: ManagementKeyRow, now: number): Promise<Principal>;
}

export function buildManagementKeyRoutes({
  db,
  keys,
  findTeam,
  proveIdentity,
  principalOfKey,
}: ManagementKeyRoutesDeps): ApiRoute[] {
  /**
   * Another user's key is answered as missing, except to root, who may stop every key, and to the
   * admins of its team.
   */
  const keyInReach = async (
    { principal }: AuthenticatedContext,
    reference: Reference,
  ): Promise<HeldManagementKey> => {
    const key = await keys.find(reference);
    const isReached =
      key !== undefined &&
      (key.user_id === principal.id ||
        principal.role >= roles.root ||
        (key.team_id !== null &&
          (await findTeam(principal, { id: key.team_id }))?.mayManage === true));
    if (!isReached) throw refuse("management_key_not_found");
    return key;
  };

  /** `reachManaged` refuses with why the caller has no say about the keys of a team. */
  const reachManaged = async (principal: Principal, reference: Reference): Promise<ManagedTeam> => {
    const team = await findTeam(principal, reference);
    if (!team) throw refuse("team_not_found");
    if (!team.mayManage) throw refuse("team_role_insufficient");
    return team;
  };

  /** Only an admin of the team has rights there that the key can have a part of. */
  const checkTeam = async (principal: Principal, teamId: number | undefined): Promise<void> => {
    if (teamId === undefined) return;
    const { isAdmin } = await reachManaged(principal, { id: teamId });
    if (!isAdmin) throw refuse("team_role_insufficient");
  };

  const findListed = async (principal: Principal, reference: Reference | undefined) => {
    if (reference !== undefined) return { teamId: (await reachManaged(principal, reference)).id };
    return { makerId: principal.role >= roles.root ? undefined : principal.id };
  };

  const setDisabled = async (
    call: AuthenticatedContext,
    key: HeldManagementKey,
    disabled: 0 | 1,
  ) => {
    const { uuid, name, user_id } = key;
    const action = disabled === 1 ? "management_key.disable" : "management_key.enable";
    await db.write([
      keys.setDisabled(key.id, disabled),
      ...call.audit(action, uuid, { name, user_id }),
    ]);
    return viewManagementKey({ ...key, disabled });
  };

  /** A call that needs no sign-in is a stranger's, also with a key. */
  const callerOf = async (
    { access }: Endpoint,
    key: ManagementKeyRow,
    now: number,
  ): Promise<Principal | undefined> => (access === "public" ? undefined : principalOfKey(key, now));

  return [
    apiRoute(listManagementKeys, async ({ principal, query }) => {
      const listed = await findListed(principal, query.team_id);
      const { rows, ...total } = await keys.page(listed, query);
      return { data: rows.map(viewManagementKey), ...total };
    }),
    apiRoute(createManagementKey, async (call) => {
      const { body, principal, now } = call;
      const { current_password: _, totp_code: _code, ...asked } = body;
      let key: string | undefined;
      const uuid = await idempotent(db, call, {
        name: "management_key.create",
        // The stored hash of the request must not depend on the proof.
        body: asked,
        async create(remember) {
          const made = composeManagementKey();
          const columns = buildKeyColumns(body, principal, { key: made, now });
          await checkTeam(principal, body.team_id);
          await proveIdentity(call, body);
          const uuid = readUuid7(now);
          const { name, scopes, subnet, expires_at, team_id } = columns;
          const entry = call.audit("management_key.create", uuid, {
            name,
            scopes,
            subnet,
            expires_at,
            ...(team_id !== null && { team_id }),
          });
          await db.write([...keys.insert({ uuid, ...columns }), ...entry, ...remember(uuid)]);
          key = made;
          return uuid;
        },
      });
      const row = await keyInReach(call, { uuid });
      return { ...viewManagementKey(row), key: key ?? maskManagementKey(row) };
    }),
    apiRoute(disableManagementKey, async (call) =>
      setDisabled(call, await keyInReach(call, call.params.id), 1),
    ),
    apiRoute(enableManagementKey, async (call) => {
      const key = await keyInReach(call, call.params.id);
      // Its maker answers for what it does from now on.
      if (key.user_id !== call.principal.id) throw refuse("management_key_of_another");
      await proveIdentity(call, call.body);
      return setDisabled(call, key, 0);
    }),
    apiRoute(tryManagementKey, async (call) => {
      const { operation, body, address } = call.body;
      const key = await keyInReach(call, call.params.id);
      const named = catalogue.find(({ name }) => name === operation);
      if (!named) throw refuse("invalid_request", invalidOperation);
      try {
        const principal = await callerOf(
          named.endpoint,
          address === "" ? { ...key, subnet: "" } : key,
          call.now,
        );
        return { status: okStatus, reply: tryCall(named.endpoint, { principal, address, body }) };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        const { status, body: reply } = buildRefusalReply(error);
        return { status, reply };
      }
    }),
    apiRoute(deleteManagementKey, async (call) => {
      const { id, uuid, name, user_id } = await keyInReach(call, call.params.id);
      await db.write([
        keys.remove(id),
        ...call.audit("management_key.delete", uuid, { name, user_id }),
      ]);
    }),
  ];
}
