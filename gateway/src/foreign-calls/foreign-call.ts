/**
 * Management calls of other gateways, answered by calls of this gateway's own API: their rules,
 * scopes, limits and records are those of the own calls, and nothing is allowed here that is not
 * allowed there.
 */
import type {
  BodyOf,
  DataOf,
  Endpoint,
  ExtrasOf,
  Method,
  ParamsIn,
  QueryIn,
} from "@tollgate/contract/api/endpoint.ts";

export interface ForeignRequest {
  method: string;
  path: string;
  query: Readonly<Record<string, string>>;
  /** Empty where none was sent. */
  body: Readonly<Record<string, unknown>>;
}

export interface OwnAsk<E extends Endpoint> {
  params?: ParamsIn<E>;
  query?: QueryIn<E>;
  body?: Partial<BodyOf<E>>;
}

/**
 * Calls an endpoint of the own API with the credentials of the request; throws `ForeignRefused`
 * where it refuses.
 */
export type AskOwn = <E extends Endpoint>(
  endpoint: E,
  ask?: OwnAsk<E>,
) => Promise<{ data: DataOf<E> } & Partial<ExtrasOf<E>>>;

export interface ForeignCall {
  method: Method;
  path: string;
  /**
   * `appliesTo` is about an address that the own API has as well: whether a body is the other
   * gateway's.
   */
  appliesTo?(body: ForeignRequest["body"]): boolean;
  /** The whole body of the reply. */
  answer(request: ForeignRequest, ask: AskOwn): Promise<unknown>;
}

export class ForeignRefused extends Error {
  readonly status: number;
  /** The member of the request that is at fault. */
  readonly field: string | undefined;
  constructor(status: number, message: string, field?: string) {
    super(message);
    this.status = status;
    this.field = field;
  }
}
