/** Opens accounts: how people sign in, register and prove again who they are, and what they keep about themselves. */

import { createLockoutAlarm } from "./alerts/lockout-alarm.ts";
import { createRootSignInAlarm } from "./alerts/root-sign-in-alarm.ts";
import type { ApiRoute } from "./http/api-route.ts";
import { createCriticalLimit } from "./http/critical-limit.ts";
import { relyingPartyOf } from "./http/relying-party.ts";
import type { Identify, ProveIdentity } from "./http/request-context.ts";
import { createWorkDemand } from "./http/require-work.ts";
import type { TrustedHeader } from "./http/trusted-header.ts";
import { accountRoutes } from "./identity/accounts/account-routes.ts";
import { createInvitationCodes } from "./identity/accounts/invitation-code.ts";
import { createLastingWays } from "./identity/accounts/lasting-ways.ts";
import { totpRoutes } from "./identity/accounts/totp-routes.ts";
import { createStrangerCheck, type StrangerCheckDeps } from "./identity/captcha/check-stranger.ts";
import { externalRoutes } from "./identity/external/external-routes.ts";
import { externalStore } from "./identity/external/external-store.ts";
import type { FetchExternalIdentity } from "./identity/external/fetch-identity.ts";
import type { OauthProviderUrls } from "./identity/external/provider-protocols.ts";
import { createLockout } from "./identity/lockouts/lockout.ts";
import { sourceRules } from "./identity/lockouts/lockout-rules.ts";
import { lockoutStore } from "./identity/lockouts/lockout-store.ts";
import type { OidcClient } from "./identity/oidc/oidc-client.ts";
import { oidcProviderRoutes } from "./identity/oidc/oidc-provider-routes.ts";
import { type LiveOidcProviders, oidcProviderStore } from "./identity/oidc/oidc-provider-store.ts";
import { createProviderPeople, type ProviderPeople } from "./identity/oidc/provider-people.ts";
import { createProviderSignOut } from "./identity/oidc/provider-sign-out.ts";
import { passkeyRoutes } from "./identity/passkeys/passkey-routes.ts";
import { passkeyStore } from "./identity/passkeys/passkey-store.ts";
import { registrationRoutes } from "./identity/registration/registration-routes.ts";
import { createAddressVerification } from "./identity/registration/verify-address.ts";
import { createIdentify, createPrincipalOfKey } from "./identity/sessions/identify.ts";
import { createKnownDevices } from "./identity/sessions/known-devices.ts";
import { createPasswordGuard } from "./identity/sessions/password-guard.ts";
import { createReauthenticate } from "./identity/sessions/reauthenticate.ts";
import { browserCookie, deviceCookie, sessionCookie } from "./identity/sessions/session-cookie.ts";
import { sessionRoutes } from "./identity/sessions/session-routes.ts";
import { sessionStore } from "./identity/sessions/session-store.ts";
import { createSecondFactor } from "./identity/totp/second-factor.ts";
import { totpStore } from "./identity/totp/totp-store.ts";
import { ownAccount } from "./identity/users/own-account.ts";
import { type UserStore, userStore } from "./identity/users/user-store.ts";
import type { Counters } from "./limits/counters.ts";
import { type MailCodeStore, mailCodeStore } from "./mail/mail-code-store.ts";
import { createMailOutbox, type MailOutbox } from "./mail/mail-outbox.ts";
import type { Mailer } from "./mail/mailer.ts";
import { managementKeyRoutes } from "./management-keys/management-key-routes.ts";
import { managementKeyStore } from "./management-keys/management-key-store.ts";
import type { Sealer } from "./secrets/seal.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";

/** What identity asks of the rest of the gateway. */
export interface IdentityDeps {
  db: Database;
  options: OptionReader;
  seal: Sealer;
  mailer: Mailer;
  counters: Counters;
  /** The addresses of the external sign-in providers, and the call that identifies a user there. */
  providers: { urls: OauthProviderUrls; fetchIdentity: FetchExternalIdentity };
  oidcClient: OidcClient;
  oidcProviders: LiveOidcProviders;
  onOidcFailure(slug: string, reason: string): void;
  /** Signs challenges for proof of work, on all nodes alike. */
  workKey: Uint8Array;
  verifyCaptcha: StrangerCheckDeps["verifyCaptcha"];
  onCaptchaFailure: StrangerCheckDeps["onFailure"];
  publicUrl: string | undefined;
  /** Whether every change is refused. */
  isReadOnly(): boolean;
  /** Undefined where no reverse proxy signs users in. */
  trustedHeader: TrustedHeader | undefined;
}

export interface IdentityApi {
  routes: ApiRoute[];
  /** Who makes a call with these headers. */
  identify: Identify;
  proveIdentity: ProveIdentity;
  isAway: ProviderPeople["isAway"];
  users: UserStore;
  outbox: MailOutbox;
  mailCodes: MailCodeStore;
}

export function openIdentity(deps: IdentityDeps): IdentityApi {
  const { db, options, seal, counters, publicUrl } = deps;
  const hasProxySignIn = deps.trustedHeader !== undefined;
  const cookie = sessionCookie(publicUrl);
  const browser = browserCookie(publicUrl);
  const relyingParty = relyingPartyOf(publicUrl);
  const users = userStore(db);
  const sessions = sessionStore(db);
  const factors = totpStore(db);
  const locks = lockoutStore(db);
  const onLocked = createLockoutAlarm(db, counters);
  const secondFactorLockout = createLockout(db, locks, "second-factor", { ...sourceRules, onLocked });
  const secondFactor = createSecondFactor({ db, store: factors, seal, counters, lockout: secondFactorLockout });
  const critical = createCriticalLimit(counters);
  const work = createWorkDemand({ key: deps.workKey, counters });
  const strangerCheck = createStrangerCheck({ ...deps, work, onFailure: deps.onCaptchaFailure });
  const devices = createKnownDevices(db, deviceCookie(publicUrl));
  const guard = createPasswordGuard({ db, critical, locks, devices, strangerCheck, onLocked });
  const outbox = createMailOutbox({ mailer: deps.mailer, critical, counters, options, publicUrl });
  const codes = createInvitationCodes(db);
  const external = externalStore(db);
  const people = createProviderPeople({ external, oidcProviders: deps.oidcProviders });
  const passkeys = passkeyStore(db);
  const mailCodes = mailCodeStore(db);
  const lastingWays = createLastingWays({ passkeys, external, devices, people });
  const reauthenticate = createReauthenticate({ db, sessions, secondFactor, guard });
  const address = createAddressVerification({ db, users, codes: mailCodes, outbox, options, critical, reauthenticate });
  const issuer = () => options.text("SystemName");
  const managementKeys = managementKeyStore(db);
  const principalOfKey = createPrincipalOfKey(sessions, people);
  const identify = createIdentify(db, sessions, cookie, managementKeys, options, people, principalOfKey);
  const proveIdentity: ProveIdentity = async (call, proof) =>
    reauthenticate(await ownAccount(users, call.principal), proof, call);
  /** What every way of signing in needs. */
  const accountParts = { db, users, sessions, options, cookie, browser, publicUrl };
  const noteSignIn = createRootSignInAlarm(db);
  const signInParts = { ...accountParts, noteSignIn, secondFactor, devices, reauthenticate, critical, counters };
  const routes: ApiRoute[] = [
    ...sessionRoutes({
      ...signInParts,
      guard,
      isPasswordClosed: people.isPasswordClosed,
      signOutAtProvider: createProviderSignOut({ ...deps, sessions, seal }),
    }),
    ...externalRoutes({
      ...signInParts,
      external,
      mailCodes,
      lastingWays,
      seal,
      providers: deps.providers,
      oidcClient: deps.oidcClient,
      oidcProviders: deps.oidcProviders,
      onOidcFailure: deps.onOidcFailure,
      hasProxySignIn,
      people,
      outbox,
      isReadOnly: deps.isReadOnly,
    }),
    ...oidcProviderRoutes({
      ...signInParts,
      store: oidcProviderStore(db),
      seal,
      oidcClient: deps.oidcClient,
    }),
    ...accountRoutes({
      db,
      users,
      sessions,
      options,
      reauthenticate,
      guard,
      codes,
      external,
      address,
      outbox,
      passkeys,
    }),
    ...registrationRoutes({
      strangerCheck,
      db,
      users,
      address,
      codes: mailCodes,
      invitations: codes,
      options,
      seal,
      critical,
      outbox,
      devices,
      passkeys,
      lastingWays,
    }),
    ...totpRoutes({ db, store: factors, seal, users, sessions, secondFactor, reauthenticate, issuer }),
    ...passkeyRoutes({
      ...signInParts,
      passkeys,
      party: relyingParty,
      outbox,
      siteName: issuer,
    }),
    ...managementKeyRoutes({
      db,
      keys: managementKeys,
      proveIdentity,
      principalOfKey,
    }),
  ];
  return { routes, identify, proveIdentity, isAway: people.isAway, users, outbox, mailCodes };
}
