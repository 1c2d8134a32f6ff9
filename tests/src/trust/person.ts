// People besides root, each signed in from their own browser.
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import { type Reply, replyOf, type World } from "../world.ts";

export const personPassword = "a password of their own";

export interface Person {
  id: number;
  username: string;
  cookie: string;
  ask(method: string, path: string, body?: unknown): Promise<Reply>;
  /** Like `ask`, for what must work: answers its data. */
  api<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  token(fields?: Record<string, unknown>): Promise<{ id: number; key: string }>;
}

export const askWith =
  (url: string, cookie: string) =>
  async (method: string, path: string, body?: unknown): Promise<Reply> =>
    replyOf(
      await fetch(url + path, {
        method,
        redirect: "manual",
        headers: { "content-type": "application/json", [consoleHeader.name]: consoleHeader.value, cookie },
        body: body === undefined ? null : JSON.stringify(body),
      }),
    );

export const cookieOf = ({ headers }: Reply): string =>
  headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");

export const signIn = (url: string, username: string, password = personPassword): Promise<Reply> =>
  askWith(url, "")("POST", "/api/user/login", { username, password });

/** Root makes the account, and its owner signs in. */
export async function addPerson(
  world: World,
  username: string,
  fields: { quota?: number; group?: string; password?: string } = {},
): Promise<Person> {
  const { id } = await world.api<{ id: number }>("POST", "/api/user/", {
    username,
    password: personPassword,
    quota: 0,
    ...fields,
  });
  const signedIn = await signIn(world.url, username, fields.password);
  if (!signedIn.body.success) throw new Error(`${username} cannot sign in: ${signedIn.text}`);
  const cookie = cookieOf(signedIn);
  const ask = askWith(world.url, cookie);
  let made = 0;
  const api = async <Data>(method: string, path: string, body?: unknown): Promise<Data> => {
    const reply = await ask(method, path, body);
    if (!reply.body?.success) throw new Error(`${username}: ${method} ${path}: ${reply.text}`);
    return reply.body.data as Data;
  };
  return {
    id,
    username,
    cookie,
    ask,
    api,
    token(more = {}) {
      made += 1;
      const usual = { remain_quota: 0, unlimited_quota: true, expired_time: -1 };
      return api("POST", "/api/token/", { name: `${username} ${made}`, ...usual, ...more });
    },
  };
}
