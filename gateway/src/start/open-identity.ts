/**
 * Opens accounts: how people sign in, register and prove again who they are, and what they keep
 * about themselves.
 */

import { createBudgetStore } from "../accounts/budgets/budget-store.ts";
import { buildAccountRoutes } from "../accounts/identity/accounts/account-routes.ts";
import { createInvitationCodes } from "../accounts/identity/accounts/invitation-code.ts";
import { createLastingWays } from "../accounts/identity/accounts/lasting-ways.ts";
import { buildTotpRoutes } from "../accounts/identity/accounts/totp-routes.ts";
import { buildAgentRoutes } from "../accounts/identity/agents/agent-routes.ts";
import { createAgentSignInStore } from "../accounts/identity/agents/agent-sign-in-store.ts";
import {
  createStrangerCheck,
  type StrangerCheckDeps,
} from "../accounts/identity/captcha/check-stranger.ts";
import { createEndBinding } from "../accounts/identity/external/end-binding.ts";
import { buildExternalRoutes } from "../accounts/identity/external/external-routes.ts";
import { createExternalStore } from "../accounts/identity/external/external-store.ts";
import type { FetchExternalIdentity } from "../accounts/identity/external/fetch-identity.ts";
import type { OauthProviderUrls } from "../accounts/identity/external/provider-protocols.ts";
import { createLockout } from "../accounts/identity/lockouts/lockout.ts";
import { createLockoutAlarm } from "../accounts/identity/lockouts/lockout-alarm.ts";
import { sourceRules } from "../accounts/identity/lockouts/lockout-rules.ts";
import { createLockoutStore } from "../accounts/identity/lockouts/lockout-store.ts";
import type { OidcClient } from "../accounts/identity/oidc/oidc-client.ts";
import { buildOidcProviderRoutes } from "../accounts/identity/oidc/oidc-provider-routes.ts";
import {
  createOidcProviderStore,
  type LiveOidcProviders,
} from "../accounts/identity/oidc/oidc-provider-store.ts";
import {
  createProviderPeople,
  type ProviderPeople,
} from "../accounts/identity/oidc/provider-people.ts";
import { createProviderSignOut } from "../accounts/identity/oidc/provider-sign-out.ts";
import { buildPasskeyRoutes } from "../accounts/identity/passkeys/passkey-routes.ts";
import { createPasskeyStore } from "../accounts/identity/passkeys/passkey-store.ts";
import type { TeamInvitations } from "../accounts/identity/registration/register-user.ts";
import { buildRegistrationRoutes } from "../accounts/identity/registration/registration-routes.ts";
import { createAddressVerification } from "../accounts/identity/registration/verify-address.ts";
import { createIdentify, createPrincipalOfKey } from "../accounts/identity/sessions/identify.ts";
import { createKnownDevices } from "../accounts/identity/sessions/known-devices.ts";
import { createPasswordGuard } from "../accounts/identity/sessions/password-guard.ts";
import { createReauthenticate } from "../accounts/identity/sessions/reauthenticate.ts";
import { createRootSignInAlarm } from "../accounts/identity/sessions/root-sign-in-alarm.ts";
import {
  defineBrowserCookie,
  defineDeviceCookie,
  defineSessionCookie,
} from "../accounts/identity/sessions/session-cookie.ts";
import { buildSessionRoutes } from "../accounts/identity/sessions/session-routes.ts";
import { createSessionStore } from "../accounts/identity/sessions/session-store.ts";
import { createSecondFactor } from "../accounts/identity/totp/second-factor.ts";
import { createTotpStore } from "../accounts/identity/totp/totp-store.ts";
import { ownAccount } from "../accounts/identity/users/own-account.ts";
import { createUserStore, type UserStore } from "../accounts/identity/users/user-store.ts";
import { buildManagementKeyRoutes } from "../accounts/management-keys/management-key-routes.ts";
import { createManagementKeyStore } from "../accounts/management-keys/management-key-store.ts";
import { createRulingProviders, type RulingProviders } from "../accounts/ruling-providers.ts";
import { hashInvitationCode } from "../accounts/teams/invitation-rules.ts";
import { createInvitationStore } from "../accounts/teams/invitation-store.ts";
import { createFindManagedTeam } from "../accounts/teams/managed-team.ts";
import { createProviderMembershipStore } from "../accounts/teams/provider-membership-store.ts";
import { createProviderMemberships } from "../accounts/teams/provider-memberships.ts";
import { createTeamStore } from "../accounts/teams/team-store.ts";
import { createTokenStore } from "../accounts/tokens/token-store.ts";
import type { ApiRoute } from "../http/api-route.ts";
import { createCriticalLimit } from "../http/critical-limit.ts";
import { findRelyingParty } from "../http/relying-party.ts";
import type { Identify, ProveIdentity } from "../http/request-context.ts";
import { createWorkDemand } from "../http/require-work.ts";
import type { TrustedHeader } from "../http/trusted-header.ts";
import type { Counters } from "../limits/counters.ts";
import { type MailCodeStore, mailCodeStore } from "../notices/mail/mail-code-store.ts";
import { createMailOutbox, type MailOutbox } from "../notices/mail/mail-outbox.ts";
import type { Mailer } from "../notices/mail/mailer.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";

/** `IdentityDeps` are what identity asks of the rest of the gateway. */
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
  /** Derives what renews the keys of programs, on all nodes alike. */
  agentKey: Uint8Array;
  verifyCaptcha: StrangerCheckDeps["verifyCaptcha"];
  onCaptchaFailure: StrangerCheckDeps["onFailure"];
  publicUrl: string | undefined;
  /** `isReadOnly` says whether every change is refused. */
  isReadOnly(): boolean;
  /** Undefined where no reverse proxy signs users in. */
  trustedHeader: TrustedHeader | undefined;
}

export interface IdentityApi {
  routes: ApiRoute[];
  /** `identify` is who makes a call with these headers. */
  identify: Identify;
  proveIdentity: ProveIdentity;
  isAway: ProviderPeople["isAway"];
  ruling: RulingProviders;
  users: UserStore;
  outbox: MailOutbox;
  mailCodes: MailCodeStore;
}

export function openIdentity(deps: IdentityDeps): IdentityApi {
  const { db, options, seal, counters, publicUrl } = deps;
  const hasProxySignIn = deps.trustedHeader !== undefined;
  const cookie = defineSessionCookie(publicUrl);
  const browser = defineBrowserCookie(publicUrl);
  const relyingParty = findRelyingParty(publicUrl);
  const users = createUserStore(db);
  const sessions = createSessionStore(db);
  const factors = createTotpStore(db);
  const locks = createLockoutStore(db);
  const onLocked = createLockoutAlarm(db, counters);
  const secondFactorLockout = createLockout(db, locks, "second-factor", {
    ...sourceRules,
    onLocked,
  });
  const secondFactor = createSecondFactor({
    db,
    store: factors,
    seal,
    counters,
    lockout: secondFactorLockout,
  });
  const critical = createCriticalLimit(counters);
  const work = createWorkDemand({ key: deps.workKey, counters });
  const strangerCheck = createStrangerCheck({ ...deps, work, onFailure: deps.onCaptchaFailure });
  const devices = createKnownDevices(db, defineDeviceCookie(publicUrl));
  const guard = createPasswordGuard({ db, critical, locks, devices, strangerCheck, onLocked });
  const outbox = createMailOutbox({ mailer: deps.mailer, critical, counters, options, publicUrl });
  const codes = createInvitationCodes(db);
  const external = createExternalStore(db);
  const people = createProviderPeople({ external, oidcProviders: deps.oidcProviders });
  const passkeys = createPasskeyStore(db);
  const mailCodes = mailCodeStore(db);
  const teams = createTeamStore(db);
  const invitations = createInvitationStore(db);
  const planMemberships = createProviderMemberships({
    ...{ db, teams, options, store: createProviderMembershipStore(db) },
    ...{ invitations, budgets: createBudgetStore(db) },
  });
  const teamInvitations: TeamInvitations = {
    byLink: (code, now) => invitations.byCode(hashInvitationCode(code), now),
    giveTo: invitations.giveTo,
  };
  const ruling = createRulingProviders(deps.oidcProviders, hasProxySignIn);
  const endBinding = createEndBinding({ db, planMemberships });
  const lastingWays = createLastingWays({ passkeys, external, devices, people, endBinding });
  const reauthenticate = createReauthenticate({ db, sessions, secondFactor, guard });
  const address = createAddressVerification({
    db,
    users,
    codes: mailCodes,
    outbox,
    options,
    critical,
    reauthenticate,
  });
  const issuer = () => options.text("SystemName");
  const managementKeys = createManagementKeyStore(db);
  const principalOfKey = createPrincipalOfKey(sessions, people);
  const identify = createIdentify(
    db,
    sessions,
    cookie,
    managementKeys,
    options,
    people,
    principalOfKey,
  );
  const proveIdentity: ProveIdentity = async (call, proof) =>
    reauthenticate(await ownAccount(users, call.principal), proof, call);
  /** `accountParts` are what every way of signing in needs. */
  const accountParts = { db, users, sessions, options, cookie, browser, publicUrl };
  const noteSignIn = createRootSignInAlarm(db);
  const signInParts = {
    ...accountParts,
    noteSignIn,
    secondFactor,
    devices,
    reauthenticate,
    critical,
    counters,
  };
  const routes: ApiRoute[] = [
    ...buildSessionRoutes({
      ...signInParts,
      guard,
      isPasswordClosed: people.isPasswordClosed,
      signOutAtProvider: createProviderSignOut({ ...deps, sessions, seal }),
    }),
    ...buildExternalRoutes({
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
      planMemberships,
      endBinding,
      outbox,
      isReadOnly: deps.isReadOnly,
    }),
    ...buildOidcProviderRoutes({
      ...signInParts,
      store: createOidcProviderStore(db),
      findTeam: teams.find,
      seal,
      oidcClient: deps.oidcClient,
    }),
    ...buildAccountRoutes({
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
    ...buildRegistrationRoutes({
      strangerCheck,
      db,
      users,
      address,
      codes: mailCodes,
      invitations: codes,
      teamInvitations,
      options,
      seal,
      critical,
      outbox,
      devices,
      passkeys,
      lastingWays,
    }),
    ...buildTotpRoutes({
      db,
      store: factors,
      seal,
      users,
      sessions,
      secondFactor,
      reauthenticate,
      issuer,
    }),
    ...buildPasskeyRoutes({
      ...signInParts,
      passkeys,
      party: relyingParty,
      outbox,
      siteName: issuer,
    }),
    ...buildAgentRoutes({
      ...deps,
      store: createAgentSignInStore(db),
      tokens: createTokenStore(db),
      sessions,
      isAway: people.isAway,
      noteSignIn,
    }),
    ...buildManagementKeyRoutes({
      db,
      keys: managementKeys,
      findTeam: createFindManagedTeam(teams),
      proveIdentity,
      principalOfKey,
    }),
  ];
  return {
    routes,
    identify,
    proveIdentity,
    isAway: people.isAway,
    ruling,
    users,
    outbox,
    mailCodes,
  };
}
