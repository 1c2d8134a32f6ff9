/**
 * The relay's refusals as values that hold what every API format needs, and their rendering in
 * OpenAI's format.
 */
export interface RelayRefusal {
  status: number;
  type: string;
  message: string;
  /**
   * Only refusals of the relay and of upstreams carry code and param; those of authentication and
   * routing do not.
   */
  code?: string | number | null;
  param?: string;
  /** Seconds. */
  retryAfter?: number;
  /** Further response headers: names and values in turn. */
  headers?: readonly string[];
  /**
   * Wallet, key or a budget do not cover the call. No try will, so that each dialect says it in
   * words on which agents stop.
   */
  isOfMoney?: boolean;
  /** The budget that does not cover the call. */
  budget?: RefusingBudget;
  /**
   * The prompt is longer than the model reads: agents shorten the conversation when they are told
   * so in the words of their dialect.
   */
  isContextTooLong?: boolean;
  /** Closes the connection after the response. */
  closesConnection?: boolean;
}

/**
 * `RefusingBudget` is as clients see it. Sums are quota units, and missing where they are the
 * operator's alone.
 */
export interface RefusingBudget {
  id: number;
  name: string;
  subject: string;
  /**
   * `level` is at which level the call was stopped: what `subject` says, under the name that
   * programs ask for.
   */
  level: string;
  window: string;
  /** `measure` says what the sums count where that is not quota. */
  measure?: string;
  amount?: number;
  /** `granted` is a part of the amount, for this window alone; missing where nothing was granted. */
  granted?: number;
  spent?: number;
  held?: number;
  /** `resets_at` is when the next window begins, in UTC; missing for one without an end. */
  resets_at?: string;
  zone: string;
}

/** Client libraries send a failed request again unless this header says not to. */
export const noRetryHeaders = ["x-should-retry", "false"];

/** Thrown by the steps before anything is held, and caught in one place per entry point. */
export class RelayRefused extends Error {
  readonly refusal: RelayRefusal;
  constructor(refusal: RelayRefusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** The process lacks a resource; a retry in a few seconds will most likely succeed. */
export const overloaded: RelayRefusal = {
  status: 503,
  type: "server_error",
  code: "overloaded",
  message: "The gateway has too much to do at the moment; try again in a few seconds",
  retryAfter: 5,
  closesConnection: true,
};

/** A refusal of authentication, authorization or routing. */
export const refuseDenied = (status: number, message: string, retryAfter?: number): RelayRefused =>
  new RelayRefused({
    status,
    type: "one_api_error",
    message,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });

/** Until channels that were disabled automatically are tested again, a retry is of little use. */
const channelRetryAfterS = 30;

/** A channel of the key's groups lists the model, and none can be used now. */
export const refuseNoUsableChannel = (message: string): RelayRefused =>
  new RelayRefused({
    status: 503,
    type: "server_error",
    code: noUsableChannelCode,
    message,
    retryAfter: channelRetryAfterS,
  });
const noUsableChannelCode = "no_channel";

export const modelNotFoundCode = "model_not_found";

/**
 * `refuseModelNotFound` says that the model does not exist for this key: agents tell their user at
 * once, where they would send a call that met a 503 again for minutes.
 */
export const refuseModelNotFound = (model: string): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    code: modelNotFoundCode,
    message: `The model ${model} does not exist, or this API key has no access to it`,
    param: "model",
  });

/** A mistake in the client's request. */
export const refuseBadRequest = (code: string, message: string, param = ""): RelayRefused =>
  new RelayRefused({ status: 400, type: "invalid_request_error", message, code, param });

/** The rest is not read. */
export const refuseBodyTooSlow = (): RelayRefused =>
  new RelayRefused({
    status: 408,
    type: "invalid_request_error",
    code: "request_too_slow",
    message: "The body comes too slowly",
    closesConnection: true,
  });

/**
 * `refusePreviousResponseNotFound` does the same for a response that never existed, one that has
 * expired, and one of another user.
 */
export const refusePreviousResponseNotFound = (): RelayRefused =>
  new RelayRefused({
    status: 404,
    type: "invalid_request_error",
    message: "The previous response was not found",
    code: "previous_response_not_found",
    param: "previous_response_id",
  });

/**
 * The words, with the id of the request: but agents search a refusal of money for digits that look
 * like a status.
 */
export const writeWordsWithId = (
  { message, isOfMoney }: RelayRefusal,
  requestId: string,
): string => (isOfMoney ? message : `${message} (request id: ${requestId})`);

/** The member `error` of OpenAI's format; `type` is the dialect's word for it. */
export function buildRefusalError(refusal: RelayRefusal, type: string, requestId: string) {
  const { code, param, budget } = refusal;
  const error: Record<string, unknown> = { message: writeWordsWithId(refusal, requestId), type };
  if (code !== undefined) {
    error.param = param || null;
    error.code = code;
  }
  if (budget) error.budget = budget;
  return error;
}
