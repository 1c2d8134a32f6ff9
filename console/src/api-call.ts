import { captchaHeader } from "@tollgate/contract/accounts/captcha.ts";
import { proofOfWorkHeader } from "@tollgate/contract/accounts/proof-of-work.ts";
import type {
  BodyIn,
  Endpoint,
  ParamsIn,
  QueryIn,
  ReplyOf,
} from "@tollgate/contract/api/endpoint.ts";
import { consoleHeader, idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { ApiError } from "./api-error.ts";
import {
  formatRefusalMessage,
  formatTimeoutMessage,
  formatUnexpectedDataMessage,
  formatUnreachableMessage,
  formatUnreadableMessage,
} from "./api-messages.ts";
import { fitReply } from "./compat/fit-reply.ts";
import { type ReplyEnvelope, readEnvelope } from "./compat/reply-envelope.ts";
import { endsSession } from "./compat/session-end.ts";
import { dropEarlyReply, giveEarlyReply, readEarlyText, takeEarlyReply } from "./early-replies.ts";
import { loadWords, refusalWords } from "./load-words.ts";
import { computeSessionNumber, endSession, updateUser } from "./session.ts";
import { basePath } from "./site-path.ts";

const timeoutMsDefault = 10_000;

type OptionalMember<Name extends string, T> = undefined extends T
  ? { [K in Name]?: T }
  : Record<never, never> extends T
    ? { [K in Name]?: T | undefined }
    : { [K in Name]: T };

/** The input of a call: exactly the parts that the endpoint declares. */
export type ApiInput<E> = OptionalMember<"params", ParamsIn<E>> &
  OptionalMember<"query", QueryIn<E>> &
  OptionalMember<"body", BodyIn<E>>;
export type EndpointReply<E> = ReplyOf<E> & { message: string };
export type ApiCallOptions = {
  timeoutMs?: number;
  signal?: AbortSignal;
  idempotencyKey?: string;
  /** The answer to a proof of work that the server asked for. */
  work?: string;
  /** The token of a captcha that the server asked for. */
  captcha?: string;
};
export type ApiCallArguments<E> =
  Record<never, never> extends ApiInput<E>
    ? [input?: ApiInput<E> & ApiCallOptions]
    : [input: ApiInput<E> & ApiCallOptions];
export type AnyApiInput = ApiCallOptions & {
  params?: object | undefined;
  query?: object | undefined;
  body?: unknown;
};

let sessionChangeHandler = (): void => {};
let findCaptchaSolver = async (_task: unknown): Promise<string | undefined> => undefined;

/**
 * Sets the handler for a session that ended or that requires a password change; the shell then
 * redirects.
 */
export function onSessionChange(handler: () => void) {
  sessionChangeHandler = handler;
}

/** Sets what has the user solve a captcha: it resolves to the token, or to undefined. */
export function onCaptcha(solve: (task: unknown) => Promise<string | undefined>) {
  findCaptchaSolver = solve;
}

/**
 * Makes one call and unwraps the envelope. Throws an ApiError for a refusal and for a missing
 * response.
 */
export async function call<E extends Endpoint>(
  endpoint: E,
  ...[inputArgument]: ApiCallArguments<E>
): Promise<EndpointReply<E>> {
  const input: AnyApiInput = inputArgument ?? {};
  const path = fillPath(endpoint.path, input.params);
  const timeoutMs = input.timeoutMs ?? endpoint.timeoutMs ?? timeoutMsDefault;
  const session = computeSessionNumber();
  const response = await send(endpoint.method, path + queryText(input.query), timeoutMs, input);
  const envelope = await readResponse(response);
  // A late refusal is about the session that the call was made in, not about one that has begun
  // since.
  if (endsSession(path, response.status, envelope) && session === computeSessionNumber()) {
    dropEarlyReply();
    endSession();
    sessionChangeHandler();
  }
  if (envelope.code === "password_change_required" || envelope.code === "second_factor_required") {
    const isPassword = envelope.code === "password_change_required";
    updateUser(isPassword ? { must_change_password: true } : { must_add_second_factor: true });
    sessionChangeHandler();
  }
  if (envelope.code === "proof_of_work_required" && input.work === undefined) {
    const { doWork } = await import("./do-work.ts");
    const work = await doWork(envelope.data, input.signal);
    if (work !== undefined)
      return await call(endpoint, ...([{ ...input, work }] as unknown as ApiCallArguments<E>));
  }
  if (envelope.code === "captcha_required" && input.captcha === undefined) {
    const captcha = await findCaptchaSolver(envelope.data);
    if (captcha !== undefined)
      return await call(endpoint, ...([{ ...input, captcha }] as unknown as ApiCallArguments<E>));
  }
  if (!envelope.success || !response.ok) {
    await loadWords(refusalWords);
    const reason = formatRefusalMessage(envelope.code, envelope.message);
    const fields = Object.entries(envelope.fields ?? {});
    throw new ApiError(reason, {
      ...envelope,
      // A field error that repeats the refusal gets the same translation.
      fields: Object.fromEntries(
        fields.map(([name, text]) => [name, text === envelope.message ? reason : text]),
      ),
      status: response.status,
      requestId: response.headers.get("X-Oneapi-Request-Id") ?? undefined,
      retryAfterSeconds: envelope.retryAfterSeconds ?? findSecondsOfHeader(response, "Retry-After"),
    });
  }
  const fitted = fitReply(endpoint, envelope);
  if (fitted === undefined) {
    const requestId = response.headers.get("X-Oneapi-Request-Id") ?? undefined;
    throw new ApiError(formatUnexpectedDataMessage(), {
      status: response.status,
      code: "unexpected_data",
      requestId,
    });
  }
  return { ...fitted, message: envelope.message } as EndpointReply<E>;
}

/**
 * The reply of a call that was asked for early and is there already, at once, so that a page is
 * drawn with it. Undefined for what is not there, and for every reply that is more than data: the
 * call takes that one, by its rules.
 */
export function readArrivedReply<E extends Endpoint>(
  endpoint: E,
  ...[input]: ApiCallArguments<E>
): EndpointReply<E> | undefined {
  const url = fillPath(endpoint.path, input?.params) + queryText(input?.query);
  const text = readEarlyText(url);
  if (text === undefined) return undefined;
  try {
    const envelope = readEnvelope(JSON.parse(text), true);
    const fitted = envelope.success ? fitReply(endpoint, envelope) : undefined;
    if (fitted === undefined) return undefined;
    giveEarlyReply(url);
    return { ...fitted, message: envelope.message } as EndpointReply<E>;
  } catch {
    return undefined;
  }
}

/** The response streams the file. Throws an ApiError for a refusal. */
export async function requestCsv(
  path: string,
  search: URLSearchParams,
  signal: AbortSignal,
): Promise<Response> {
  const headers = { [consoleHeader.name]: consoleHeader.value };
  const response = await fetch(`${basePath}${path}?${search}`, { headers, signal });
  if (response.ok && response.headers.get("Content-Type")?.startsWith("text/csv")) return response;
  const { message, ...refused } = readEnvelope(await response.json(), false);
  const requestId = response.headers.get("X-Oneapi-Request-Id") ?? undefined;
  throw new ApiError(message, { ...refused, status: response.status, requestId });
}

async function send(
  method: string,
  url: string,
  timeoutMs: number,
  input: AnyApiInput,
): Promise<Response> {
  const headers = new Headers();
  if (url.startsWith("/v1/")) {
    const { composePlaygroundKey } = await import("./playground-key.ts");
    headers.set("Authorization", `Bearer ${await composePlaygroundKey(call)}`);
  } else headers.set(consoleHeader.name, consoleHeader.value);
  if (input.body !== undefined && !(input.body instanceof Blob))
    headers.set("Content-Type", "application/json");
  if (input.work !== undefined) headers.set(proofOfWorkHeader, input.work);
  if (input.captcha !== undefined) headers.set(captchaHeader, input.captcha);
  if (input.idempotencyKey !== undefined) headers.set(idempotencyHeader, input.idempotencyKey);
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = input.signal === undefined ? timeout : AbortSignal.any([timeout, input.signal]);
  try {
    const early = takeEarlyReply(method, url, signal);
    if (early !== undefined) return await early;
    return await fetch(basePath + url, {
      method,
      headers,
      credentials: "include",
      body: input.body === undefined ? null : readBody(input.body),
      signal,
    });
  } catch (cause) {
    throw buildNoResponseError(cause, isTimeout(cause), timeoutMs);
  }
}

const isTimeout = (cause: unknown): boolean =>
  cause instanceof DOMException && cause.name === "TimeoutError";

/**
 * A number that the server did not send (NaN, see compat/fit-reply.ts) is left out: JSON would
 * write null.
 */
const readBody = (body: unknown): string | Blob =>
  body instanceof Blob
    ? body
    : JSON.stringify(body, (_, value: unknown) => (Number.isNaN(value) ? undefined : value));

async function readResponse(response: Response): Promise<ReplyEnvelope> {
  const body = await response.text().catch((cause) => {
    throw buildNoResponseError(cause, isTimeout(cause), timeoutMsDefault);
  });
  try {
    return readEnvelope(body === "" ? null : JSON.parse(body), response.ok);
  } catch {
    const status = response.status;
    throw new ApiError(formatUnreadableMessage(status), {
      status,
      code: "not_json",
    });
  }
}

/**
 * The error for a missing response: timeout or connection failure. A call aborted by the console
 * stays an AbortError.
 */
function buildNoResponseError(cause: unknown, timedOut: boolean, timeoutMs: number): unknown {
  if (timedOut)
    return new ApiError(formatTimeoutMessage(timeoutMs / 1000), { status: 0, code: "timeout" });
  if (cause instanceof DOMException && cause.name === "AbortError") return cause;
  return new ApiError(formatUnreachableMessage(), { status: 0, code: "unreachable" });
}

function fillPath(path: string, params: object | undefined): string {
  const values = new Map(Object.entries(params ?? {}));
  return path.replace(/:([a-z_]+)/g, (_, name: string) =>
    encodeURIComponent(String(values.get(name) ?? "")),
  );
}

function queryText(query: object | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}

function findSecondsOfHeader(response: Response, name: string): number | undefined {
  const seconds = Number(response.headers.get(name) ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
