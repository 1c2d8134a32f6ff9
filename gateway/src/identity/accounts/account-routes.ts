/** What the API answers about one's own access token and invitation code, and about leaving. */
import { randomBytes } from "node:crypto";
import {
  deleteSelf,
  deleteSelfByPost,
  getInvitationCode,
  getInvitationCodeByPost,
  newAccessToken,
  newAccessTokenByGet,
} from "@tollgate/contract/accounts.ts";
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { AuthenticatedContext } from "../../http/request-context.ts";
import type { Database, Write } from "../../storage/database.ts";
import type { Reauthenticate } from "../sessions/reauthenticate.ts";
import { hashSecret } from "../sessions/session-cookie.ts";
import type { UserStore } from "../users/user-store.ts";
import { createSelfDeletion } from "./delete-self.ts";
import type { InvitationCodes } from "./invitation-code.ts";

/** 32 hex characters, as `Authorization` carries them. */
const tokenBytes = 16;

interface AccountRoutesDeps {
  db: Database;
  users: UserStore;
  codes: InvitationCodes;
  prove: Reauthenticate;
}

export function accountRoutes(deps: AccountRoutesDeps): ApiRoute[] {
  const { db, users, codes, prove } = deps;
  const deleteAccount = createSelfDeletion(deps);
  const auditEntry = ({ principal, now, address }: AuthenticatedContext, action: string): Write[] =>
    db.audit({ at: now, actorId: principal.id, address, action, target: principal.uuid, change: {} });

  const renew = async (call: AuthenticatedContext, reauth: Parameters<Reauthenticate>[1]): Promise<string> => {
    const account = await users.byId(call.principal.id);
    if (!account) throw refuse("not_logged_in");
    await prove(account, reauth, call);
    const token = randomBytes(tokenBytes).toString("hex");
    // `updated_at` stays: an administrator who is editing this account is not to start over for it.
    const change = users.update(account.id, { access_token_hash: hashSecret(token) });
    await db.write([change, ...auditEntry(call, "user.new_access_token")], { changes: ["users"] });
    return token;
  };

  const invitationCode = (call: AuthenticatedContext) =>
    codes.findOrCreate(call.principal.id, call.now, () => auditEntry(call, "user.new_invitation_code"));

  return [
    apiRoute(newAccessTokenByGet, (call) => renew(call, {})),
    apiRoute(newAccessToken, (call) => renew(call, call.body)),
    apiRoute(getInvitationCode, invitationCode),
    apiRoute(getInvitationCodeByPost, invitationCode),
    apiRoute(deleteSelf, (call) => deleteAccount({}, call)),
    apiRoute(deleteSelfByPost, (call) => deleteAccount(call.body, call)),
  ];
}
