/** How the relay says no: a value with everything that the caller's shape needs, and the one function that words it. */
export interface RelayRefusal {
  status: number;
  type: string;
  message: string;
  /** Only refusals of the relay proper and of upstreams carry them; those of authentication and selection do not. */
  code?: string | number | null;
  param?: string;
  /** Seconds. */
  retryAfter?: number;
  /** Further headers of the answer: names and values in turn. */
  headers?: readonly string[];
  /** The connection ends with the answer. */
  closesConnection?: boolean;
}

/** Thrown by the steps before anything is held; the story catches it in one place. */
export class RelayRefused extends Error {
  readonly refusal: RelayRefusal;
  constructor(refusal: RelayRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The process is short of something: whoever comes back in a moment finds it, most likely. */
export const overloaded: RelayRefusal = {
  status: 503,
  type: "server_error",
  code: "overloaded",
  message: "The gateway has too much to do at the moment; try again in a few seconds",
  retryAfter: 5,
  closesConnection: true,
};

/** A refusal of authentication, authorisation or selection. */
export const denied = (status: number, message: string, retryAfter?: number): RelayRefused =>
  new RelayRefused({ status, type: "one_api_error", message, ...(retryAfter === undefined ? {} : { retryAfter }) });

/** The caller's own mistake in the body. */
export const badRequest = (code: string, message: string, param = ""): RelayRefused =>
  new RelayRefused({ status: 400, type: "invalid_request_error", message, code, param });

/** Said alike of what never was, what is gone, and what is somebody else's. */
export const previousResponseNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    message: "The previous response was not found",
    code: "previous_response_not_found",
    param: "previous_response_id",
  });

export function refusalBody({ message, type, code, param }: RelayRefusal, requestId: string): string {
  const error: Record<string, unknown> = { message: `${message} (request id: ${requestId})`, type };
  if (code !== undefined) {
    error.param = param ?? "";
    error.code = code;
  }
  return JSON.stringify({ error });
}
