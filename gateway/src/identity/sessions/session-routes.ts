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
import { type ApiRoute, apiRoute } from "../../http/api-route.ts";
import { refuse } from "../../http/refusal.ts";
import type { RequestContext } from "../../http/request-context.ts";
import { createSelfEditor } from "../accounts/change-self.ts";
import type { InvitationCodes } from "../accounts/invitation-code.ts";
import type { ExternalStore } from "../external/external-store.ts";
import { viewUser } from "../users/user-view.ts";
import type { PasswordGuard } from "./password-guard.ts";
import type { Reauthenticate } from "./reauthenticate.ts";
import { createSessionList } from "./session-list.ts";
import { createSignIn, type SignInDeps } from "./sign-in.ts";

interface SessionRoutesDeps extends SignInDeps {
  prove: Reauthenticate;
  codes: InvitationCodes;
  external: ExternalStore;
}

export function sessionRoutes(deps: SessionRoutesDeps, guard: PasswordGuard): ApiRoute[] {
  const { db, users, sessions, cookie, codes, external } = deps;
  const signIn = createSignIn(deps, guard);
  const changeSelf = createSelfEditor(deps, guard);
  const ownSessions = createSessionList(db, sessions);

  const signOut = async ({ principal, responseHeaders }: RequestContext) => {
    responseHeaders.append("Set-Cookie", cookie.clear());
    // Without a session there was no proof either, so a picture on a foreign page could be asking.
    if (principal?.proof.by !== "cookie") return;
    const { sessionHash } = principal.proof;
    await db.write([sessions.end(sessionHash)], { changes: await sessions.changedWith([sessionHash]) });
    // Cookies only: theme and language live in local storage and survive.
    responseHeaders.set("Clear-Site-Data", '"cookies"');
  };

  return [
    apiRoute(login, async (call) => viewUser(await signIn(call.body, call))),
    apiRoute(logoutByGet, signOut),
    apiRoute(logout, signOut),
    apiRoute(getSelf, async ({ principal }) => {
      const account = await users.byId(principal.id);
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
    apiRoute(updateSelf, (call) => changeSelf(call.body, call)),
    apiRoute(listSessions, (call) => ownSessions.list(call)),
    apiRoute(endSession, (call) => ownSessions.end(call.params.id, call)),
    apiRoute(endOtherSessions, (call) => ownSessions.endOthers(call)),
  ];
}
