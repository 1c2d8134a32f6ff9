/** Id tokens that a provider never signed so, or not for this sign-in, by kind. */
import { createHmac, type KeyObject, sign } from "node:crypto";
import { oidcCredentials } from "@tollgate/tests/harness/oidc-issuer.ts";
import { oddTexts, one, type Random, type TokenMembers } from "./odd-claims.ts";

/** `person` is whom a genuine token names, and `flow` the sign-in for which it was made. */
export const person = "person-1";
export const flow = {
  verifier: "v".repeat(43),
  nonce: "nonce-of-this-sign-in",
  state: "state",
  code: "code",
};

export interface GenuineToken {
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

export function signed(
  token: GenuineToken,
  headerMembers: TokenMembers = {},
  key = token.key,
): string {
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

/** `forgeries` are the kinds of id tokens that must identify nobody. */
export const forgeries: Readonly<Record<string, (token: GenuineToken, random: Random) => unknown>> =
  {
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
