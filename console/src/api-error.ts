/**
 * The only error of a call: refused by the gateway (`status` set), or without a response (`status`
 * 0).
 */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /**
   * A key of the contract's error table, or `timeout`, `unreachable`, `not_json`, `unexpected_data`
   * without a usable response.
   */
  readonly code: string;
  readonly status: number;
  /** The id to quote to the operator. */
  readonly requestId: string;
  /** Error messages by field path in the body or query. */
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  /** A refusal may carry data, such as the codes created before the failure. */
  readonly data: unknown;

  constructor(message: string, details: ApiErrorDetails) {
    super(message);
    this.code = details.code ?? "";
    this.status = details.status;
    this.requestId = details.requestId ?? "";
    this.fields = details.fields ?? {};
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.data = details.data;
  }
}

export type ApiErrorDetails = {
  status: number;
  code?: string | undefined;
  requestId?: string | undefined;
  fields?: Readonly<Record<string, string>> | undefined;
  retryAfterSeconds?: number | undefined;
  data?: unknown;
};

/** The server's message, or `fallback` without one. */
export function readReason(error: unknown, fallback: string): string {
  return error instanceof Error && error.message !== "" ? error.message : fallback;
}

export const findRequestId = (error: unknown): string | undefined =>
  error instanceof ApiError && error.requestId !== "" ? error.requestId : undefined;

export const readCode = (error: unknown): string => (error instanceof ApiError ? error.code : "");

/** True when the outcome is unknown: the server may have carried out the call. */
export const gotNoResponse = (error: unknown): boolean =>
  ["timeout", "unreachable", "not_json"].includes(readCode(error));
