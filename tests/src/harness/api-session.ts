/**
 * A client of the management API that keeps its session cookie: untyped requests, and calls by the
 * contract's endpoints.
 */
import type {
  BodyIn,
  Endpoint,
  ParamsIn,
  QueryIn,
  ReplyOf,
} from "@tollgate/contract/api/endpoint.ts";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";

export interface TestReply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every structure
  body: any;
}

export interface EndpointInput<E> {
  params?: ParamsIn<E>;
  query?: QueryIn<E>;
  body?: BodyIn<E>;
}

export interface ApiSession {
  /** `cookie` is as the last reply set it; empty before a sign-in. */
  readonly cookie: string;
  /** The reply of any request, refused or not. */
  request(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<TestReply>;
  /** The `data` of a reply; a refusal throws. */
  data<Data>(method: string, path: string, body?: unknown): Promise<Data>;
  /** The reply of an endpoint; a refusal throws. */
  call<E extends Endpoint>(endpoint: E, input?: EndpointInput<E>): Promise<ReplyOf<E>>;
}

/** Sends a request to a listener, or to an API without one. */
export type SendRequest = (path: string, init: RequestInit) => Promise<Response>;

export const sendTo =
  (url: string | (() => string)): SendRequest =>
  (path, init) =>
    fetch((typeof url === "string" ? url : url()) + path, init);

/**
 * `credentials` are headers that every request carries, such as an access token in `authorization`.
 */
export function createApiSession(
  send: SendRequest,
  credentials: Record<string, string> = {},
): ApiSession {
  let cookie = credentials.cookie ?? "";

  async function request(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestReply> {
    const response = await send(path, {
      method,
      redirect: "manual",
      headers: {
        "content-type": "application/json",
        [consoleHeader.name]: consoleHeader.value,
        ...credentials,
        ...(cookie !== "" && { cookie }),
        ...headers,
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    cookie = cookiesOf(response.headers) || cookie;
    return await readReply(response);
  }

  async function accepted(method: string, path: string, body?: unknown): Promise<TestReply> {
    const reply = await request(method, path, body);
    if (reply.body?.success === true) return reply;
    throw new Error(
      `${method} ${path}: ${reply.status} ${reply.body?.message ?? ""} ${reply.text}`,
    );
  }

  return {
    get cookie() {
      return cookie;
    },
    request,
    data: async (method, path, body) => (await accepted(method, path, body)).body.data,
    async call(endpoint, { params, query, body } = {}) {
      const values = new Map(Object.entries(params ?? {}));
      const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(String(values.get(name))),
      );
      const search = new URLSearchParams(
        Object.entries(query ?? {}).map(([name, value]) => [name, String(value)]),
      );
      const suffix = search.size > 0 ? `?${search}` : "";
      return (await accepted(endpoint.method, path + suffix, body)).body;
    },
  };
}

export async function signInSession(
  send: SendRequest,
  username: string,
  password: string,
): Promise<ApiSession> {
  const session = createApiSession(send);
  const reply = await session.request("POST", "/api/user/login", { username, password });
  if (reply.body?.success !== true)
    throw new Error(`${username} cannot sign in: ${reply.body?.message ?? reply.text}`);
  return session;
}

/** The reply to a sign-in, successful or refused. */
export const requestSignIn = (
  url: string,
  username: string,
  password: string,
): Promise<TestReply> =>
  createApiSession(sendTo(url)).request("POST", "/api/user/login", { username, password });

export const cookiesOf = (headers: Headers): string =>
  headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");

export async function readReply(response: Response): Promise<TestReply> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: response.status, headers: response.headers, text, body };
}
