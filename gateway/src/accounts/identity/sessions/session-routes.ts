/** Signing in, signing out, and the list of a user's own sessions. */
import {
  endOtherSessions,
  endSession,
  listSessions,
  login,
  logout,
  logoutByGet,
} from "@tollgate/contract/accounts/sessions.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import type { RequestContext } from "../../../http/request-context.ts";
import type { ProviderSignOut } from "../oidc/provider-sign-out.ts";
import { viewUser } from "../users/user-view.ts";
import { createSessionList } from "./session-list.ts";
import { createSignIn, type SignInDeps } from "./sign-in.ts";

interface SessionRoutesDeps extends SignInDeps {
  signOutAtProvider: ProviderSignOut;
}

export function buildSessionRoutes(deps: SessionRoutesDeps): ApiRoute[] {
  const { db, sessions, cookie, signOutAtProvider } = deps;
  const signIn = createSignIn(deps);
  const ownSessions = createSessionList(db, sessions);

  const signOut = async ({ principal, responseHeaders }: RequestContext) => {
    responseHeaders.append("Set-Cookie", cookie.clear());
    // Without a cookie there was no CSRF check either, so an image on another site could have sent
    // this request.
    if (principal?.credential.kind !== "cookie") return { data: undefined };
    const { sessionHash } = principal.credential;
    const finish = await signOutAtProvider(sessionHash);
    // Not `Clear-Site-Data`, which would also take the cookie by which the account recognises this
    // browser.
    await db.write([sessions.end(sessionHash)], {
      changes: await sessions.changedWith([sessionHash]),
    });
    return { data: undefined, logout_url: await finish() };
  };

  return [
    apiRoute(login, async (call) => viewUser(await signIn(call.body, call))),
    apiRoute(logoutByGet, signOut),
    apiRoute(logout, signOut),
    apiRoute(listSessions, (call) => ownSessions.list(call)),
    apiRoute(endSession, (call) => ownSessions.end(call.params.id, call)),
    apiRoute(endOtherSessions, (call) => ownSessions.endOthers(call)),
  ];
}
