/**
 * Sends forged id tokens, discovery documents and claims to the OpenID Connect client, as a
 * provider or an attacker on the way could. No forgery identifies an account, every genuine token
 * does, and the client fails in no other way than it says.
 */
import { generateKeyPairSync, type KeyObject } from "node:crypto";
import type { ClaimRule } from "@tollgate/contract/accounts/oidc-providers.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import { readOidcIdentity } from "@tollgate/gateway/accounts/identity/external/oidc-identity.ts";
import {
  type Claims,
  evaluateClaimRules,
  hasProvedSecondFactor,
} from "@tollgate/gateway/accounts/identity/oidc/claim-rules.ts";
import {
  createOidcClient,
  type OidcClient,
} from "@tollgate/gateway/accounts/identity/oidc/oidc-client.ts";
import { OidcFailure } from "@tollgate/gateway/accounts/identity/oidc/oidc-failures.ts";
import { createEgress, type Egress } from "@tollgate/gateway/egress/egress.ts";
import {
  type OidcIssuer,
  oidcCredentials,
  startOidcIssuer,
} from "@tollgate/tests/harness/oidc-issuer.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { oddRecord, oddValue, one, type Random, type TokenMembers } from "./odd-claims.ts";
import { flow, forgeries, type GenuineToken, person, signed } from "./token-forgeries.ts";

export interface ForgedSignInOptions {
  cases: number;
  seed: number;
  stop?: AbortSignal;
  onProgress?: (found: ForgedSignInFigures) => void;
}

export interface ForgedSignInFigures {
  cases: number;
  /** Genuine tokens, each of which identified its person. */
  genuine: number;
  /** Forgeries that were refused, by kind. */
  refused: Map<string, number>;
  problems: string[];
}

interface SignInWorld {
  issuer: OidcIssuer;
  egress: Egress;
  client: OidcClient;
  stranger: KeyObject;
}

const progressEvery = 1_000;
const problemsMax = 20;
const deadlineMs = 5_000;

export async function runForgedSignIns({
  cases,
  seed,
  stop,
  onProgress,
}: ForgedSignInOptions): Promise<ForgedSignInFigures> {
  const issuer = await startOidcIssuer();
  const privateHosts = new Set([new URL(issuer.url).host]);
  const egress = createEgress(privateHosts);
  const client = createOidcClient({ egress, privateHosts, deadlineMs, now: Date.now });
  const world = { issuer, egress, client, stranger: newKey() };
  const found: ForgedSignInFigures = { cases: 0, genuine: 0, refused: new Map(), problems: [] };
  try {
    while (found.cases < cases && found.problems.length < problemsMax && !stop?.aborted) {
      const number = seed + found.cases;
      const problem = await tryCase(world, number, found).catch(
        (error: unknown) => `threw ${String(error)}`,
      );
      if (problem !== undefined) found.problems.push(`case ${number}: ${problem}`);
      found.cases += 1;
      if (found.cases % progressEvery === 0) onProgress?.(found);
    }
    return found;
  } finally {
    await egress.close();
    await issuer.close();
  }
}

/** `tryCase` gives what is wrong with the outcome; undefined where nothing is. */
async function tryCase(
  world: SignInWorld,
  number: number,
  found: ForgedSignInFigures,
): Promise<string | undefined> {
  const random = randomFrom(number);
  const share = random();
  if (share < 0.1) return forgeClaims(random, found);
  if (share < 0.3) return forgeDocument(world, number, random, found);
  return forgeToken(world, random, found);
}

const count = ({ refused }: ForgedSignInFigures, kind: string): void =>
  void refused.set(kind, (refused.get(kind) ?? 0) + 1);
const newKey = (): KeyObject => generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;

// ---- id tokens

async function forgeToken(
  { issuer, client, stranger }: SignInWorld,
  random: Random,
  found: ForgedSignInFigures,
): Promise<string | undefined> {
  const kind = random() < 0.05 ? "genuine" : one(random, Object.keys(forgeries));
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: issuer.url,
    aud: oidcCredentials.clientId,
    sub: person,
    iat: now,
    exp: now + 300,
    nonce: flow.nonce,
  };
  const token: GenuineToken = {
    header: { alg: "RS256", kid: issuer.kid },
    claims,
    key: issuer.keys.privateKey,
    publicKey: issuer.keys.publicKey,
    stranger,
  };
  const id_token = kind === "genuine" ? signed(token) : forgeries[kind]?.(token, random);
  // The token alone decides, without what the provider would say elsewhere.
  issuer.document = { userinfo_endpoint: undefined };
  issuer.tokenReply = [200, { access_token: "access", token_type: "Bearer", id_token }];
  const settings = { issuer: issuer.url, ...oidcCredentials, scopes: "openid" };
  const redirectUri = "https://gateway.example/callback";
  const outcome = await client.finish(settings, { ...flow, redirectUri, issuer: issuer.url });
  const identity = "claims" in outcome ? readOidcIdentity(outcome.claims) : undefined;
  if (kind === "genuine") {
    if (identity?.id !== person) return `a genuine token was refused: ${JSON.stringify(outcome)}`;
    found.genuine += 1;
    return undefined;
  }
  if (identity !== undefined)
    return `${kind} identified ${identity.id}: ${String(id_token).slice(0, 2_000)}`;
  if ("silent" in outcome)
    return `${kind} was taken for a provider that does not answer: ${outcome.silent}`;
  count(found, kind);
  return undefined;
}

// ---- discovery documents

const addressMembers = ["authorization_endpoint", "token_endpoint", "jwks_uri", "issuer"] as const;
const wrongAddresses: readonly unknown[] = [
  undefined,
  null,
  "",
  7,
  {},
  [],
  "/relative",
  "javascript:alert(1)",
  "data:text/html,x",
  "file:///etc/passwd",
  "ftp://provider.example/",
  "http://provider.example/",
  "http://169.254.169.254/latest/meta-data/",
  "http://127.0.0.1:1/",
  "https://127.0.0.1/",
  "https://10.0.0.1/",
  "https://[::1]/",
  "https://0x7f.1/",
  "https://user:password@127.0.0.1/",
  "https://localhost/",
];

async function forgeDocument(
  { issuer, egress, client }: SignInWorld,
  number: number,
  random: Random,
  found: ForgedSignInFigures,
): Promise<string | undefined> {
  const member = one(random, addressMembers);
  const isText = random() < 0.3;
  issuer.document = isText ? {} : { [member]: one(random, wrongAddresses), ...oddMembers(random) };
  issuer.documentText = isText ? oddDocument(issuer.url, random) : undefined;
  const settings = {
    issuer: issuer.url,
    clientId: `client ${number}`,
    clientSecret: undefined,
    scopes: "openid",
  };
  try {
    const { url } = await client.begin(settings, "https://gateway.example/callback", "state");
    // The browser goes there: only an address that the issuer itself could have.
    return `${JSON.stringify(issuer.document)} ${issuer.documentText ?? ""} led to ${url} (${egress.violation(url) ?? "allowed"})`;
  } catch (error) {
    if (!(error instanceof OidcFailure)) throw error;
    count(
      found,
      isText ? "an odd discovery document" : `a discovery document with a wrong ${member}`,
    );
    return undefined;
  } finally {
    issuer.document = {};
    issuer.documentText = undefined;
  }
}

const oddMembers = (random: Random): TokenMembers =>
  random() < 0.5
    ? {}
    : { [one(random, ["scopes_supported", "__proto__", "constructor", "x"])]: oddValue(random, 3) };

function oddDocument(url: string, random: Random): string {
  const whole = JSON.stringify({
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
  });
  return one(random, [
    "",
    "null",
    "[]",
    "7",
    '"text"',
    "<!doctype html><title>Sign in</title>",
    whole,
    whole.slice(0, Math.floor(random() * whole.length)),
    "[".repeat(50_000),
    `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
    "\ufeff{}",
    "x".repeat(2 * 1024 * 1024),
  ]);
}

// ---- claims

const noTeam = { team: "", team_role: "member", team_budget: null } as const;
const rules: readonly ClaimRule[] = [
  { claim: "groups", value: "staff", role: roles.admin, group: "vip", ...noTeam },
  { claim: "realm.roles", value: "staff", role: null, group: "vip", ...noTeam, team: "search" },
  { claim: "https://example.com/roles", value: "staff", role: roles.admin, group: "", ...noTeam },
];

/** Claims of any form, in which nothing says "staff": the rules admit no user. */
function forgeClaims(random: Random, found: ForgedSignInFigures): string | undefined {
  const claims = oddRecord(random, 5) as Claims;
  const verdict = evaluateClaimRules(rules, true, claims);
  if (verdict.is_admitted || verdict.role !== null || verdict.group + verdict.teams.join() !== "")
    return `the rules admitted ${JSON.stringify(claims)}`;
  hasProvedSecondFactor(claims, ["strong"]);
  const identity = readOidcIdentity(claims);
  if (identity && !/^[\x20-\x7e]{1,255}$/.test(identity.id))
    return `the subject ${JSON.stringify(identity.id)} was taken`;
  if (identity?.email && claims.email_verified !== true)
    return `an unverified address was taken: ${identity.email}`;
  count(found, "claims of any form");
  return undefined;
}
