/** Puts routes under one hono app: addresses, request ids, headers, and one answer to everything that goes wrong. */
import type { HttpBindings } from "@hono/node-server";
import type { Block } from "@tollgate/contract/cidr.ts";
import { idempotencyHeader } from "@tollgate/contract/envelope.ts";
import { type Context, Hono } from "hono";
import { clientAddress } from "./address.ts";
import type { Route } from "./answer.ts";
import type { ApiLimit } from "./api-limit.ts";
import type { Caller, Circumstances, Identify } from "./caller.ts";
import { type ApiLog, errorReply } from "./error-reply.ts";
import { refuse } from "./refusal.ts";

export interface HttpParts {
  identify: Identify;
  trustedProxies: readonly Block[];
  limit: ApiLimit;
  mintRequestId(): string;
  clock(): number;
  log: ApiLog;
}

const fixedHeaders = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
};

type Here = Context<{ Bindings: Partial<HttpBindings> }>;

export function mountRoutes(routes: readonly Route[], parts: HttpParts): Hono<{ Bindings: Partial<HttpBindings> }> {
  const app = new Hono<{ Bindings: Partial<HttpBindings> }>();
  for (const group of grouped(routes)) {
    const { method, path } = group.usual.endpoint;
    app.on(method, spellings(path), (context) => reply(context, parts, pick(group, context)));
  }
  app.all("*", (context) => reply(context, parts, undefined));
  return app;
}

interface Group {
  usual: Route;
  variants: Route[];
}

/** Routes that share method and path become one; paths without parameters come first, or `/search` would be an id. */
function grouped(routes: readonly Route[]): Group[] {
  const groups = new Map<string, Group>();
  for (const route of routes) {
    const { method, path, variant } = route.endpoint;
    const group = groups.get(`${method} ${path}`) ?? { usual: route, variants: [] };
    if (variant) group.variants.push(route);
    else group.usual = route;
    groups.set(`${method} ${path}`, group);
  }
  const parameters = (group: Group) => group.usual.endpoint.path.split(":").length;
  return [...groups.values()].sort((one, other) => parameters(one) - parameters(other));
}

const spellings = (path: string) => (path.endsWith("/") ? [path, path.slice(0, -1)] : [path, `${path}/`]);

const pick = (group: Group, context: Here) =>
  group.variants.find((route) => context.req.query(route.endpoint.variant ?? "")) ?? group.usual;

async function reply(context: Here, parts: HttpParts, route: Route | undefined): Promise<Response> {
  const started = performance.now();
  const circumstances = observe(context, parts);
  const { reply: headers, requestId, now, address } = circumstances;
  let caller: Caller | undefined;
  const done = (status: number, body: unknown, code?: string): Response => {
    const event = {
      event: "api",
      request_id: requestId,
      method: context.req.method,
      // The route and not the path: a path may hold what is nobody's business.
      route: route?.endpoint.path ?? "",
      status,
      ...(code && { code }),
      user_id: caller?.id ?? 0,
      address,
      elapsed_ms: Math.round(performance.now() - started),
    };
    parts.log.info?.(event, "management call");
    return new Response(body instanceof ReadableStream ? body : JSON.stringify(body), { status, headers });
  };
  try {
    try {
      caller = await identified(route, context.req.raw.headers, parts, now);
    } finally {
      // Whoever is not let in counts as well, by the address.
      await parts.limit.take(circumstances, route?.endpoint, caller);
    }
    if (!route) throw refuse("route_not_found");
    const body = await route.run({
      ...circumstances,
      request: context.req.raw,
      caller,
      params: context.req.param(),
      query: queryOf(context.req.url),
    });
    if (body instanceof ReadableStream) {
      headers.set("Content-Type", `${route.endpoint.stream}; charset=utf-8`);
      return done(200, body);
    }
    return done(200, route.endpoint.bare ? body.data : body);
  } catch (error) {
    const { status, code, headers: extra, body } = errorReply(error, requestId, parts.log);
    for (const [name, value] of Object.entries(extra)) headers.set(name, value);
    return done(status, body, code);
  }
}

/** A public call goes on without a caller where the credentials are stale; any other says what is wrong with them. */
async function identified(route: Route | undefined, headers: Headers, { identify }: HttpParts, now: number) {
  if (!route) return undefined;
  if (route.endpoint.access !== "public") return identify(headers, now);
  return identify(headers, now).catch(() => undefined);
}

function observe(context: Here, parts: HttpParts): Circumstances {
  const { headers } = context.req.raw;
  const requestId = parts.mintRequestId();
  const peer = context.env?.incoming?.socket.remoteAddress ?? "unknown";
  return {
    requestId,
    address: clientAddress(peer, headers.get("x-forwarded-for") ?? undefined, parts.trustedProxies),
    userAgent: (headers.get("user-agent") ?? "").slice(0, 300),
    now: parts.clock(),
    idempotencyKey: headers.get(idempotencyHeader) ?? undefined,
    headers,
    reply: new Headers({ ...fixedHeaders, "X-Oneapi-Request-Id": requestId }),
  };
}

/** The first of repeated keys; a key without a value counts as absent, as forms and older consoles send it. */
function queryOf(url: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URL(url).searchParams) if (value !== "") query[name] ??= value;
  return query;
}
