/** Signing in, signing out, and one's own account. */
import {
  endOtherSessions,
  endSession,
  getSelf,
  listSessions,
  login,
  logout,
  logoutByGet,
  updateSelf,
} from "@tollgate/contract/sessions.ts";
import type { InvitationCodes } from "../accounts/invitation-code.ts";
import type { ExternalStore } from "../external/external-store.ts";
import { answer, type Route } from "../http/answer.ts";
import type { Caller, Circumstances } from "../http/caller.ts";
import { refuse } from "../http/refusal.ts";
import { viewUser } from "../users/user-view.ts";
import { changeSelfWith } from "./change-self.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { ProveRecently } from "./recent-proof.ts";
import { sessionListWith } from "./session-list.ts";
import { type SignInParts, signInWith } from "./sign-in.ts";

interface SessionParts extends SignInParts {
  prove: ProveRecently;
  codes: InvitationCodes;
  external: ExternalStore;
}

export function sessionRoutes(parts: SessionParts, guard: PasswordGuard): Route[] {
  const { db, users, sessions, cookie, codes, external } = parts;
  const signIn = signInWith(parts, guard);
  const changeSelf = changeSelfWith(parts, guard);
  const mine = sessionListWith(db, sessions);

  const signOut = async ({ caller, reply }: Circumstances & { caller: Caller | undefined }) => {
    reply.append("Set-Cookie", cookie.clear());
    // Without a session there was no proof either, so a picture on a foreign page could be asking.
    if (caller?.proof.by !== "cookie") return;
    const { sessionHash } = caller.proof;
    await db.write([sessions.end(sessionHash)], { changes: await sessions.changedWith([sessionHash]) });
    // Cookies only: theme and language live in local storage and survive.
    reply.set("Clear-Site-Data", '"cookies"');
  };

  return [
    answer(login, async (call) => viewUser(await signIn(call.body, call))),
    answer(logoutByGet, signOut),
    answer(logout, signOut),
    answer(getSelf, async ({ caller }) => {
      const account = await users.byId(caller.id);
      if (!account) throw refuse("not_logged_in");
      const bound = new Map((await external.ofUser(account.id)).map((row) => [row.provider, row.external_id]));
      return {
        ...viewUser(account),
        has_password: account.password_hash !== "",
        aff_code: (await codes.find(account.id)) ?? "",
        github_id: bound.get("github") ?? "",
        lark_id: bound.get("lark") ?? "",
      };
    }),
    answer(updateSelf, (call) => changeSelf(call.body, call)),
    answer(listSessions, (call) => mine.list(call)),
    answer(endSession, (call) => mine.end(call.params.id, call)),
    answer(endOtherSessions, (call) => mine.endOthers(call)),
  ];
}
