/** The shape of one API operation as data: the gateway answers it, the console calls it, the documents list it. */
import type * as z from "zod/mini";

export type EndpointSchema = z.ZodMiniType;
export type Method = "GET" | "POST" | "PUT" | "DELETE";

/** The least role that may call: nobody signed in, 1, 10, 100. */
export type Access = "public" | "user" | "admin" | "root";

export interface EndpointSpec {
  /** Without a default, so that forgetting it does not compile. */
  access: Access;
  summary: string;
  params?: EndpointSchema;
  query?: EndpointSchema;
  body?: EndpointSchema;
  /** What stands under `data`; a call without it answers `null` there. */
  data?: EndpointSchema;
  /** Members beside `data` at the top level, such as `total`. */
  extras?: z.ZodMiniObject;
  /**
   * Marks a GET that changes something: a cookie alone does not authorise it, the browser must prove that the call
   * comes from our own pages. POST, PUT and DELETE always need that proof, so they are not marked.
   */
  proof?: "same-origin";
  /** Two operations may share method and path: this one is meant when the query has this key with any value. */
  variant?: string;
  /** Answers while a forced password change is pending, when everything else is refused. */
  beforePasswordChange?: true;
  /** Guarded by the tight limits of sign-in: small bodies and few tries per source. */
  limit?: "sign-in";
  /** The reply is sent as it is, without the envelope (documents such as the OpenAPI description). */
  bare?: true;
  /** The reply is a stream of this media type, without the envelope; a refusal comes before it begins, as always. */
  stream?: "text/csv" | "application/x-ndjson";
  /** Milliseconds a client should wait, where ten seconds are too few. */
  timeoutMs?: number;
}

export type Endpoint<Parts extends EndpointSpec = EndpointSpec> = {
  method: Method;
  path: string;
  /** Whether `data` is a list: null then means an empty one. */
  list: boolean;
} & Parts;

export const endpoint = <const Parts extends EndpointSpec>(
  method: Method,
  path: string,
  spec: Parts,
): Endpoint<Parts> => ({ method, path, list: spec.data?._zod.def.type === "array", ...spec });

type SchemaMember<E, Name extends string> = E extends Record<Name, infer S extends EndpointSchema> ? S : undefined;
type SchemaOutput<S> = S extends EndpointSchema ? z.output<S> : undefined;
type SchemaInput<S> = S extends EndpointSchema ? z.input<S> : undefined;

/** What a handler receives: parsed. */
export type ParamsOf<E> = SchemaOutput<SchemaMember<E, "params">>;
export type QueryOf<E> = SchemaOutput<SchemaMember<E, "query">>;
export type BodyOf<E> = SchemaOutput<SchemaMember<E, "body">>;

/** What a caller writes: before parsing. */
export type ParamsIn<E> = SchemaInput<SchemaMember<E, "params">>;
export type QueryIn<E> = SchemaInput<SchemaMember<E, "query">>;
export type BodyIn<E> = SchemaInput<SchemaMember<E, "body">>;

/** What a caller gets back. */
export type DataOf<E> = E extends { data: infer S extends EndpointSchema } ? z.output<S> : null;
export type ExtrasOf<E> = E extends { extras: infer S extends EndpointSchema } ? z.output<S> : Record<never, never>;
export type ReplyOf<E> = { data: DataOf<E> } & ExtrasOf<E>;
