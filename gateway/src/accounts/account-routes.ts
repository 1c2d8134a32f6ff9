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
import { answer, type Route } from "../http/answer.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import type { ProveRecently } from "../sessions/recent-proof.ts";
import { hashOf } from "../sessions/session-cookie.ts";
import type { Database, Write } from "../storage/database.ts";
import type { UserStore } from "../users/user-store.ts";
import { deleteSelfWith } from "./delete-self.ts";
import type { InvitationCodes } from "./invitation-code.ts";

/** 32 hex characters, as `Authorization` carries them. */
const tokenBytes = 16;

interface Parts {
  db: Database;
  users: UserStore;
  codes: InvitationCodes;
  prove: ProveRecently;
}

type Call = Circumstances & { caller: Caller };

export function accountRoutes(parts: Parts): Route[] {
  const { db, users, codes, prove } = parts;
  const leave = deleteSelfWith(parts);
  const told = ({ caller, now, address }: Call, action: string): Write[] =>
    db.audit({ at: now, actorId: caller.id, address, action, target: caller.uuid, change: {} });

  const renew = async (call: Call, shown: Parameters<ProveRecently>[1]): Promise<string> => {
    const account = await users.byId(call.caller.id);
    if (!account) throw refuse("not_logged_in");
    await prove(account, shown, call);
    const token = randomBytes(tokenBytes).toString("hex");
    // `updated_at` stays: an administrator who is editing this account is not to start over for it.
    const change = users.update(account.id, { access_token_hash: hashOf(token) });
    await db.write([change, ...told(call, "user.new_access_token")], { changes: ["users"] });
    return token;
  };

  const invitationCode = (call: Call) =>
    codes.of(call.caller.id, call.now, () => told(call, "user.new_invitation_code"));

  return [
    answer(newAccessTokenByGet, (call) => renew(call, {})),
    answer(newAccessToken, (call) => renew(call, call.body)),
    answer(getInvitationCode, invitationCode),
    answer(getInvitationCodeByPost, invitationCode),
    answer(deleteSelf, (call) => leave({}, call)),
    answer(deleteSelfByPost, (call) => leave(call.body, call)),
  ];
}
