/** Routes for a user's own account: profile, access token, invitation code, deletion. */
import { randomBytes } from "node:crypto";
import {
  deleteSelf,
  deleteSelfByPost,
  getInvitationCode,
  getInvitationCodeByPost,
  newAccessToken,
  newAccessTokenByGet,
  removeAccessToken as removeAccessTokenEndpoint,
  setLanguage,
} from "@tollgate/contract/accounts/accounts.ts";
import { getSelf, updateSelf } from "@tollgate/contract/accounts/sessions.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import type { AuthenticatedContext } from "../../../http/request-context.ts";
import type { ExternalStore } from "../external/external-store.ts";
import type { ReauthInput } from "../sessions/reauthenticate.ts";
import { hashSecret } from "../sessions/session-cookie.ts";
import { endAccessToken } from "../users/end-sign-ins.ts";
import { ownAccount } from "../users/own-account.ts";
import { viewUser } from "../users/user-view.ts";
import { type ChangeSelfDeps, createSelfEditor } from "./change-self.ts";
import { createSelfDeletion } from "./delete-self.ts";
import type { InvitationCodes } from "./invitation-code.ts";

/** 32 hex characters, as `Authorization` carries them. */
const tokenBytes = 16;

interface AccountRoutesDeps extends ChangeSelfDeps {
  codes: InvitationCodes;
  external: ExternalStore;
}

export function buildAccountRoutes(deps: AccountRoutesDeps): ApiRoute[] {
  const { db, users, codes, external, reauthenticate } = deps;
  const changeSelf = createSelfEditor(deps);
  const deleteAccount = createSelfDeletion(deps);

  const renewAccessToken = async (
    call: AuthenticatedContext,
    reauth: ReauthInput,
  ): Promise<string> => {
    const account = await ownAccount(users, call.principal);
    await reauthenticate(account, reauth, call);
    const token = randomBytes(tokenBytes).toString("hex");
    // `updated_at` stays, or an administrator who is editing this account would have to start
    // again.
    const change = users.update(account.id, {
      access_token_hash: hashSecret(token),
      access_token_created_at: call.now,
      access_token_used_at: null,
    });
    await db.write([change, ...call.audit("user.new_access_token", account.uuid)], {
      changes: ["users"],
    });
    return token;
  };

  /** Ending a way in needs no proof: an owner who fears a leak must be able to act at once. */
  const removeAccessToken = async (call: AuthenticatedContext): Promise<void> => {
    const { id, uuid } = call.principal;
    await db.write([endAccessToken(db, id), ...call.audit("user.remove_access_token", uuid)], {
      changes: ["users"],
    });
  };

  const invitationCode = ({ principal, now, audit }: AuthenticatedContext) =>
    codes.findOrCreate(principal.id, now, () => audit("user.new_invitation_code", principal.uuid));

  return [
    apiRoute(getSelf, async ({ principal }) => {
      const account = await ownAccount(users, principal);
      const bound = new Map(
        (await external.ofUser(account.id)).map((row) => [row.provider, row.external_id]),
      );
      return {
        ...viewUser(account),
        has_password: account.password_hash !== "",
        must_add_second_factor: principal.mustAddSecondFactor,
        access_token:
          account.access_token_hash === null
            ? null
            : {
                created_at: account.access_token_created_at,
                used_at: account.access_token_used_at,
              },
        aff_code: (await codes.find(account.id)) ?? "",
        github_id: bound.get("github") ?? "",
        lark_id: bound.get("lark") ?? "",
        wechat_id: bound.get("wechat") ?? "",
      };
    }),
    apiRoute(updateSelf, (call) => changeSelf(call.body, call)),
    apiRoute(newAccessTokenByGet, (call) => renewAccessToken(call, {})),
    apiRoute(newAccessToken, (call) => renewAccessToken(call, call.body)),
    apiRoute(removeAccessTokenEndpoint, removeAccessToken),
    apiRoute(setLanguage, async ({ principal, body }) => {
      // `updated_at` stays, or an administrator who is editing this account would have to start
      // again.
      await db.write([users.update(principal.id, { language: body.language })]);
    }),
    apiRoute(getInvitationCode, invitationCode),
    apiRoute(getInvitationCodeByPost, invitationCode),
    apiRoute(deleteSelf, (call) => deleteAccount({}, call)),
    apiRoute(deleteSelfByPost, (call) => deleteAccount(call.body, call)),
  ];
}
