/** The one way a call fails: refused by the gateway (`status` set), or never answered (`status` 0). */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** A key of the contract's error table, or `timeout`, `unreachable`, `not_json` when nothing usable came back. */
  readonly code: string;
  readonly status: number;
  /** What to quote when asking the operator. */
  readonly requestId: string;
  /** What is wrong with which field, by its path in the body or query. */
  readonly fields: Readonly<Record<string, string>>;
  readonly retryAfterSeconds: number | undefined;
  /** A refusal may still carry something, such as the codes made before it failed. */
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

/** The server's words where it gave any, else ours. */
export function reasonOf(error: unknown, fallback: string): string {
  return error instanceof Error && error.message !== "" ? error.message : fallback;
}

export const requestIdOf = (error: unknown): string | undefined =>
  error instanceof ApiError && error.requestId !== "" ? error.requestId : undefined;

export const codeOf = (error: unknown): string => (error instanceof ApiError ? error.code : "");

/** It may have been done all the same. */
export const gotNoResponse = (error: unknown): boolean =>
  ["timeout", "unreachable", "not_json"].includes(codeOf(error));
