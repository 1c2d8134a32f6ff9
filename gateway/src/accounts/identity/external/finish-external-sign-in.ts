/**
 * Finishes an OAuth flow: opens a session for the owner of the external account, or binds the
 * account to the signed-in user.
 */

import {
  type ExternalProvider,
  proxyAccountProvider,
} from "@tollgate/contract/accounts/external-providers.ts";
import type {
  ExternalAccountProvider,
  finishExternalLink,
  finishExternalTotp,
} from "@tollgate/contract/accounts/external-sign-in.ts";
import { roles, userStatus } from "@tollgate/contract/accounts/roles.ts";
import type { BodyOf } from "@tollgate/contract/api/endpoint.ts";
import { buildMeaning } from "@tollgate/contract/api/errors.ts";
import type { CriticalLimit } from "../../../http/critical-limit.ts";
import { Refusal, refuse } from "../../../http/refusal.ts";
import { buildRefusal } from "../../../http/rejected-writes.ts";
import type { Principal, RequestContext } from "../../../http/request-context.ts";
import type { ProxyUser } from "../../../http/trusted-header.ts";
import { codeLifetimeMs } from "../../../notices/mail/mail-code-rules.ts";
import type { Sealer } from "../../../secrets/seal.ts";
import { readClaimRules } from "../../../settings/claim-rules-option.ts";
import type { OptionReader } from "../../../settings/live-options.ts";
import type { Write } from "../../../storage/database.ts";
import type { PlanProviderMemberships } from "../../teams/provider-memberships.ts";
import type { ProviderPeople } from "../oidc/provider-people.ts";
import { wakeKeys } from "../oidc/rest-keys.ts";
import { createSession, type SignInAlarm } from "../sessions/create-session.ts";
import type { KnownDevices } from "../sessions/known-devices.ts";
import { hashParts, hashSecret, type SessionCookie } from "../sessions/session-cookie.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { SecondFactorCheck } from "../totp/second-factor.ts";
import type { UserAccount } from "../users/user-store.ts";
import { createExternalAccountCreator } from "./create-external-account.ts";
import type { ExternalIdentity } from "./external-rules.ts";
import type { OauthState } from "./external-store.ts";
import type { FetchExternalIdentity } from "./fetch-identity.ts";
import { createLinkByAddress, type LinkByAddressDeps } from "./link-by-address.ts";
import type { OauthFlow, OauthResult } from "./oauth-flow.ts";
import type { OidcSignIn } from "./oidc-sign-in.ts";
import type { FindProviderCredentials } from "./provider-credentials.ts";
import { createProviderStanding } from "./provider-standing.ts";
import { readProxyArrival } from "./proxy-sign-in.ts";
import type { SignInEntitlement } from "./sign-in-entitlement.ts";

export interface ExternalSignInDeps extends LinkByAddressDeps {
  sessions: SessionStore;
  noteSignIn: SignInAlarm;
  oauthFlow: OauthFlow;
  oidc: OidcSignIn;
  options: OptionReader;
  seal: Sealer;
  cookie: SessionCookie;
  secondFactor: SecondFactorCheck;
  devices: KnownDevices;
  providers: { fetchIdentity: FetchExternalIdentity };
  credentialsOf: FindProviderCredentials;
  critical: CriticalLimit;
  people: Pick<ProviderPeople, "isAway">;
  planMemberships: PlanProviderMemberships;
  /** A binding is a change, though the browser comes back with a GET. */
  isReadOnly(): boolean;
}

/** A callback whose user the provider has identified. */
interface IdentifiedCallback {
  provider: ExternalAccountProvider;
  identity: ExternalIdentity;
  /** `entitlement` is that of OpenID Connect and the reverse proxy. */
  entitlement?: SignInEntitlement;
  /** The provider's own name of the session, of OpenID Connect alone. */
  sid?: string | undefined;
  idToken?: string | undefined;
  row: OauthState;
  call: RequestContext;
}

/** `ReturnedCallback` is what the provider sent back with the browser. */
type ReturnedCallback =
  | { provider: ExternalProvider; code: string; state: string }
  | { slug: string; code: string; state: string; issuer: string | undefined }
  | { proxy: ProxyUser | undefined; state: string };

const statusOk = 200;
/** Longer than any provider accepts a proof. */
const proofMemoryMs = 15 * 60_000;

/** `hashCallback` gives what distinguishes one callback of a state from another. */
function hashCallback(returned: ReturnedCallback): string {
  if ("slug" in returned) return hashParts("oidc", returned.slug, returned.code);
  if ("proxy" in returned) return hashParts(proxyAccountProvider, returned.proxy?.name ?? "");
  return hashParts(returned.provider, returned.code);
}

/**
 * The refusal names the claims that were read and never their values: the visitor has no account
 * here yet.
 */
function checkEntitlement(entitlement: SignInEntitlement, isKnown: boolean): void {
  const { verdict, claimNames, isForKnownPeople } = entitlement;
  const isAdmitted = verdict.is_admitted || (verdict.is_overage && isKnown);
  if (!isAdmitted) {
    const { message } = buildMeaning("external_not_entitled");
    throw refuse("external_not_entitled", { message: `${message} (${claimNames.join(", ")})` });
  }
  if (isForKnownPeople && !isKnown) throw refuse("external_registration_off");
}

/**
 * A proxy says nothing of how it recognised the user, so that its word is not enough for the
 * account that may do everything.
 */
function checkRoot(provider: ExternalAccountProvider, { role }: Pick<UserAccount, "role">): void {
  if (provider === proxyAccountProvider && role >= roles.root) throw refuse("proxy_user_is_root");
}

export function createExternalSignIn(deps: ExternalSignInDeps) {
  const {
    db,
    users,
    sessions,
    external,
    oauthFlow,
    options,
    seal,
    cookie,
    secondFactor,
    providers,
    devices,
  } = deps;
  const applyStanding = createProviderStanding(deps);
  const linkByAddress = createLinkByAddress(deps);
  const createAccount = createExternalAccountCreator({ db, users, external, options, seal });

  const identify = async (
    provider: ExternalProvider,
    code: string,
    now: number,
  ): Promise<ExternalIdentity> => {
    const credentials = deps.credentialsOf(provider);
    if (!credentials) throw refuse("external_off");
    const fetched = await providers.fetchIdentity({ provider, code, now, ...credentials });
    if ("identity" in fetched) return fetched.identity;
    if ("silent" in fetched) throw refuse("external_unreachable");
    const { message } = buildMeaning("external_refused");
    throw refuse(
      "external_refused",
      fetched.refused === "" ? {} : { message: `${message} (${fetched.refused})` },
    );
  };

  /**
   * Rejected when the proof of the identity was used before: these providers do not remember that
   * they gave it.
   */
  const spend = ({ provider, identity, call }: IdentifiedCallback): Write[] => {
    if (identity.proof === undefined) return [];
    const hash = hashParts("proof", provider, identity.proof);
    return [sessions.useOnce(hash, call.now + proofMemoryMs, "external_refused")];
  };

  const arrivalOf = async (returned: ReturnedCallback, row: OauthState, now: number) => {
    if ("slug" in returned) return deps.oidc.identify(returned.slug, row, returned);
    if ("proxy" in returned) {
      return readProxyArrival(
        returned.proxy,
        readClaimRules(options.text("TrustedSignInRules")) ?? [],
      );
    }
    return {
      provider: returned.provider,
      identity: await identify(returned.provider, returned.code, now),
    };
  };

  const enabledAccount = async (userId: number): Promise<UserAccount> => {
    const account = await users.byId(userId);
    if (account?.status !== userStatus.enabled) throw refuse("external_user_disabled");
    return account;
  };

  /** Not while another provider that lets keys rest has not seen the person. */
  const wake = async (account: UserAccount, now: number): Promise<void> => {
    if (!(await deps.people.isAway(account, now))) await wakeKeys(db, account.id);
  };

  const askForCode = async (
    { provider, identity, sid, idToken, row, call }: IdentifiedCallback,
    entitlement: SignInEntitlement,
    account: UserAccount,
  ): Promise<OauthResult> => {
    await linkByAddress.mailCode(account, entitlement.title, call);
    const arrival = { provider, identity, entitlement, sid, idToken };
    const result: OauthResult = { kind: "code", userId: account.id, arrival };
    await db.write([
      external.keepUntil(row.state_hash, call.now + codeLifetimeMs),
      oauthFlow.storeResult(row.state_hash, result),
    ]);
    return result;
  };

  const signIn = async (callback: IdentifiedCallback): Promise<OauthResult> => {
    const { provider, identity, entitlement, sid, idToken, row, call } = callback;
    const opener = entitlement && { provider, subject: identity.id, sid, idToken };
    const owner = await external.ownerOf(provider, identity.id);
    const isKnown = owner !== undefined && !owner.isDeleted;
    const addressed =
      entitlement?.linksVerifiedMail && !isKnown
        ? await linkByAddress.find(provider, identity)
        : undefined;
    const receive = async (userId: number): Promise<UserAccount> => {
      const account = await enabledAccount(userId);
      checkRoot(provider, account);
      if (entitlement) await applyStanding(account, provider, entitlement, call);
      return account;
    };
    // What the rules gave ends for those too whom they no longer admit.
    const known = isKnown ? await receive(owner.userId) : undefined;
    if (entitlement) checkEntitlement(entitlement, isKnown || addressed !== undefined);
    if (entitlement && addressed && !linkByAddress.isProved(addressed))
      return await askForCode(callback, entitlement, addressed);
    if (entitlement && addressed)
      await linkByAddress.link(
        addressed,
        { provider, title: entitlement.title, identity, deleted: owner },
        call,
      );
    const account =
      known ?? (await receive(addressed?.id ?? (await createAccount(provider, identity, call))));
    const used = [...spend(callback), external.signedIn(provider, identity.id, call.now)];
    const isProvedTwice = entitlement?.hasSecondFactor === true;
    if (!isProvedTwice && (await secondFactor.of(account.id))) {
      // From now on codes of the second factor may be tried.
      await secondFactor.startChallenge(account, call.now);
      const result: OauthResult = { kind: "totp", userId: account.id, opener };
      await db.write([oauthFlow.storeResult(row.state_hash, result), ...used]);
      return result;
    }
    const opening = { opener, seal };
    const { id, writes } = createSession(deps, account, call, {
      hasSecondFactor: isProvedTwice,
      opening,
    });
    const result: OauthResult = { kind: "session", id };
    const batch = [oauthFlow.storeResult(row.state_hash, result), ...used, ...writes];
    if (isProvedTwice) await db.write(batch);
    else await secondFactor.writeWithoutFactor(account, call.now, batch);
    if (opener) await wake(account, call.now);
    return result;
  };

  const bind = async (callback: IdentifiedCallback, binder: Principal): Promise<OauthResult> => {
    const { provider, identity, row, call } = callback;
    const owner = await external.ownerOf(provider, identity.id);
    if (owner && !owner.isDeleted && owner.userId !== binder.id) throw refuse("external_taken");
    checkRoot(provider, binder);
    const result: OauthResult = { kind: "bound" };
    const batch = [oauthFlow.storeResult(row.state_hash, result), ...spend(callback)];
    if (owner?.userId !== binder.id) {
      const bound = {
        provider,
        external_id: identity.id,
        name: identity.name,
        created_at: call.now,
      };
      const change = { provider, external_id: identity.id };
      batch.push(
        external.bind(bound, binder.uuid, owner),
        ...call.audit("external.bind", binder.uuid, change),
      );
    }
    await db.write(batch);
    return result;
  };

  /**
   * Stores a final result, which every repeat of the callback gets; other failures may be retried.
   */
  const decide = async (row: OauthState, run: () => Promise<OauthResult>): Promise<OauthResult> => {
    try {
      return await run();
    } catch (thrown) {
      const error = buildRefusal(thrown);
      const isDecided =
        error instanceof Refusal &&
        buildMeaning(error.code).status === statusOk &&
        error.code !== "external_unreachable";
      if (!isDecided) throw error;
      const result: OauthResult = { kind: "refused", code: error.code, message: error.message };
      await db.write([oauthFlow.storeResult(row.state_hash, result)]);
      return result;
    }
  };

  const respondWith = async (
    result: OauthResult,
    call: RequestContext,
  ): Promise<UserAccount | undefined> => {
    switch (result.kind) {
      case "bound":
        return undefined;
      case "refused":
        throw refuse(result.code, { message: result.message });
      case "totp":
        throw refuse("totp_required", { data: { totp_required: true } });
      case "code":
        // The provider's address, which its owner knows; nothing of the account here.
        throw refuse("external_code_required", {
          data: { email: result.arrival.identity.email ?? "" },
        });
      case "session": {
        const session = await sessions.find(hashSecret(result.id), call.now);
        // Signed out since, perhaps by the administrator who disabled the account.
        if (!session) throw refuse("oauth_state_invalid");
        const account = await enabledAccount(session.id);
        call.responseHeaders.append("Set-Cookie", cookie.set(result.id));
        await devices.remember(account.id, call);
        return account;
      }
    }
  };

  return {
    /** The signed-in account; undefined when an external account was bound. */
    async finish(
      returned: ReturnedCallback,
      call: RequestContext,
    ): Promise<UserAccount | undefined> {
      await deps.critical.take(call);
      const { state } = returned;
      const isOidc = "slug" in returned;
      // A binding must be finished by the user who started it, and a flow of OpenID Connect by its
      // own provider.
      const isAllowed = ({ bind_user_id, flow_sealed }: OauthState) =>
        (bind_user_id === null || bind_user_id === call.principal?.id) &&
        isOidc === (flow_sealed !== null);
      const result = await oauthFlow.runOnce(
        { state, requestHash: hashCallback(returned) },
        call,
        isAllowed,
        (row) =>
          decide(row, async () => {
            if (row.bind_user_id !== null && deps.isReadOnly()) throw refuse("read_only");
            const callback = { ...(await arrivalOf(returned, row, call.now)), row, call };
            return row.bind_user_id !== null && call.principal
              ? bind(callback, call.principal)
              : signIn(callback);
          }),
      );
      if (result.kind !== "refused") deps.critical.refund(call);
      return respondWith(result, call);
    },

    /**
     * `finishLink` takes the mailed code: the account is linked and the sign-in goes on as one that
     * is known.
     */
    async finishLink(
      body: BodyOf<typeof finishExternalLink>,
      call: RequestContext,
    ): Promise<UserAccount> {
      await deps.critical.take(call);
      const { link, row } = await oauthFlow.pendingLink(body.state, call);
      const { provider, identity, entitlement, sid, idToken } = link.arrival;
      const deleted = await external.ownerOf(provider, identity.id);
      const addressed = { provider, identity, title: entitlement.title, deleted };
      await linkByAddress.linkWithCode(link.userId, addressed, body, call, [
        external.reopen(row, call.now),
      ]);
      const result = await decide(row, () =>
        signIn({ provider, identity, entitlement, sid, idToken, row, call }),
      );
      const account = await respondWith(result, call);
      if (!account) throw refuse("oauth_state_invalid");
      return account;
    },

    async finishTotp(
      body: BodyOf<typeof finishExternalTotp>,
      call: RequestContext,
    ): Promise<UserAccount> {
      await deps.critical.take(call);
      const { userId, opener, consume } = await oauthFlow.challenge(body.state, call);
      const account = await enabledAccount(userId);
      const factor = await secondFactor.of(account.id);
      if (!factor) throw refuse("oauth_state_invalid");
      const opening = { opener, seal };
      const { id, writes } = createSession(deps, account, call, { hasSecondFactor: true, opening });
      await secondFactor.use(account, factor, body, call, [consume, ...writes]);
      if (opener) await wake(account, call.now);
      deps.critical.refund(call);
      call.responseHeaders.append("Set-Cookie", cookie.set(id));
      await devices.remember(account.id, call);
      return account;
    },
  };
}
