/**
 * The steps that every route needs and no route repeats: check access, parse the input, run the
 * handler, strip the reply to its schema.
 */

import { leastRole } from "@tollgate/contract/accounts/grantable-scopes.ts";
import { roles } from "@tollgate/contract/accounts/roles.ts";
import type {
  BodyOf,
  Endpoint,
  EndpointSchema,
  EndpointSpec,
  ParamsOf,
  QueryOf,
} from "@tollgate/contract/api/endpoint.ts";
import { dryRunHeader } from "@tollgate/contract/api/envelope.ts";
import { buildIgnoredHeader, findUnknownNames } from "@tollgate/contract/api/query-names.ts";
import * as z from "zod/mini";
import { failsCsrfCheck } from "./csrf.ts";
import { buildKeyRefusal } from "./management-key-access.ts";
import {
  bodyBytesMax,
  documentBytesMax,
  isFormType,
  readForm,
  readJson,
  signInBodyBytesMax,
} from "./read-json-body.ts";
import { explainRefusal, narrowAuditor } from "./read-only-account.ts";
import { refuse } from "./refusal.ts";
import type { Principal, RequestContext } from "./request-context.ts";
import { parseOrRefuse } from "./validation-errors.ts";

export interface ApiCall<E extends EndpointSpec> extends RequestContext {
  principal: E["access"] extends "public" ? Principal | undefined : Principal;
  params: ParamsOf<E>;
  query: QueryOf<E>;
  body: BodyOf<E>;
}

type ReplyDataInput<E> = E extends { data: infer S extends EndpointSchema }
  ? z.input<S>
  : undefined;
/**
 * An endpoint with members beside `data` returns `{ data, ...members }`; any other endpoint returns
 * its data.
 */
export type ApiReply<E> = E extends { stream: string }
  ? ReadableStream<Uint8Array>
  : E extends { extras: infer X extends EndpointSchema }
    ? { data: ReplyDataInput<E>; message?: string } & z.input<X>
    : ReplyDataInput<E> extends undefined
      ? // biome-ignore lint/suspicious/noConfusingVoidType: a handler without data may be one that returns nothing
        void
      : ReplyDataInput<E>;

const ignoredHeaderName = "x-tollgate-ignored";

/** The request as the HTTP layer passes it on: nothing is parsed yet. */
export interface RawApiCall extends RequestContext {
  request: Request;
  /** The address that the operator has configured for browsers. */
  publicUrl: string | undefined;
  params: Record<string, string>;
  query: Record<string, string>;
}

export interface ApiRoute {
  endpoint: Endpoint;
  /** The body of the reply: an envelope, or the stream of an endpoint with `stream`. */
  run(raw: RawApiCall): Promise<Record<string, unknown> | ReadableStream<Uint8Array>>;
}

export function apiRoute<E extends Endpoint>(
  endpoint: E,
  handler: (call: ApiCall<E>) => ApiReply<E> | Promise<ApiReply<E>>,
): ApiRoute {
  const answer = async (call: ApiCall<E>) => {
    try {
      return await handler(call);
    } catch (error) {
      throw explainRefusal(endpoint, call.principal, error);
    }
  };
  const run = async (raw: RawApiCall) => {
    checkAccess(endpoint, raw);
    checkQuery(endpoint, raw);
    const call = {
      ...raw,
      principal: narrowAuditor(endpoint, raw.principal),
      params: parseParams(endpoint, raw.params),
      query: parse(endpoint.query, raw.query),
      body: endpoint.takesFile
        ? (raw.request.body ?? emptyBody())
        : endpoint.body && parse(endpoint.body, await readBody(endpoint, raw.request)),
    } as unknown as ApiCall<E>;
    if (isDryRun(endpoint, raw.request)) return dryRunReply;
    const result: unknown = await answer(call);
    return result instanceof ReadableStream ? result : buildEnvelope(endpoint, result);
  };
  return { endpoint, run };
}

function checkQuery(endpoint: Endpoint, { query, responseHeaders }: RawApiCall): void {
  const { refused, ignored } = findUnknownNames(endpoint, Object.keys(query));
  if (refused !== undefined) {
    const name = refused.slice(0, 64);
    throw refuse("filter_unknown", {
      message: `The query parameter ${name} is not known here. Leave it out; docs/api.md names those of this address`,
      fields: { [name]: "is not known here" },
    });
  }
  const named = buildIgnoredHeader(ignored);
  if (named !== "") responseHeaders.set(ignoredHeaderName, named);
}

/**
 * A program tries what its key may do and whether its input fits; what only the handler knows is
 * not asked.
 */
const isDryRun = ({ method, proof }: Endpoint, { headers }: Request): boolean =>
  (method !== "GET" || proof !== undefined) &&
  headers.get(dryRunHeader.name)?.trim().toLowerCase() === dryRunHeader.value;

const dryRunReply = { success: true, message: "", data: null, dry_run: true };

/** The reply to a dry run of a program that sends this body; throws the refusal. */
export function tryCall(
  endpoint: Endpoint,
  { principal, address, body }: Pick<RawApiCall, "principal" | "address"> & { body: unknown },
): Record<string, unknown> {
  checkAccess(endpoint, { principal, address, headers: new Headers(), publicUrl: undefined });
  if (!endpoint.takesFile) parse(endpoint.body, body);
  return dryRunReply;
}

type Caller = Pick<RawApiCall, "principal" | "headers" | "publicUrl" | "address">;

function checkAccess(endpoint: Endpoint, { principal, headers, publicUrl, address }: Caller): void {
  if (endpoint.access !== "public" && !principal) throw refuse("not_logged_in");
  if (principal?.credential.kind === "management_key") {
    const refusal = buildKeyRefusal(endpoint, principal.credential, { ...principal, address });
    if (refusal)
      throw refuse(
        refusal,
        refusal === "management_key_scope" ? { data: { scope: endpoint.scope } } : {},
      );
  }
  // Before the role, because every call gets this refusal until the user has chosen a password.
  if (principal?.mustChangePassword && !endpoint.beforePasswordChange)
    throw refuse("password_change_required");
  if (
    principal?.mustAddSecondFactor &&
    !endpoint.beforeSecondFactor &&
    !endpoint.beforePasswordChange
  )
    throw refuse("second_factor_required");
  const { role } = narrowAuditor(endpoint, principal) ?? { role: roles.root };
  if (role < leastRole[endpoint.access]) throw refuse("insufficient_role");
  if (failsCsrfCheck(endpoint, principal, headers, publicUrl)) throw refuse("same_origin_required");
}

/**
 * A word in the place of an id is an address of another server of the family, such as
 * `/api/user/models`.
 */
const word = /^[a-z][a-z_-]*$/;

function parseParams({ params }: Endpoint, sent: Record<string, string>): unknown {
  try {
    return parse(params, sent);
  } catch (error) {
    if (sent.id !== undefined && word.test(sent.id)) throw refuse("route_not_found");
    throw error;
  }
}

const emptyBody = () => new ReadableStream({ start: (controller) => controller.close() });

const readBody = (endpoint: Endpoint, request: Request) =>
  endpoint.takesForm && isFormType(request.headers.get("content-type"))
    ? readForm(request, signInBodyBytesMax)
    : readJson(
        request,
        endpoint.hasLargeBody
          ? documentBytesMax
          : endpoint.limit === "sign-in" || endpoint.takesForm
            ? signInBodyBytesMax
            : bodyBytesMax,
      );

function parse(schema: EndpointSchema | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  refuseNul(value, "");
  return parseOrRefuse(schema, value);
}

/** Neither database stores NUL in text, so no field may hold it, whatever its schema allows. */
function refuseNul(value: unknown, path: string): void {
  if (typeof value === "string" && value.includes("\0"))
    throw refuse("invalid_request", { message: `${path} must not contain NUL characters` });
  if (typeof value !== "object" || value === null) return;
  for (const [name, member] of Object.entries(value))
    refuseNul(member, path === "" ? name : `${path}.${name}`);
}

/** Stripping by schema keeps row objects from reaching a reply whole. */
function buildEnvelope(endpoint: Endpoint, result: unknown): Record<string, unknown> {
  const { data, message, ...extras } = endpoint.extras
    ? (result as Record<string, unknown>)
    : { data: result, message: undefined };
  return {
    success: true,
    message: typeof message === "string" ? message : "",
    data: endpoint.data ? z.parse(endpoint.data, data) : null,
    ...(endpoint.extras && (z.parse(endpoint.extras, extras) as Record<string, unknown>)),
  };
}
