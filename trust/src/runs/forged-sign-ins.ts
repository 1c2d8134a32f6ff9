/**
 * Sends forged id tokens, discovery documents and claims to the OpenID Connect client, as a
 * provider or an attacker on the way could. No forgery identifies an account, every genuine token
 * does, and the client fails in no other way than it says.
 */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
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

type Random = () => number;
type TokenMembers = Record<string, unknown>;

interface SignInWorld {
  issuer: OidcIssuer;
  egress: Egress;
  client: OidcClient;
  stranger: KeyObject;
}

const person = "person-1";
const flow = {
  verifier: "v".repeat(43),
  nonce: "nonce-of-this-sign-in",
  state: "state",
  code: "code",
};
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

const one = <Choice>(random: Random, choices: readonly Choice[]): Choice =>
  choices[Math.floor(random() * choices.length)] as Choice;
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

interface GenuineToken {
  header: TokenMembers;
  claims: TokenMembers;
  key: KeyObject;
  publicKey: KeyObject;
  /** A key that the provider does not publish. */
  stranger: KeyObject;
}

const encoded = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = ({ header, claims }: GenuineToken, headerMembers: TokenMembers = {}): string =>
  `${encoded({ ...header, ...headerMembers })}.${encoded(claims)}`;

function signed(token: GenuineToken, headerMembers: TokenMembers = {}, key = token.key): string {
  const text = unsigned(token, headerMembers);
  return `${text}.${sign("sha256", Buffer.from(text), key).toString("base64url")}`;
}

/** A token that the provider signs, for another purpose or with members that it must not have. */
const signedWith = (token: GenuineToken, claims: TokenMembers): string =>
  signed({
    ...token,
    claims: Object.fromEntries(Object.entries({ ...token.claims, ...claims }).filter(isThere)),
  });
const isThere = ([, value]: [string, unknown]): boolean => value !== undefined;

const oddTexts = [
  "",
  " ",
  "null",
  "../../etc/passwd",
  "' or 1=1 --",
  "\u0000",
  "x".repeat(10_000),
  "ünïcode/雪",
];

const forgeries: Readonly<Record<string, (token: GenuineToken, random: Random) => unknown>> = {
  "a key that the provider does not publish": (token) => signed(token, {}, token.stranger),
  "no signature": (token, random) =>
    `${unsigned(token, { alg: one(random, ["none", "None", "NONE", "nOnE", "", null]) })}.${one(random, ["", "AA", "."])}`,
  "the public key as a shared secret": (token, random) => {
    const { publicKey } = token;
    const secret = one(random, [
      publicKey.export({ format: "pem", type: "spki" }),
      publicKey.export({ format: "pem", type: "pkcs1" }),
      publicKey.export({ format: "der", type: "spki" }),
      JSON.stringify(publicKey.export({ format: "jwk" })),
      oidcCredentials.clientSecret,
    ]);
    const text = unsigned(token, { alg: "HS256" });
    return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
  },
  "a key inside of the token": (token, random) => {
    const jwk = { ...publicPart(token.stranger), kid: "theirs" };
    const header = one<TokenMembers>(random, [
      { jwk },
      { jwk, kid: undefined },
      { jku: "https://keys.example/jwks", kid: "theirs" },
      { x5u: "https://keys.example/cert" },
      { x5c: [Buffer.from("cert").toString("base64")] },
    ]);
    return signed(token, header, token.stranger);
  },
  "another algorithm's name": (token, random) =>
    signed(token, {
      alg: one(random, [
        "RS384",
        "ES256",
        "PS256",
        "rs256",
        "EdDSA",
        "RSA-OAEP",
        256,
        {},
        ["RS256"],
      ]),
    }),
  "an unknown critical header": (token, random) =>
    signed(token, { crit: one(random, [["exp"], ["b64"], [], "x"]), b64: false }),
  "an unknown key id": (token, random) =>
    signed(token, { kid: one<unknown>(random, [...oddTexts, 7]) }, token.stranger),
  "claims changed after the signature": (token, random) => {
    const [header, , signature] = signed(token).split(".");
    const other = { ...token.claims, sub: one(random, ["root", "person-2", "1"]) };
    return `${header}.${encoded(other)}.${signature}`;
  },
  "a changed byte": (token, random) => {
    const bytes = Buffer.from(signed(token));
    const place = Math.floor(random() * (bytes.length - 2));
    const letter = bytes[place] === 0x41 ? 0x42 : 0x41;
    bytes[place] = letter;
    return bytes.toString();
  },
  "a part of it": (token, random) => {
    const text = signed(token);
    return text.slice(0, Math.floor(random() * (text.length - 2)));
  },
  "parts too many or too few": (token, random) => {
    const [header, claims, signature] = signed(token).split(".");
    return one(random, [
      `${header}.${claims}`,
      `${header}.${claims}.`,
      `.${claims}.${signature}`,
      `${header}..${signature}`,
      `${header}.${claims}.${signature}.${signature}`,
      `${header}.${claims}.${signature}.a.b`,
    ]);
  },
  "no token at all": (_, random) =>
    one<unknown>(random, [...oddTexts, undefined, null, 7, true, {}, [], ["a.b.c"], "a.b.c"]),
  "another issuer": (token, random) => {
    const iss = String(token.claims.iss);
    return signedWith(token, {
      iss: one<unknown>(random, [
        `${iss}/`,
        iss.toUpperCase(),
        `${iss}.example`,
        "https://other.example",
        "",
        undefined,
        7,
        [iss],
      ]),
    });
  },
  "another audience": (token, random) => {
    const own = oidcCredentials.clientId;
    const aud = one<unknown>(random, [
      "other",
      "",
      undefined,
      null,
      7,
      [],
      ["other"],
      { own },
      own.toUpperCase(),
      [own, "other"],
    ]);
    return signedWith(token, { aud, azp: one(random, [undefined, "other"]) });
  },
  "another sign-in": (token, random) =>
    signedWith(token, {
      nonce: one<unknown>(random, [
        undefined,
        null,
        "",
        "other",
        7,
        [flow.nonce],
        `${flow.nonce} `,
      ]),
    }),
  "a time that has passed": (token, random) => {
    const now = Math.floor(Date.now() / 1000);
    const exp = one<unknown>(random, [
      now - 60,
      now - 1e9,
      0,
      -1,
      undefined,
      null,
      String(now + 300),
      [now + 300],
      {},
    ]);
    return signedWith(token, { exp });
  },
  "a time to come": (token) => signedWith(token, { nbf: Math.floor(Date.now() / 1000) + 3_600 }),
  "no time of issue": (token, random) =>
    signedWith(token, { iat: one<unknown>(random, [undefined, null, "now", {}, []]) }),
  "no subject": (token, random) =>
    signedWith(token, {
      sub: one<unknown>(random, [
        undefined,
        null,
        "",
        7,
        {},
        [person],
        "x".repeat(256),
        "ü",
        "a\nb",
      ]),
    }),
  "another access token": (token, random) =>
    signedWith(token, {
      at_hash: one<unknown>(random, ["", "other", 7, null, ["x"], "A".repeat(22)]),
    }),
};

const publicPart = (key: KeyObject): TokenMembers => {
  const { kty, n, e } = key.export({ format: "jwk" });
  return { kty, n, e };
};

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

const rules: readonly ClaimRule[] = [
  { claim: "groups", value: "staff", role: roles.admin, group: "vip" },
  { claim: "realm.roles", value: "staff", role: null, group: "vip" },
  { claim: "https://example.com/roles", value: "staff", role: roles.admin, group: "" },
];

/** Claims of any form, in which nothing says "staff": the rules admit no user. */
function forgeClaims(random: Random, found: ForgedSignInFigures): string | undefined {
  const claims = oddRecord(random, 5) as Claims;
  const verdict = evaluateClaimRules(rules, true, claims);
  if (verdict.is_admitted || verdict.role !== null || verdict.group !== "")
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

const claimNames = [
  ...[
    "sub",
    "email",
    "email_verified",
    "preferred_username",
    "name",
    "groups",
    "realm",
    "roles",
    "realm.roles",
  ],
  ...[
    "https://example.com/roles",
    "amr",
    "acr",
    "hasgroups",
    "_claim_names",
    "__proto__",
    "constructor",
    "toString",
  ],
];

function oddValue(random: Random, depth: number): unknown {
  const kind = Math.floor(random() * (depth > 0 ? 8 : 6));
  if (kind === 6)
    return Array.from({ length: Math.floor(random() * 4) }, () => oddValue(random, depth - 1));
  if (kind === 7) return oddRecord(random, depth - 1);
  return [
    null,
    random() < 0.5,
    random() * 1e9,
    one(random, oddTexts),
    "person@example.com",
    "staff member",
  ][kind];
}

function oddRecord(random: Random, depth: number): TokenMembers {
  const members = Array.from({ length: 1 + Math.floor(random() * 6) }, () => [
    one(random, claimNames),
    oddValue(random, depth),
  ]);
  // As a parser of JSON makes it: `__proto__` is a member like any other.
  return JSON.parse(
    `{${members.map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`).join(",")}}`,
  ) as TokenMembers;
}
