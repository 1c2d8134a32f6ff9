/**
 * Passkeys: signing in with one, confirming one's identity with one, and the list of a user's own.
 */
import {
  beginPasskeyLogin,
  beginPasskeyProof,
  beginPasskeyRegistration,
  finishPasskeyLogin,
  finishPasskeyProof,
  finishPasskeyRegistration,
  listPasskeys,
  type PresentedCredential,
  removePasskey,
  removePasskeyByPost,
  renamePasskey,
} from "@tollgate/contract/accounts/passkeys.ts";
import { type ApiRoute, apiRoute } from "../../../http/api-route.ts";
import type { CriticalLimit } from "../../../http/critical-limit.ts";
import { hashSession, type RequestContext } from "../../../http/request-context.ts";
import type { Write } from "../../../storage/database.ts";
import { createSession, type SignInAlarm } from "../sessions/create-session.ts";
import type { KnownDevices } from "../sessions/known-devices.ts";
import type { SessionCookie } from "../sessions/session-cookie.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { UserAccount } from "../users/user-store.ts";
import { viewUser } from "../users/user-view.ts";
import {
  buildDescriptor,
  type ChangePasskeysDeps,
  createPasskeyEditor,
  viewPasskey,
} from "./change-passkeys.ts";
import { type CheckPasskeyDeps, createPasskeyCheck } from "./check-passkey.ts";
import {
  challengeLifetimeMs,
  createPasskeyChallenges,
  type PasskeyChallengeDeps,
} from "./passkey-challenges.ts";

type PasskeyRoutesDeps = Omit<ChangePasskeysDeps, "challenges"> &
  CheckPasskeyDeps &
  PasskeyChallengeDeps & {
    sessions: SessionStore;
    noteSignIn: SignInAlarm;
    cookie: SessionCookie;
    devices: KnownDevices;
    critical: CriticalLimit;
  };

export function buildPasskeyRoutes(deps: PasskeyRoutesDeps): ApiRoute[] {
  const { passkeys, sessions, cookie, devices, critical } = deps;
  const challenges = createPasskeyChallenges(deps);
  const change = createPasskeyEditor({ ...deps, challenges });
  const checkPasskey = createPasskeyCheck(deps);

  const requestOptions = (
    challenge: string,
    allowCredentials: ReturnType<typeof buildDescriptor>[],
  ) => ({
    publicKey: {
      challenge,
      timeout: challengeLifetimeMs,
      rpId: challenges.requireParty().id,
      allowCredentials,
      userVerification: "required" as const,
    },
  });

  /** Attempts are limited as at any sign-in; those that succeed are given back. */
  const present = async (
    credential: PresentedCredential,
    purpose: "sign_in" | "proof",
    call: RequestContext,
    writes: (account: UserAccount) => readonly Write[],
  ): Promise<UserAccount> => {
    await critical.take(call);
    const challenge = await challenges.take(credential.response.clientDataJSON, purpose, call);
    const account = await checkPasskey(credential, challenge, call, writes);
    critical.refund(call);
    return account;
  };

  return [
    apiRoute(beginPasskeyLogin, async (call) => {
      const subject = { purpose: "sign_in", user_id: null, user_handle: null } as const;
      // The device itself knows its passkeys: a list here would tell strangers which accounts
      // exist.
      return requestOptions(await challenges.begin(subject, call), []);
    }),
    apiRoute(finishPasskeyLogin, async (call) => {
      let sessionId = "";
      const account = await present(call.body, "sign_in", call, (owner) => {
        const { id, writes } = createSession(deps, owner, call, { hasSecondFactor: true });
        sessionId = id;
        return writes;
      });
      call.responseHeaders.append("Set-Cookie", cookie.set(sessionId));
      await devices.remember(account.id, call);
      return viewUser(account);
    }),
    apiRoute(listPasskeys, async ({ principal }) =>
      (await passkeys.ofUser(principal.id)).map((row) => viewPasskey(row, principal.uuid)),
    ),
    apiRoute(beginPasskeyRegistration, (call) => change.begin(call.body, call)),
    apiRoute(finishPasskeyRegistration, (call) => change.finish(call.query.name, call.body, call)),
    apiRoute(beginPasskeyProof, async (call) => {
      const { id } = call.principal;
      const known = await passkeys.ofUser(id);
      const subject = { purpose: "proof", user_id: id, user_handle: null } as const;
      return requestOptions(await challenges.begin(subject, call), known.map(buildDescriptor));
    }),
    apiRoute(finishPasskeyProof, async (call) => {
      await present(call.body, "proof", call, () => [
        sessions.markAuthenticated(hashSession(call.principal), call.now),
        sessions.markSecondFactor(hashSession(call.principal)),
      ]);
    }),
    apiRoute(renamePasskey, (call) => change.rename(call.params.id, call.body, call)),
    apiRoute(removePasskey, (call) => change.remove(call.params.id, {}, call)),
    apiRoute(removePasskeyByPost, (call) => change.remove(call.params.id, call.body, call)),
  ];
}
