/**
 * An OpenID Connect provider that can be told to break each rule of the protocol: its document, its
 * keys, its id tokens.
 */
import {
  createHash,
  createHmac,
  generateKeyPairSync,
  type KeyObject,
  randomUUID,
  sign,
} from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface OidcPerson {
  sub: string;
  [claim: string]: unknown;
}

/** `IdTokenFault` says how the next id tokens differ from correct ones. */
export interface IdTokenFault {
  header?: Record<string, unknown>;
  claims?: Record<string, unknown>;
  /** Claims that are left out. */
  without?: readonly string[];
  /**
   * `stranger`: a key that the provider does not publish; `hmac`: the public key as a shared
   * secret.
   */
  signedBy?: "nothing" | "stranger" | "hmac";
  /** Instead of a token. */
  text?: string;
}

interface IssuedCode {
  person: OidcPerson;
  nonce: string;
  challenge: string;
  redirectUri: string;
}

export const oidcCredentials = { clientId: "client-of-tests", clientSecret: "secret of/tests" };

export type OidcIssuer = Awaited<ReturnType<typeof startOidcIssuer>>;

const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const newKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

export async function startOidcIssuer() {
  const codes = new Map<string, IssuedCode>();
  const tokens = new Map<string, OidcPerson>();
  const stranger = newKeys();
  const state = {
    keys: newKeys(),
    kid: "key-1",
    fault: {} as IdTokenFault,
    /** Members of the discovery document that differ; undefined leaves one out. */
    document: {} as Record<string, unknown>,
    /** Instead of the discovery document. */
    documentText: undefined as string | undefined,
    /** The discovery document never comes, or never ends. */
    stall: undefined as "silent" | "endless" | undefined,
    /** Instead of an answer of the token endpoint. */
    tokenReply: undefined as [number, unknown] | undefined,
    userinfo: undefined as [number, unknown] | undefined,
    /** Requests by path. */
    asked: [] as string[],
  };
  let url = "";

  const signature = (fault: IdTokenFault, signed: string): string => {
    if (fault.signedBy === "nothing") return "";
    if (fault.signedBy === "hmac") {
      const secret = state.keys.publicKey.export({ format: "pem", type: "spki" });
      return createHmac("sha256", secret).update(signed).digest("base64url");
    }
    const key: KeyObject =
      fault.signedBy === "stranger" ? stranger.privateKey : state.keys.privateKey;
    return sign("sha256", Buffer.from(signed), key).toString("base64url");
  };

  const jwt = (claims: Record<string, unknown>, fault: IdTokenFault): string => {
    if (fault.text !== undefined) return fault.text;
    const all = Object.entries({ ...claims, ...fault.claims });
    const kept = Object.fromEntries(all.filter(([name]) => !fault.without?.includes(name)));
    const signed = `${encoded({ alg: "RS256", kid: state.kid, ...fault.header })}.${encoded(kept)}`;
    return `${signed}.${signature(fault, signed)}`;
  };

  const idTokenOf = ({ person, nonce }: IssuedCode, accessToken: string): string => {
    const now = Math.floor(Date.now() / 1000);
    const digest = createHash("sha256").update(accessToken).digest();
    const at_hash = digest.subarray(0, 16).toString("base64url");
    const standard = {
      iss: url,
      aud: oidcCredentials.clientId,
      iat: now,
      exp: now + 300,
      nonce,
      at_hash,
    };
    return jwt({ ...person, ...standard }, state.fault);
  };

  const isOurClient = (request: IncomingMessage): boolean => {
    const [id = "", secret = ""] = Buffer.from(
      (request.headers.authorization ?? "").replace(/^Basic /, ""),
      "base64",
    )
      .toString()
      .split(":")
      .map((part) => decodeURIComponent(part.replaceAll("+", " ")));
    return id === oidcCredentials.clientId && secret === oidcCredentials.clientSecret;
  };

  const exchange = (request: IncomingMessage, form: URLSearchParams): [number, unknown] => {
    if (state.tokenReply) return state.tokenReply;
    if (!isOurClient(request)) return [401, { error: "invalid_client" }];
    const code = form.get("code") ?? "";
    const issued = codes.get(code);
    codes.delete(code);
    const challenge = createHash("sha256")
      .update(form.get("code_verifier") ?? "")
      .digest("base64url");
    if (issued?.challenge !== challenge || issued.redirectUri !== form.get("redirect_uri"))
      return [400, { error: "invalid_grant" }];
    const access_token = randomUUID();
    tokens.set(access_token, issued.person);
    return [
      200,
      {
        access_token,
        token_type: "Bearer",
        expires_in: 300,
        id_token: idTokenOf(issued, access_token),
      },
    ];
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? "/", url);
    state.asked.push(pathname);
    const reply = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (pathname === "/.well-known/openid-configuration") {
      if (state.stall === "silent") return;
      if (state.stall === "endless")
        return void response
          .writeHead(200, { "content-type": "application/json" })
          .write('{"issuer":');
      if (state.documentText !== undefined)
        return void response
          .writeHead(200, { "content-type": "application/json" })
          .end(state.documentText);
      return void reply(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        userinfo_endpoint: `${url}/userinfo`,
        end_session_endpoint: `${url}/end`,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ["code"],
        scopes_supported: ["openid", "groups"],
        id_token_signing_alg_values_supported: ["RS256"],
        code_challenge_methods_supported: ["S256"],
        authorization_response_iss_parameter_supported: true,
        ...state.document,
      });
    }
    if (pathname === "/jwks") {
      const jwk = state.keys.publicKey.export({ format: "jwk" });
      return void reply(200, { keys: [{ ...jwk, kid: state.kid, use: "sig", alg: "RS256" }] });
    }
    if (pathname === "/token")
      return void reply(
        ...exchange(request, new URLSearchParams(Buffer.concat(chunks).toString())),
      );
    if (pathname === "/userinfo") {
      const person = tokens.get((request.headers.authorization ?? "").replace(/^Bearer /, ""));
      return void reply(
        ...(state.userinfo ?? (person ? [200, person] : [401, { error: "invalid_token" }])),
      );
    }
    response.writeHead(404).end();
  };

  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return Object.assign(state, {
    url,
    /** Consents as a person to what a browser was sent here with; answers the code. */
    consent(authorizeUrl: string, person: OidcPerson): string {
      const { searchParams } = new URL(authorizeUrl);
      const code = randomUUID();
      codes.set(code, {
        person,
        nonce: searchParams.get("nonce") ?? "",
        challenge: searchParams.get("code_challenge") ?? "",
        redirectUri: searchParams.get("redirect_uri") ?? "",
      });
      return code;
    },
    /** A signed JWT of this provider, such as a logout token. */
    jwt: (claims: Record<string, unknown>, fault: IdTokenFault = {}) => jwt(claims, fault),
    /** A logout token as the provider sends it; `atMs` is the clock of the gateway. */
    logoutToken: (claims: Record<string, unknown>, atMs: number, fault: IdTokenFault = {}) => {
      const iat = Math.floor(atMs / 1000);
      const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
      const standard = {
        iss: url,
        aud: oidcCredentials.clientId,
        iat,
        exp: iat + 120,
        jti: randomUUID(),
        events,
      };
      return jwt(
        { ...standard, ...claims },
        { ...fault, header: { typ: "logout+jwt", ...fault.header } },
      );
    },
    /** New keys under a new name, as a rotation leaves them. */
    rotateKeys(kid: string): void {
      Object.assign(state, { keys: newKeys(), kid });
    },
    behaveWell(): void {
      Object.assign(state, {
        fault: {},
        document: {},
        documentText: undefined,
        stall: undefined,
        tokenReply: undefined,
        userinfo: undefined,
      });
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
