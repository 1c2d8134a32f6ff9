/** A client that keeps its cookies, as a browser does. */
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import type { ManagementGateway, TestApiClient, TestApiReply } from "./management-gateway.ts";

export interface CookieBrowser {
  ask: TestApiClient;
  signIn(username: string, password: string): Promise<TestApiReply>;
  /** The session cookie, without those that tie a sign-in to this browser. */
  readonly session: string;
}

/** `keepCookies` lets a client send the cookies that it was sent, from `cookies` on. */
export const keepCookies =
  (client: TestApiClient, cookies = new Map<string, string>()): TestApiClient =>
  async (method, path, { headers, ...rest } = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const reply = await client(method, path, {
      ...rest,
      headers: { cookie, [consoleHeader.name]: consoleHeader.value, ...headers },
    });
    for (const set of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
      if (value === "") cookies.delete(name);
      else cookies.set(name, value);
    }
    return reply;
  };

export function createCookieBrowser(gateway: Pick<ManagementGateway, "visitor">): CookieBrowser {
  const cookies = new Map<string, string>();
  const ask = keepCookies(gateway.visitor, cookies);
  return {
    ask,
    signIn: (username, password) =>
      ask("POST", "/api/user/login", { body: { username, password } }),
    get session() {
      return cookies.get("session") ?? "";
    },
  };
}
