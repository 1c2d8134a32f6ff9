/**
 * Sign-in with Google, as its reference documents it
 * (developers.google.com/identity/openid-connect/reference): the document at its address, endpoints
 * on four hosts, `hd` for people of a Workspace, `email_verified`. What only the real provider
 * could show is its page.
 */

import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { Readable } from "node:stream";
import type { ClaimRule } from "@tollgate/contract/accounts/oidc-providers.ts";
import { readOidcIdentity } from "@tollgate/gateway/accounts/identity/external/oidc-identity.ts";
import {
  type Claims,
  evaluateClaimRules,
} from "@tollgate/gateway/accounts/identity/oidc/claim-rules.ts";
import { createOidcClient } from "@tollgate/gateway/accounts/identity/oidc/oidc-client.ts";
import { findUrlViolation } from "@tollgate/gateway/egress/address-policy.ts";
import type { Egress } from "@tollgate/gateway/egress/egress.ts";
import { describe, expect, test } from "vitest";
import { oidcPresets } from "../../../console/src/features/settings/identity-providers/oidc-presets.ts";

const google = oidcPresets.find(({ slug }) => slug === "google");
const client = { clientId: "123-abc.apps.googleusercontent.com", clientSecret: "GOCSPX-secret" };
const redirectUri = "https://ai.example.com/oauth/oidc/google";
const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
const kid = "c8ab71530972bba20b49f78a09c9852c43ff9118";

const document = {
  issuer: "https://accounts.google.com",
  authorization_endpoint: "https://accounts.google.com/o/oauth2/v2/auth",
  device_authorization_endpoint: "https://oauth2.googleapis.com/device/code",
  token_endpoint: "https://oauth2.googleapis.com/token",
  userinfo_endpoint: "https://openidconnect.googleapis.com/v1/userinfo",
  revocation_endpoint: "https://oauth2.googleapis.com/revoke",
  jwks_uri: "https://www.googleapis.com/oauth2/v3/certs",
  response_types_supported: ["code", "token", "id_token", "code token", "code id_token", "none"],
  response_modes_supported: ["query", "fragment", "form_post"],
  authorization_response_iss_parameter_supported: true,
  subject_types_supported: ["public"],
  id_token_signing_alg_values_supported: ["RS256"],
  scopes_supported: ["openid", "email", "profile"],
  token_endpoint_auth_methods_supported: ["client_secret_post", "client_secret_basic"],
  claims_supported: [
    "aud",
    "email",
    "email_verified",
    "exp",
    "family_name",
    "given_name",
    "iat",
    "iss",
    "name",
    "picture",
    "sub",
  ],
  code_challenge_methods_supported: ["plain", "S256"],
};

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");

function idTokenOf(claims: Claims): string {
  const text = `${encoded({ alg: "RS256", kid, typ: "JWT" })}.${encoded(claims)}`;
  return `${text}.${sign("sha256", Buffer.from(text), privateKey).toString("base64url")}`;
}

/**
 * `signInAtGoogle` gives what Google says of a person, and the sign-in that this server makes of
 * it.
 */
async function signInAtGoogle(person: Claims, idTokenClaims: Claims = {}) {
  const accessToken = "ya29.a0AfH6SM";
  let nonce = "";
  let challenge = "";
  const asked: string[] = [];
  const answer = (url: URL, headers: Headers, body: string): [number, unknown] => {
    asked.push(url.href);
    switch (url.href) {
      case "https://accounts.google.com/.well-known/openid-configuration":
        return [200, document];
      case document.jwks_uri:
        return [
          200,
          { keys: [{ ...publicKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" }] },
        ];
      case document.token_endpoint: {
        const form = new URLSearchParams(body);
        // It decodes nothing.
        const isOurs =
          headers.get("authorization") ===
          `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`;
        const isProved =
          createHash("sha256")
            .update(form.get("code_verifier") ?? "")
            .digest("base64url") === challenge;
        if (!isOurs || !isProved || form.get("redirect_uri") !== redirectUri)
          return [400, { error: "invalid_grant" }];
        const now = Math.floor(Date.now() / 1000);
        const at_hash = createHash("sha256")
          .update(accessToken)
          .digest()
          .subarray(0, 16)
          .toString("base64url");
        const standard = {
          iss: document.issuer,
          azp: client.clientId,
          aud: client.clientId,
          iat: now,
          exp: now + 3_599,
        };
        const id_token = idTokenOf({ ...standard, ...person, nonce, at_hash, ...idTokenClaims });
        const scope =
          "openid https://www.googleapis.com/auth/userinfo.email https://www.googleapis.com/auth/userinfo.profile";
        return [
          200,
          { access_token: accessToken, expires_in: 3_599, scope, token_type: "Bearer", id_token },
        ];
      }
      case document.userinfo_endpoint:
        return [200, person];
      default:
        return [404, { error: "not_found" }];
    }
  };
  const pool = (url: URL) => ({
    request: async (ask: {
      path: string;
      headers: Record<string, string>;
      body: string | null;
    }) => {
      const [statusCode, reply] = answer(
        new URL(ask.path, url),
        new Headers(ask.headers),
        ask.body ?? "",
      );
      const headers = { "content-type": "application/json; charset=utf-8" };
      return { statusCode, headers, body: Readable.from([Buffer.from(JSON.stringify(reply))]) };
    },
  });
  const privateHosts = new Set<string>();
  // Its addresses pass the policy of outgoing requests; only the network is played.
  const egress = {
    pool,
    violation: (url: string) => findUrlViolation(url, privateHosts),
  } as unknown as Egress;
  const oidc = createOidcClient({ egress, privateHosts, deadlineMs: 5_000, now: Date.now });
  const settings = { issuer: google?.issuer ?? "", scopes: google?.scopes ?? "", ...client };
  const { url, ...flow } = await oidc.begin(settings, redirectUri, "state-1");
  const page = new URL(url);
  nonce = page.searchParams.get("nonce") ?? "";
  challenge = page.searchParams.get("code_challenge") ?? "";
  const callback = {
    ...flow,
    redirectUri,
    state: "state-1",
    code: "4/0AY0e-g7",
    issuer: document.issuer,
  };
  const outcome = await oidc.finish(settings, callback);
  return {
    page,
    outcome,
    asked,
    report: await oidc.test(settings),
    claims: "claims" in outcome ? outcome.claims : {},
  };
}

const employee = {
  sub: "110169484474386276334",
  hd: "example.com",
  email: "Ada@Example.com",
  email_verified: true,
  name: "Ada Lovelace",
  given_name: "Ada",
  family_name: "Lovelace",
  picture: "https://lh3.googleusercontent.com/a/photo",
};
const { hd: _, ...visitor } = { ...employee, sub: "1", email: "ada@gmail.com" };
const ofWorkspace: ClaimRule[] = [
  {
    ...{ claim: "hd", value: "example.com", role: 1, group: "" },
    ...{ team: "", team_role: "member", team_budget: null },
  },
];

describe("sign-in with Google by its preset", () => {
  test("leads to its page with what it documents, and takes the person from its tokens", async () => {
    const { page, claims, asked } = await signInAtGoogle(employee);
    expect(page.origin + page.pathname).toBe(document.authorization_endpoint);
    expect(Object.fromEntries(page.searchParams)).toMatchObject({
      response_type: "code",
      client_id: client.clientId,
      scope: "openid profile email",
      redirect_uri: redirectUri,
      code_challenge_method: "S256",
      state: "state-1",
    });
    expect(readOidcIdentity(claims)).toEqual({
      id: employee.sub,
      name: "Ada",
      displayName: "Ada Lovelace",
      email: "ada@example.com",
    });
    expect(asked).toContain(document.userinfo_endpoint);
  });

  test("passes the test of the provider", async () => {
    const { report } = await signInAtGoogle(employee);
    expect(report).toMatchObject({
      problem: null,
      token_endpoint: document.token_endpoint,
      // It has no page that ends its session.
      end_session_endpoint: "",
      announces_pkce: true,
      algorithms: ["RS256"],
    });
  });

  test("a rule for `hd` lets in people of the Workspace alone, whatever their address says", async () => {
    const verdictOf = async (person: Claims) =>
      evaluateClaimRules(ofWorkspace, true, (await signInAtGoogle(person)).claims);
    expect(await verdictOf(employee)).toMatchObject({ is_admitted: true, role: 1 });
    expect(await verdictOf(visitor)).toMatchObject({ is_admitted: false });
    // Anyone may have a Google account with an address of the company that they had once.
    expect(await verdictOf({ ...visitor, email: "left@example.com" })).toMatchObject({
      is_admitted: false,
    });
    for (const hd of [
      "example.com.attacker.example",
      "EXAMPLE.COM",
      " example.com",
      ["example.org"],
      true,
      "",
    ])
      expect(await verdictOf({ ...employee, hd }), String(hd)).toMatchObject({
        is_admitted: false,
      });
  });

  test("an address counts only where Google says that it is verified, and never in the place of the subject", async () => {
    for (const email_verified of [false, "true", undefined]) {
      const { claims } = await signInAtGoogle({ ...employee, email_verified });
      expect(readOidcIdentity(claims)).toMatchObject({ id: employee.sub, email: "" });
    }
  });

  test.each([
    ["the issuer that old clients get", { iss: "accounts.google.com" }],
    [
      "another client's audience",
      { aud: "999.apps.googleusercontent.com", azp: "999.apps.googleusercontent.com" },
    ],
    ["another person than its userinfo", { sub: "2" }],
  ])("a token with %s is refused", async (_name, claims) => {
    expect((await signInAtGoogle(employee, claims)).outcome).toHaveProperty("refused");
  });
});
