/**
 * An API operation as data: the gateway implements it, the console calls it, the OpenAPI document
 * lists it.
 */
import type * as z from "zod/mini";
import type { Scope } from "../accounts/scopes.ts";
import { buildMembers, type ReplyShape, replyShape } from "./reply-shape.ts";

export type EndpointSchema = z.ZodMiniType;
export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The lowest role that may call: none (not signed in), 1, 10, 100. */
export type Access = "public" | "user" | "admin" | "root";

export interface EndpointSpec {
  /** There is no default, so an operation without it does not compile. */
  access: Access;
  /**
   * The scope that a management key needs; with `none`, no key may call. Operations on one's own
   * sign-in, on management keys and on money (except grants) are closed to keys, as are those that
   * need no sign-in anyway.
   */
  scope: Scope | "none";
  summary: string;
  params?: EndpointSchema;
  query?: EndpointSchema;
  body?: EndpointSchema;
  /** The `data` member of the reply; `null` for an operation without it. */
  data?: EndpointSchema;
  /** Top-level members beside `data`, such as `total`. */
  extras?: z.ZodMiniObject;
  /**
   * Marks a GET that changes state: a cookie alone does not authorise it, the browser must prove
   * that the request comes from the console's own pages. POST, PUT and DELETE are always checked,
   * so they are not marked.
   */
  proof?: "same-origin";
  /**
   * Two operations may share method and path: this one is selected by the presence of this query
   * parameter.
   */
  variant?: string;
  /**
   * A management key that is bound to a team may call: the handler reaches one team alone, by
   * `reachTeam` or `team-sight.ts`. All other operations are closed to such keys.
   */
  inTeam?: true;
  /** Allowed while a forced password change is pending. */
  beforePasswordChange?: true;
  /**
   * Allowed while the second factor that the operator demands is not set up; so is whatever a
   * password change waits for.
   */
  beforeSecondFactor?: true;
  /** Changes nothing that lasts but sign-ins: it works on a server that is read-only, too. */
  inReadOnly?: true;
  /** Has the tight limits of sign-in: small bodies and few attempts per client address. */
  limit?: "sign-in";
  /** The body may be a form too, as other programs' standards demand. */
  takesForm?: true;
  /** The body is a whole document: its bounds are wider than those of a form. */
  hasLargeBody?: true;
  /** The body is bytes of any kind in place of JSON, at most this endpoint's own bound of them. */
  takesFile?: true;
  /** The reply has no envelope (documents such as the OpenAPI description). */
  bare?: true;
  /**
   * The reply is a stream of this media type without the envelope. A refusal comes first, in the
   * envelope.
   */
  stream?: "text/csv" | "application/x-ndjson";
  /** The client's timeout where ten seconds are too short. */
  timeoutMs?: number;
}

export type Endpoint<Parts extends EndpointSpec = EndpointSpec> = {
  method: Method;
  path: string;
  /**
   * `reply` is what a reply holds, for clients that fit the replies of other servers to the
   * contract.
   */
  reply: {
    data?: ReplyShape;
    extras?: Readonly<Record<string, ReplyShape>>;
    /** The operation changes state: once it has succeeded, missing data is no failure. */
    isChange?: true;
  };
} & Parts;

export const endpoint = <const Parts extends EndpointSpec>(
  method: Method,
  path: string,
  spec: Parts,
): Endpoint<Parts> => ({
  method,
  path,
  reply: {
    ...(spec.data && { data: replyShape(spec.data) }),
    ...(spec.extras && { extras: buildMembers(spec.extras._zod.def.shape) }),
    ...((method !== "GET" || spec.proof !== undefined) && { isChange: true }),
  },
  ...spec,
});

/**
 * `isRefusedInReadOnly` gives what a server that is read-only refuses. A scope that only reads says
 * that a POST is a search.
 */
export const isRefusedInReadOnly = ({ reply, scope, inReadOnly }: Endpoint): boolean =>
  reply.isChange === true && !inReadOnly && !scope.endsWith(":read");

type SchemaMember<E, Name extends string> =
  E extends Record<Name, infer S extends EndpointSchema> ? S : undefined;
type SchemaOutput<S> = S extends EndpointSchema ? z.output<S> : undefined;
type SchemaInput<S> = S extends EndpointSchema ? z.input<S> : undefined;

/** `ParamsOf` is what a handler receives: parsed values. */
export type ParamsOf<E> = SchemaOutput<SchemaMember<E, "params">>;
export type QueryOf<E> = SchemaOutput<SchemaMember<E, "query">>;
export type BodyOf<E> = E extends { takesFile: true }
  ? ReadableStream<Uint8Array>
  : SchemaOutput<SchemaMember<E, "body">>;

/** `ParamsIn` is what a client sends: values before parsing. */
export type ParamsIn<E> = SchemaInput<SchemaMember<E, "params">>;
export type QueryIn<E> = SchemaInput<SchemaMember<E, "query">>;
export type BodyIn<E> = E extends { takesFile: true } ? Blob : SchemaInput<SchemaMember<E, "body">>;

/** `DataOf` is what a client receives. */
export type DataOf<E> = E extends { data: infer S extends EndpointSchema } ? z.output<S> : null;
export type ExtrasOf<E> = E extends { extras: infer S extends EndpointSchema }
  ? z.output<S>
  : Record<never, never>;
export type ReplyOf<E> = { data: DataOf<E> } & ExtrasOf<E>;
