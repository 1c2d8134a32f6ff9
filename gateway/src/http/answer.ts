/** What every route needs and no route repeats: check access, parse, run, strip the reply to its schema. */
import type { BodyOf, Endpoint, EndpointParts, ParamsOf, QueryOf, Schema } from "@tollgate/contract/endpoint.ts";
import { roles } from "@tollgate/contract/users.ts";
import * as z from "zod/mini";
import type { Caller, Circumstances } from "./caller.ts";
import { explain, refuseInvalid } from "./explain.ts";
import { lacksProof } from "./proof.ts";
import { bodyBytesMax, readJson, signInBodyBytesMax } from "./read-body.ts";
import { refuse } from "./refusal.ts";

export interface Call<E extends EndpointParts> extends Circumstances {
  caller: E["access"] extends "public" ? Caller | undefined : Caller;
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
}

type DataIn<E> = E extends { data: infer S extends Schema } ? z.input<S> : undefined;
/** A call with members beside `data` answers `{ data, ...members }`; any other answers its data. */
export type Answer<E> = E extends { stream: string }
  ? ReadableStream<Uint8Array>
  : E extends { extras: infer X extends Schema }
    ? { data: DataIn<E>; message?: string } & z.input<X>
    : DataIn<E> extends undefined
      ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler without data may be one that returns nothing
        void
      : DataIn<E>;

/** The request as the HTTP layer hands it over: text still, not yet believed. */
export interface RawCall extends Circumstances {
  request: Request;
  params: Record<string, string>;
  query: Record<string, string>;
  caller: Caller | undefined;
}

export interface Route {
  endpoint: Endpoint;
  /** The reply's body: an envelope, or what an endpoint with `stream` sends. */
  run(raw: RawCall): Promise<Record<string, unknown> | ReadableStream<Uint8Array>>;
}

export function answer<E extends Endpoint>(
  endpoint: E,
  handler: (call: Call<E>) => Answer<E> | Promise<Answer<E>>,
): Route {
  const run = async (raw: RawCall) => {
    checkAccess(endpoint, raw);
    const call = {
      ...raw,
      params: parse(endpoint.params, raw.params),
      query: parse(endpoint.query, raw.query),
      body: endpoint.body && parse(endpoint.body, await bodyOf(endpoint, raw.request)),
    } as unknown as Call<E>;
    const answered: unknown = await handler(call);
    return answered instanceof ReadableStream ? answered : envelope(endpoint, answered);
  };
  return { endpoint, run };
}

const leastRole = { public: roles.guest, user: roles.user, admin: roles.admin, root: roles.root } as const;

function checkAccess(endpoint: Endpoint, { caller, request }: RawCall): void {
  if (endpoint.access !== "public" && !caller) throw refuse("not_logged_in");
  // Before the role: until the password is chosen every refusal is this one.
  if (caller?.mustChangePassword && !endpoint.beforePasswordChange) throw refuse("password_change_required");
  if (caller && caller.role < leastRole[endpoint.access]) throw refuse("insufficient_role");
  if (lacksProof(endpoint, caller, request.headers)) throw refuse("same_origin_required");
}

const bodyOf = (endpoint: Endpoint, request: Request) =>
  readJson(request, endpoint.limit === "sign-in" ? signInBodyBytesMax : bodyBytesMax);

function parse(schema: Schema | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  refuseNul(value, "");
  const parsed = z.safeParse(schema, value, { error: explain });
  if (!parsed.success) throw refuseInvalid(parsed.error);
  return parsed.data;
}

/** No database text may hold NUL, so no field may bring one, whatever its schema says. */
function refuseNul(value: unknown, path: string): void {
  if (typeof value === "string" && value.includes("\0"))
    throw refuse("invalid_request", { message: `${path} must not contain NUL characters` });
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value)) refuseNul(member, path === "" ? name : `${path}.${name}`);
}

/** Stripping by schema means that no row object ever reaches a reply whole. */
function envelope(endpoint: Endpoint, answered: unknown): Record<string, unknown> {
  const { data, message, ...extras } = endpoint.extras
    ? (answered as Record<string, unknown>)
    : { data: answered, message: undefined };
  return {
    success: true,
    message: typeof message === "string" ? message : "",
    data: endpoint.data ? z.parse(endpoint.data, data) : null,
    ...(endpoint.extras && (z.parse(endpoint.extras, extras) as Record<string, unknown>)),
  };
}
