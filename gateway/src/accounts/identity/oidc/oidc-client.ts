/**
 * The protocol with an OpenID Connect provider: discovery, the authorization code flow with PKCE,
 * and the verified claims. The library openid-client holds the rules of signatures and tokens; it
 * is loaded by the first sign-in.
 */
import type { OidcTestReport } from "@tollgate/contract/accounts/oidc-providers.ts";
import type { JWTVerifyGetKey } from "jose";
import type { Configuration } from "openid-client";
import { type PrivateHosts, readHostAndPort } from "../../../egress/address-policy.ts";
import { type Egress, EgressBlocked } from "../../../egress/egress.ts";
import { createEgressFetch, type EgressFetch } from "../../../egress/egress-fetch.ts";
import { hashAccessToken } from "./access-token-hash.ts";
import { makeBasicClientAuth } from "./basic-client-auth.ts";
import type { Claims } from "./claim-rules.ts";
import { type LogoutNotice, logoutClockToleranceS, logoutNotice } from "./logout-claims.ts";
import {
  classifyDiscoveryFailure,
  classifyFailure,
  internalServerError,
  listTexts,
  OidcFailure,
  readMessage,
  readRefusalReason,
  readText,
  tooManyRequests,
} from "./oidc-failures.ts";

export interface OidcClientSettings {
  issuer: string;
  clientId: string;
  /** Undefined for a public client. */
  clientSecret: string | undefined;
  /** Space-separated. */
  scopes: string;
}

/** `OidcFlow` is what the state of a sign-in keeps until the callback. */
export interface OidcFlow {
  verifier: string;
  nonce: string;
}

export interface OidcCallback extends OidcFlow {
  redirectUri: string;
  code: string;
  state: string;
  /** The parameter of RFC 9207, by which a provider says whose answer this is. */
  issuer: string | undefined;
}

/**
 * `refused` is final for this code and says why, for the operator alone; after `silent` the same
 * code may still be valid.
 */
export type OidcOutcome =
  | { claims: Claims; idToken: string }
  | { refused: string }
  | { silent: string };

export interface OidcClient {
  /** Throws `OidcFailure` when the provider's document cannot be used. */
  begin(
    settings: OidcClientSettings,
    redirectUri: string,
    state: string,
  ): Promise<OidcFlow & { url: string }>;
  finish(settings: OidcClientSettings, callback: OidcCallback): Promise<OidcOutcome>;
  /** Signature, issuer, audience and claims of a logout token, which a stranger may have sent. */
  verifyLogout(settings: OidcClientSettings, token: string, nowMs: number): Promise<LogoutOutcome>;
  /**
   * The provider's sign-out page; undefined where it names none. Throws `OidcFailure` when its
   * document cannot be used.
   */
  signOutUrl(settings: OidcClientSettings, signOut: OidcSignOut): Promise<string | undefined>;
  test(settings: OidcClientSettings): Promise<OidcTestReport>;
}

export interface OidcSignOut {
  /** The hint of whose session ends; without it the provider asks. */
  idToken: string | undefined;
  /** Registered with the provider as a `post_logout_redirect_uri`. */
  returnTo: string;
}

/** `refused` says why, for the operator alone. */
export type LogoutOutcome = { notice: LogoutNotice } | { refused: string };

const replyBytesMax = 1024 * 1024;
/** Beyond it, an id token that was just issued is not valid yet, or no longer. */
const clockToleranceS = 30;
/**
 * `documentLifetimeMs` says how long a discovery document is used: endpoints move rarely, and one
 * that moved should not need a restart.
 */
const documentLifetimeMs = 10 * 60_000;
const documentsMax = 20;
const keyCooldownMs = 60_000;
/** Asymmetric alone: a shared secret, such as the public key taken for one, proves nothing. */
const logoutAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];

interface OidcClientDeps {
  egress: Egress;
  /** The only hosts that may be asked over plain HTTP. */
  privateHosts: PrivateHosts;
  deadlineMs: number;
  now(): number;
}

export function createOidcClient({
  egress,
  privateHosts,
  deadlineMs,
  now,
}: OidcClientDeps): OidcClient {
  const configurations = new Map<
    string,
    { configuration: Configuration; logoutKeys?: JWTVerifyGetKey; readAt: number }
  >();
  const send = createEgressFetch(egress, { deadlineMs, replyBytesMax });

  const checkAddress = (url: string): void => {
    const violation = egress.violation(url);
    if (violation !== undefined)
      throw new OidcFailure("address", `the address ${url} ${violation}`);
    const { protocol } = new URL(url);
    if (protocol !== "https:" && !privateHosts.has(readHostAndPort(new URL(url))))
      throw new OidcFailure("address", `the address ${url} must begin with https://`);
  };

  /**
   * Every request of the library, so that a document cannot name an endpoint that the issuer could
   * not have.
   */
  const providerFetch: EgressFetch = async (url, request) => {
    checkAddress(url);
    let response: Response;
    try {
      response = await send(url, request);
    } catch (error) {
      const problem = error instanceof EgressBlocked ? "address" : "unreachable";
      throw new OidcFailure(
        problem,
        `${new URL(url).origin} cannot be reached: ${readMessage(error)}`,
        error,
      );
    }
    if (response.status >= internalServerError || response.status === tooManyRequests)
      throw new OidcFailure(
        "unreachable",
        `${new URL(url).origin} answered ${response.status}`,
        response,
      );
    return response;
  };

  const discover = async (
    settings: OidcClientSettings,
    fetch: EgressFetch,
  ): Promise<Configuration> => {
    const client = await import("openid-client");
    const { issuer, clientId, clientSecret } = settings;
    checkAddress(issuer);
    const options = { [client.customFetch]: fetch, execute: [client.allowInsecureRequests] };
    const found = await client
      .discovery(new URL(issuer), clientId, undefined, client.None(), {
        ...options,
        timeout: deadlineMs / 1000,
      })
      .catch((error: unknown) => {
        throw classifyFailure(error) ?? classifyDiscoveryFailure(error, issuer);
      });
    const metadata = { ...found.serverMetadata() };
    if (metadata.issuer !== issuer)
      throw new OidcFailure("issuer", String(metadata.issuer).slice(0, 300));
    for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
      const endpoint: unknown = metadata[name];
      if (typeof endpoint !== "string" || !URL.canParse(endpoint))
        throw new OidcFailure("endpoints", name);
      checkAddress(endpoint);
    }
    const methods: unknown = metadata.token_endpoint_auth_methods_supported;
    // The default of OpenID Connect Discovery, section 3.
    const isBasic = !Array.isArray(methods) || methods.includes("client_secret_basic");
    const withSecret = isBasic ? makeBasicClientAuth : client.ClientSecretPost;
    const configuration = new client.Configuration(
      metadata,
      clientId,
      { [client.clockTolerance]: clockToleranceS },
      clientSecret === undefined ? client.None() : withSecret(clientSecret),
    );
    configuration[client.customFetch] = fetch;
    configuration.timeout = deadlineMs / 1000;
    // The address policy above decides about plain HTTP.
    client.allowInsecureRequests(configuration);
    // Id tokens are trusted by their signature, not by the connection that brought them.
    client.enableNonRepudiationChecks(configuration);
    return configuration;
  };

  const keyOf = ({ issuer, clientId, clientSecret }: OidcClientSettings) =>
    JSON.stringify([issuer, clientId, clientSecret]);

  const configurationOf = async (settings: OidcClientSettings): Promise<Configuration> => {
    const key = keyOf(settings);
    const known = configurations.get(key);
    if (known && now() - known.readAt < documentLifetimeMs) return known.configuration;
    const configuration = await discover(settings, providerFetch);
    configurations.delete(key);
    for (const oldest of configurations.keys()) {
      if (configurations.size < documentsMax) break;
      configurations.delete(oldest);
    }
    configurations.set(key, { configuration, readAt: now() });
    return configuration;
  };

  const exchange = async (
    settings: OidcClientSettings,
    callback: OidcCallback,
  ): Promise<OidcOutcome> => {
    const configuration = await configurationOf(settings);
    const client = await import("openid-client");
    const url = new URL(callback.redirectUri);
    url.searchParams.set("code", callback.code);
    url.searchParams.set("state", callback.state);
    if (callback.issuer !== undefined) url.searchParams.set("iss", callback.issuer);
    const tokens = await client.authorizationCodeGrant(configuration, url, {
      pkceCodeVerifier: callback.verifier,
      expectedNonce: callback.nonce,
      expectedState: callback.state,
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    if (!claims || tokens.id_token === undefined)
      return { refused: "the provider sent no id token" };
    const expectedHash = hashAccessToken(tokens.access_token, readAlgorithm(tokens.id_token));
    if (claims.at_hash !== undefined && claims.at_hash !== expectedHash)
      return { refused: "at_hash does not match" };
    if (configuration.serverMetadata().userinfo_endpoint === undefined)
      return { claims, idToken: tokens.id_token };
    // Many providers send groups and addresses there alone. The library demands the same `sub`.
    const info = await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    return { claims: { ...info, ...claims }, idToken: tokens.id_token };
  };

  /**
   * The provider's keys for logout tokens, read again at most once a minute for a key that is not
   * among them.
   */
  const logoutKeysOf = async (settings: OidcClientSettings): Promise<JWTVerifyGetKey> => {
    const configuration = await configurationOf(settings);
    const known = configurations.get(keyOf(settings));
    if (known?.logoutKeys) return known.logoutKeys;
    const { createRemoteJWKSet, customFetch } = await import("jose");
    const keys = createRemoteJWKSet(new URL(String(configuration.serverMetadata().jwks_uri)), {
      [customFetch]: providerFetch,
      cooldownDuration: keyCooldownMs,
      timeoutDuration: deadlineMs,
    });
    if (known) known.logoutKeys = keys;
    return keys;
  };

  return {
    async verifyLogout(settings, token, nowMs) {
      try {
        const { jwtVerify } = await import("jose");
        const { payload, protectedHeader } = await jwtVerify(token, await logoutKeysOf(settings), {
          issuer: settings.issuer,
          audience: settings.clientId,
          algorithms: logoutAlgorithms,
          clockTolerance: logoutClockToleranceS,
          currentDate: new Date(nowMs),
        });
        // A token of another kind, such as an access token, says so in its type.
        const type = (protectedHeader.typ ?? "jwt").toLowerCase();
        if (type !== "jwt" && type !== "logout+jwt")
          return { refused: "its type is not that of a logout token" };
        const notice = logoutNotice(payload, Math.floor(nowMs / 1000));
        return typeof notice === "string" ? { refused: notice } : { notice };
      } catch (error) {
        return { refused: (classifyFailure(error)?.message ?? readMessage(error)).slice(0, 500) };
      }
    },

    async begin(settings, redirectUri, state) {
      const configuration = await configurationOf(settings);
      const client = await import("openid-client");
      const flow = { verifier: client.randomPKCECodeVerifier(), nonce: client.randomNonce() };
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: settings.scopes,
        state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: "S256",
      });
      return { ...flow, url: url.href };
    },

    async signOutUrl(settings, { idToken, returnTo }) {
      const configuration = await configurationOf(settings);
      const { end_session_endpoint: endpoint } = configuration.serverMetadata();
      if (endpoint === undefined) return undefined;
      checkAddress(endpoint);
      const client = await import("openid-client");
      const hint = idToken === undefined ? {} : { id_token_hint: idToken };
      return client.buildEndSessionUrl(configuration, {
        post_logout_redirect_uri: returnTo,
        ...hint,
      }).href;
    },

    async finish(settings, callback) {
      try {
        return await exchange(settings, callback);
      } catch (error) {
        const failure = classifyFailure(error);
        return failure ? { silent: failure.message } : { refused: readRefusalReason(error) };
      }
    },

    async test(settings) {
      const report: OidcTestReport = {
        problem: null,
        detail: "",
        authorization_endpoint: "",
        token_endpoint: "",
        end_session_endpoint: "",
        algorithms: [],
        scopes: [],
        announces_pkce: false,
        clock_ahead_s: null,
      };
      const watchedFetch: EgressFetch = async (url, request) => {
        const response = await providerFetch(url, request);
        const date = Date.parse(response.headers.get("date") ?? "");
        if (Number.isFinite(date)) report.clock_ahead_s ??= Math.round((date - now()) / 1000);
        return response;
      };
      try {
        const configuration = await discover(settings, watchedFetch);
        const metadata: Record<string, unknown> = { ...configuration.serverMetadata() };
        report.authorization_endpoint = readText(metadata.authorization_endpoint);
        report.token_endpoint = readText(metadata.token_endpoint);
        report.end_session_endpoint = readText(metadata.end_session_endpoint);
        report.algorithms = listTexts(metadata.id_token_signing_alg_values_supported);
        report.scopes = listTexts(metadata.scopes_supported);
        report.announces_pkce = listTexts(metadata.code_challenge_methods_supported).includes(
          "S256",
        );
        await tryClient(configuration);
      } catch (error) {
        const failure =
          error instanceof OidcFailure ? error : (classifyFailure(error) ?? undefined);
        report.problem = failure?.problem ?? "unreachable";
        report.detail = (failure?.message ?? readMessage(error)).slice(0, 500);
      }
      return report;
    },
  };
}

/**
 * Presents a code that cannot exist: a provider that knows the client refuses the code, any other
 * refuses the client.
 */
async function tryClient(configuration: Configuration): Promise<void> {
  const client = await import("openid-client");
  try {
    await client.genericGrantRequest(configuration, "authorization_code", {
      code: "a-code-that-does-not-exist",
      redirect_uri: "https://localhost/",
      code_verifier: client.randomPKCECodeVerifier(),
    });
  } catch (error) {
    const failure = classifyFailure(error);
    // Some providers, canaille among them, answer a wrong secret with an error of their own.
    const isAnswered =
      failure?.cause instanceof Response && failure.cause.status >= internalServerError;
    if (isAnswered) throw new OidcFailure("client", failure.message, error);
    if (failure) throw failure;
    const reason = error instanceof client.ResponseBodyError ? error.error : "";
    const isUnknown = ["invalid_client", "unauthorized_client"].includes(reason);
    if (isUnknown || error instanceof client.WWWAuthenticateChallengeError)
      throw new OidcFailure("client", reason || "invalid_client", error);
  }
}

/** `readAlgorithm` is about an id token whose signature the library has verified. */
function readAlgorithm(idToken: string): string {
  const header: unknown = JSON.parse(
    Buffer.from(idToken.split(".")[0] ?? "", "base64url").toString(),
  );
  return String((header as { alg?: unknown }).alg);
}
