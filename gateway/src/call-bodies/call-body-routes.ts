/** API routes for kept contents of calls. Each view is recorded, also that of the own calls. */

import type { Reference } from "@tollgate/contract/api/ids.ts";
import { deleteCallBody, getCallBody } from "@tollgate/contract/call-bodies.ts";
import { type ApiRoute, apiRoute } from "../http/api-route.ts";
import { refuse } from "../http/refusal.ts";
import type { Principal } from "../http/request-context.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Database } from "../storage/database.ts";
import { composeUuidFromId, findIdFromUuid } from "../storage/time-ids.ts";
import { type BodyObjects, formatBodyObjectName } from "./body-objects.ts";
import { mayReadBody } from "./body-rules.ts";
import type { BodyStore } from "./body-store.ts";
import { openBody } from "./sealed-body.ts";

export interface CallBodyRoutesDeps {
  db: Database;
  store: BodyStore;
  /** Undefined where nothing is kept. */
  objects: BodyObjects | undefined;
  seal: Sealer;
  onError(error: unknown): void;
}

export function callBodyRoutes({
  db,
  store,
  objects,
  seal,
  onError,
}: CallBodyRoutesDeps): ApiRoute[] {
  /** `readable` reports contents that the caller may not read as missing. */
  async function readable({ id, uuid }: Reference, principal: Principal) {
    const row = await store.find(id ?? findIdFromUuid(uuid ?? "") ?? 0);
    if (!row || !mayReadBody(principal, row)) throw refuse("body_not_found");
    return row;
  }

  async function objectOf(row: { id: number; created_at: number }): Promise<Buffer> {
    if (!objects) throw refuse("bodies_off");
    const sealed = await objects
      .get(formatBodyObjectName(row.id, row.created_at))
      .catch((error: unknown) => {
        onError(error);
        throw refuse("body_unavailable");
      });
    // A call that has just ended may still be on its way.
    if (!sealed) throw refuse("body_missing");
    return sealed;
  }

  return [
    apiRoute(getCallBody, async (call) => {
      const row = await readable(call.params.id, call.principal);
      const sealed = await objectOf(row);
      const key = seal.open("body-key", `call_bodies/key_sealed/${row.id}`, row.key_sealed);
      const body = openBody(sealed, row.id, key);
      // No read goes unrecorded.
      await db.write(
        call.audit("body.view", composeUuidFromId(row.id), {
          user_id: row.user_id,
          mode: row.mode,
        }),
      );
      return { ...body, created_at: row.created_at };
    }),
    apiRoute(deleteCallBody, async (call) => {
      const row = await readable(call.params.id, call.principal);
      const entry = call.audit("body.delete", composeUuidFromId(row.id), {
        user_id: row.user_id,
        mode: row.mode,
      });
      await db.write([store.erase(row.id), ...entry]);
    }),
  ];
}
