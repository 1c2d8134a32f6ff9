// The management API as another program would call it, with the contract's own types: how tests put data in place.
import type { BodyIn, Endpoint, ParamsIn, QueryIn, ReplyOf } from "@tollgate/contract/endpoint.ts";
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import { login } from "@tollgate/contract/sessions.ts";

interface ManagementInput<E> {
  params?: ParamsIn<E>;
  query?: QueryIn<E>;
  body?: BodyIn<E>;
}

export type ManagementClient = Awaited<ReturnType<typeof signInAsClient>>;

export async function signInAsClient(gatewayUrl: string, username: string, password: string) {
  const headers = new Headers({ "content-type": "application/json", [consoleHeader.name]: consoleHeader.value });
  const signedIn = await fetch(gatewayUrl + login.path, {
    method: login.method,
    headers,
    body: JSON.stringify({ username, password }),
  });
  const { success, message } = (await signedIn.json()) as { success: boolean; message: string };
  if (!success) throw new Error(`${username} cannot sign in: ${message}`);
  headers.set("cookie", signedIn.headers.get("set-cookie")?.split(";")[0] ?? "");

  return {
    /** The reply of a call that succeeds; what is refused throws. */
    async call<E extends Endpoint>(endpoint: E, { params, query, body }: ManagementInput<E> = {}): Promise<ReplyOf<E>> {
      const values = new Map(Object.entries(params ?? {}));
      const path = endpoint.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values.get(name))));
      const url = new URL(path, gatewayUrl);
      for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value));
      const response = await fetch(url, {
        method: endpoint.method,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      });
      const reply = (await response.json()) as ReplyOf<E> & { success: boolean; message: string };
      if (!reply.success) throw new Error(`${endpoint.method} ${url.pathname}: ${response.status} ${reply.message}`);
      return reply;
    },
  };
}
