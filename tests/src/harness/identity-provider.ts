/**
 * GitHub, Lark, Discord, LinuxDO, Telegram and WeChat's code server in one: their addresses, their
 * formats, codes that work once.
 */
import { createHash, createHmac, randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ProviderAccount {
  id: number;
  name: string;
}

/**
 * `silent` never answers, `broken` answers 500, `garbled` no JSON, `forgetful` does not know its
 * own tokens.
 */
type ProviderFault = "well" | "silent" | "broken" | "garbled" | "forgetful";

export type IdentityProvider = Awaited<ReturnType<typeof startIdentityProvider>>;

export const credentials = { clientId: "client-of-tests", clientSecret: "secret of tests" };

export const botToken = "7001:token-of-the-bot-in-these-tests";

/**
 * `telegramResult` gives what Telegram's page appends to the address of the callback. `atMs` is its
 * clock.
 */
export function telegramResult({ id, name }: ProviderAccount, atMs: number): string {
  const members = { auth_date: Math.floor(atMs / 1000), first_name: name, id, username: name };
  const lines = Object.entries(members).map(([member, value]) => `${member}=${value}`);
  const key = createHash("sha256").update(botToken).digest();
  const hash = createHmac("sha256", key).update(lines.join("\n")).digest("hex");
  return Buffer.from(JSON.stringify({ ...members, hash })).toString("base64url");
}

export async function startIdentityProvider() {
  const codes = new Map<string, ProviderAccount>();
  const tokens = new Map<string, ProviderAccount>();
  const state = {
    mood: "well" as ProviderFault,
    /** The account that a visiting browser consents as. */
    person: { id: 583_231, name: "octocat" } as ProviderAccount,
    /** The bodies of all requests to exchange a code. */
    exchanges: [] as Record<string, unknown>[],
    /**
     * `redirectUri` is where the last visiting browser was sent back to: an exchange repeats it.
     */
    redirectUri: "",
    /** `linuxdo` is what LinuxDO says of its users besides. */
    linuxdo: { active: true, trust_level: 2 } as Record<string, unknown>,
    /** The code that WeChat's code server has sent to the person. */
    wechatCode: "104711",
    /** Takes the place of the reply about the user. */
    oddPerson: undefined as unknown,
    /** URLs that browsers opened. */
    visits: [] as URL[],
  };

  const codeFor = (account: ProviderAccount): string => {
    const code = randomUUID();
    codes.set(code, account);
    return code;
  };

  const trade = (body: Record<string, unknown>): string | undefined => {
    state.exchanges.push(body);
    const code = String(body.code);
    const account = codes.get(code);
    codes.delete(code);
    const isOurs =
      body.client_id === credentials.clientId && body.client_secret === credentials.clientSecret;
    if (!account || !isOurs) return undefined;
    const token = randomUUID();
    tokens.set(token, account);
    return token;
  };

  /** As Discord and LinuxDO want it: the client in the header, the grant as a form. */
  const tradeForm = (body: Record<string, unknown>, authorization: string): [number, unknown] => {
    const [client_id, client_secret] = Buffer.from(authorization.replace(/^Basic /, ""), "base64")
      .toString()
      .split(":");
    const isGrant =
      body.grant_type === "authorization_code" && body.redirect_uri === state.redirectUri;
    const token = isGrant ? trade({ ...body, client_id, client_secret }) : undefined;
    return token
      ? [200, { access_token: token, token_type: "Bearer" }]
      : [400, { error: "invalid_grant" }];
  };

  const answerTo: Record<
    string,
    (body: Record<string, unknown>, authorization: string, url: URL) => [number, unknown]
  > = {
    "POST /login/oauth/access_token": (body) => {
      const token = trade(body);
      return token
        ? [200, { access_token: token, token_type: "bearer", scope: "user:email" }]
        : [
            200,
            {
              error: "bad_verification_code",
              error_description: "The code passed is incorrect or expired.",
            },
          ];
    },
    "GET /api/v3/user": (_, bearer) => {
      const account = tokens.get(bearer);
      return account
        ? [200, { ...account, login: account.name, email: "victim@example.org" }]
        : [401, { message: "Bad credentials" }];
    },
    "POST /open-apis/authen/v2/oauth/token": (body) => {
      const token = body.grant_type === "authorization_code" ? trade(body) : undefined;
      return token
        ? [200, { code: 0, access_token: token, expires_in: 7200, token_type: "Bearer" }]
        : [
            400,
            {
              code: 20003,
              error: "invalid_grant",
              error_description: "The authorization code is not found.",
            },
          ];
    },
    "GET /open-apis/authen/v1/user_info": (_, bearer) => {
      const account = tokens.get(bearer);
      if (!account)
        return [401, { code: 99991668, msg: "Invalid access token for authorization." }];
      return [
        200,
        {
          code: 0,
          msg: "success",
          data: { open_id: `ou_${account.id}`, union_id: `on_${account.id}`, name: account.name },
        },
      ];
    },
    "POST /discord/api/oauth2/token": tradeForm,
    "GET /discord/api/users/@me": (_, bearer) => {
      const account = tokens.get(bearer);
      return account
        ? [
            200,
            {
              id: String(account.id),
              username: account.name,
              global_name: `${account.name} G`,
              verified: true,
            },
          ]
        : [401, { message: "401: Unauthorized", code: 0 }];
    },
    "GET /wechat/api/wechat/user": (_, authorization, url) => {
      if (authorization !== credentials.clientSecret)
        return [200, { success: false, message: "token" }];
      return url.searchParams.get("code") === state.wechatCode
        ? [
            200,
            { success: true, message: "", data: `o6_bmjrPTlm6_2sgVt7hMZOPfL${state.person.id}` },
          ]
        : [200, { success: false, message: "验证码错误或已过期" }];
    },
    "POST /linuxdo/oauth2/token": tradeForm,
    "GET /linuxdo/api/user": (_, bearer) => {
      const account = tokens.get(bearer);
      return account
        ? [
            200,
            { id: account.id, username: account.name, name: "", silenced: false, ...state.linuxdo },
          ]
        : [401, { error: "invalid_token" }];
    },
  };

  /** Telegram's page does so by the fragment, which no server sees. */
  const consentAsTelegram = (url: URL, response: ServerResponse): void => {
    state.visits.push(url);
    const back = url.searchParams.get("return_to") ?? "";
    response
      .writeHead(302, {
        location: `${back}#tgAuthResult=${telegramResult(state.person, Date.now())}`,
      })
      .end();
  };

  /** Consents at once and redirects back. */
  const consent = (url: URL, response: ServerResponse): void => {
    state.visits.push(url);
    state.redirectUri = url.searchParams.get("redirect_uri") ?? "";
    const back = new URL(state.redirectUri);
    back.searchParams.set("code", codeFor(state.person));
    back.searchParams.set("state", url.searchParams.get("state") ?? "");
    response.writeHead(302, { location: back.href }).end();
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(request.url ?? "/", "http://provider");
    if (url.pathname === "/telegram/auth") return consentAsTelegram(url, response);
    if (url.pathname.endsWith("/authorize")) return consent(url, response);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (state.mood === "silent") return;
    if (state.mood === "broken") return void response.writeHead(500).end("{}");
    if (state.mood === "garbled") return void response.writeHead(200).end("<html>");
    if (state.mood === "forgetful") tokens.clear();
    const text = Buffer.concat(chunks).toString();
    const isForm = request.headers["content-type"] === "application/x-www-form-urlencoded";
    const sent = isForm ? Object.fromEntries(new URLSearchParams(text)) : JSON.parse(text || "{}");
    const authorization = (request.headers.authorization ?? "").replace(/^Bearer /, "");
    const answer = answerTo[`${request.method} ${url.pathname}`];
    const [status, known] = answer?.(sent, authorization, url) ?? [404, { message: "Not Found" }];
    const body =
      request.method === "GET" && state.oddPerson !== undefined ? state.oddPerson : known;
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
  };

  const server = createServer((request, response) => {
    respond(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return Object.assign(state, {
    url,
    codeFor,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
