// People besides root, each signed in from their own browser.
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import { readReply, type TestReply } from "../harness/api-session.ts";
import type { TestGateway } from "../harness/test-gateway.ts";

export const userPassword = "a password of their own";

export interface SignedInUser {
  id: number;
  username: string;
  cookie: string;
  request(method: string, path: string, body?: unknown): Promise<TestReply>;
  /** Like `ask`, for what must work: answers its data. */
  api<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  token(fields?: Record<string, unknown>): Promise<{ id: number; key: string }>;
}

export const requestWithCookie =
  (url: string, cookie: string) =>
  async (method: string, path: string, body?: unknown): Promise<TestReply> =>
    readReply(
      await fetch(url + path, {
        method,
        redirect: "manual",
        headers: { "content-type": "application/json", [consoleHeader.name]: consoleHeader.value, cookie },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );

export const cookieOf = ({ headers }: TestReply): string =>
  headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");

export const signIn = (url: string, username: string, password = userPassword): Promise<TestReply> =>
  requestWithCookie(url, "")("POST", "/api/user/login", { username, password });

/** Root makes the account, and its owner signs in. */
export async function addUser(
  world: TestGateway,
  username: string,
  fields: { quota?: number; group?: string; password?: string } = {},
): Promise<SignedInUser> {
  const { id } = await world.api<{ id: number }>("POST", "/api/user/", {
    username,
    password: userPassword,
    quota: 0,
    ...fields,
  });
  const signedIn = await signIn(world.url, username, fields.password);
  if (!signedIn.body.success) throw new Error(`${username} cannot sign in: ${signedIn.text}`);
  const cookie = cookieOf(signedIn);
  const request = requestWithCookie(world.url, cookie);
  let made = 0;
  const api = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const reply = await request(method, path, body);
    if (!reply.body?.success) throw new Error(`${username}: ${method} ${path}: ${reply.text}`);
    return reply.body.data as Data;
  };
  return {
    id,
    username,
    cookie,
    request,
    api,
    token(extra = {}) {
      made += 1;
      const defaults = { remain_quota: 0, unlimited_quota: true, expired_time: -1 };
      return api("POST", "/api/token/", { name: `${username} ${made}`, ...defaults, ...extra });
    },
  };
}
