/**
 * Mounts routes on one hono app: client addresses, request ids, headers, and one reply for every
 * error.
 */
import type { HttpBindings } from "@hono/node-server";
import { captchaHeader } from "@tollgate/contract/accounts/captcha.ts";
import type { AddressBlock } from "@tollgate/contract/api/cidr.ts";
import { isRefusedInReadOnly } from "@tollgate/contract/api/endpoint.ts";
import { idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { type Context, Hono } from "hono";
import type { Database } from "../storage/database.ts";
import type { ApiLimit } from "./api-limit.ts";
import type { ApiRoute } from "./api-route.ts";
import { type ApiLog, buildErrorReply } from "./error-reply.ts";
import { askForFreshReads } from "./fresh-reads.ts";
import { refuse } from "./refusal.ts";
import type { Identify, Principal, RequestContext } from "./request-context.ts";
import { composeClientAddress } from "./request-head.ts";
import type { createStrangerLog } from "./stranger-log.ts";
import type { TrustedHeader } from "./trusted-header.ts";

export interface MountDeps {
  identify: Identify;
  audit: Database["audit"];
  trustedProxies: readonly AddressBlock[];
  /** Undefined where no proxy signs users in. */
  trustedHeader: TrustedHeader | undefined;
  limit: ApiLimit;
  publicUrl: string | undefined;
  /** Every change is refused, also one by root. */
  isReadOnly(): boolean;
  /** Lists may come from a standby, which a change reaches later. */
  hasReplica: boolean;
  mintRequestId(): string;
  clock(): number;
  log: ApiLog;
  /** Writes the line of a refused call without a sign-in. */
  logStranger: ReturnType<typeof createStrangerLog>;
  /**
   * `route` is the path of the endpoint with the names of its parameters; empty where there is
   * none.
   */
  countReply(route: string, status: number): void;
}

const badRequest = 400;

const fixedHeaders = {
  "Content-Type": "application/json; charset=utf-8",
  "Cache-Control": "no-store",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** The connection, and what only the gateway itself says of a call that it makes. */
export type ApiBindings = Partial<HttpBindings> & Pick<RequestContext, "comparedBy">;
type ApiHonoContext = Context<{ Bindings: ApiBindings }>;

export function mountRoutes(
  routes: readonly ApiRoute[],
  deps: MountDeps,
): Hono<{ Bindings: Partial<HttpBindings> }> {
  const app = new Hono<{ Bindings: Partial<HttpBindings> }>();
  for (const group of groupRoutes(routes)) {
    const { method, path } = group.primary.endpoint;
    app.on(method, listPathVariants(path), (context) =>
      reply(context, deps, pickRoute(group, context)),
    );
  }
  app.all("*", (context) => reply(context, deps, undefined));
  return app;
}

interface RouteGroup {
  primary: ApiRoute;
  variants: ApiRoute[];
}

/**
 * Groups routes that share method and path. Paths without parameters come first, or `/search` would
 * match as an id.
 */
function groupRoutes(routes: readonly ApiRoute[]): RouteGroup[] {
  const groups = new Map<string, RouteGroup>();
  for (const route of routes) {
    const { method, path, variant } = route.endpoint;
    const group = groups.get(`${method} ${path}`) ?? { primary: route, variants: [] };
    if (variant) group.variants.push(route);
    else group.primary = route;
    groups.set(`${method} ${path}`, group);
  }
  const parameters = (group: RouteGroup) => group.primary.endpoint.path.split(":").length;
  return [...groups.values()].sort((one, other) => parameters(one) - parameters(other));
}

const listPathVariants = (path: string) =>
  path.endsWith("/") ? [path, path.slice(0, -1)] : [path, `${path}/`];

const pickRoute = (group: RouteGroup, context: ApiHonoContext) =>
  group.variants.find((route) => context.req.query(route.endpoint.variant ?? "")) ?? group.primary;

async function reply(
  context: ApiHonoContext,
  deps: MountDeps,
  route: ApiRoute | undefined,
): Promise<Response> {
  const started = performance.now();
  const observed = observe(context, deps);
  const { responseHeaders: headers, requestId, now, address } = observed;
  let principal: Principal | undefined;
  const done = (status: number, body: unknown, code?: string): Response => {
    deps.countReply(route?.endpoint.path ?? "", status);
    const event = {
      event: "api",
      request_id: requestId,
      method: context.req.method,
      // The route and not the path: a path may hold private values.
      route: route?.endpoint.path ?? "",
      status,
      ...(code && { code }),
      user_id: principal?.id ?? 0,
      ...(composeKey(principal) && { management_key: composeKey(principal)?.id }),
      address,
      elapsed_ms: Math.round(performance.now() - started),
    };
    if (principal === undefined && status >= badRequest) deps.logStranger(event, "management call");
    else deps.log.info?.(event, "management call");
    return new Response(body instanceof ReadableStream ? body : JSON.stringify(body), {
      status,
      headers,
    });
  };
  try {
    try {
      principal = await identified(route, observed, deps);
    } finally {
      // Failed authentication counts as well, by the client address.
      await deps.limit.take(observed, route?.endpoint, principal);
    }
    if (!route) throw refuse("route_not_found");
    if (deps.isReadOnly() && isRefusedInReadOnly(route.endpoint)) throw refuse("read_only");
    const actor = principal?.id ?? 0;
    const keyMember = {
      ...(composeKey(principal) && { management_key: composeKey(principal)?.name }),
    };
    const body = await route.run({
      ...observed,
      audit: (action, target, change = {}, actorId = actor) =>
        deps.audit({
          at: now,
          actorId,
          address,
          action,
          target,
          change: { ...change, ...keyMember },
        }),
      request: context.req.raw,
      publicUrl: deps.publicUrl,
      principal,
      params: context.req.param(),
      query: parseQuery(context.req.url),
    });
    if (deps.hasReplica && route.endpoint.method !== "GET") askForFreshReads(headers);
    if (body instanceof ReadableStream) {
      headers.set("Content-Type", `${route.endpoint.stream}; charset=utf-8`);
      return done(200, body);
    }
    return done(200, route.endpoint.bare ? body.data : body);
  } catch (error) {
    const { status, code, headers: extra, body } = buildErrorReply(error, requestId, deps.log);
    for (const [name, value] of Object.entries(extra)) headers.set(name, value);
    return done(status, body, code);
  }
}

const composeKey = (principal: Principal | undefined) =>
  principal?.credential.kind === "management_key" ? principal.credential : undefined;

/**
 * A public call continues without a principal when its credentials are stale; any other call is
 * refused. A management key is no sign-in: with one, a public call is a stranger's.
 */
async function identified(
  route: ApiRoute | undefined,
  { headers, now, proxyUser }: Pick<RequestContext, "headers" | "now" | "proxyUser">,
  { identify }: MountDeps,
) {
  if (!route) return undefined;
  if (route.endpoint.access !== "public") return identify(headers, now, proxyUser);
  const principal = await identify(headers, now, proxyUser).catch(() => undefined);
  return composeKey(principal) ? undefined : principal;
}

function observe(
  context: ApiHonoContext,
  deps: MountDeps,
): Omit<RequestContext, "principal" | "audit"> {
  const { headers } = context.req.raw;
  const requestId = deps.mintRequestId();
  const peer = context.env?.incoming?.socket.remoteAddress ?? "unknown";
  return {
    requestId,
    address: composeClientAddress(
      peer,
      headers.get("x-forwarded-for") ?? undefined,
      deps.trustedProxies,
    ),
    userAgent: (headers.get("user-agent") ?? "").slice(0, 300),
    now: deps.clock(),
    idempotencyKey: headers.get(idempotencyHeader) ?? undefined,
    comparedBy: context.env?.comparedBy,
    captchaToken: headers.get(captchaHeader) ?? parseQuery(context.req.url).turnstile,
    headers,
    proxyUser: deps.trustedHeader?.read(headers, peer, context.env?.incoming?.rawHeaders ?? []),
    responseHeaders: new Headers({ ...fixedHeaders, "X-Oneapi-Request-Id": requestId }),
  };
}

/**
 * The first of repeated keys. An empty value counts as absent, as forms and older consoles send it.
 */
function parseQuery(url: string): Record<string, string> {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URL(url).searchParams) if (value !== "") query[name] ??= value;
  return query;
}
