import type { BodyIn, Endpoint, ParamsIn, QueryIn, ReplyOf } from "@tollgate/contract/endpoint.ts";
import { consoleHeader, idempotencyHeader } from "@tollgate/contract/envelope.ts";
import { ApiError } from "./api-error.ts";
import { refusalWords, timeoutWords, unreachableWords, unreadableWords } from "./api-words.ts";
import { signOut, updateUser } from "./session.ts";
import { endsSession } from "./session-end.ts";
import { type Envelope, listOrNothing, readEnvelope } from "./wire.ts";

const timeoutMsDefault = 10_000;

type Member<Name extends string, T> = undefined extends T
  ? { [K in Name]?: T }
  : Record<never, never> extends T
    ? { [K in Name]?: T | undefined }
    : { [K in Name]: T };

/** What an endpoint needs to be called: exactly the parts its contract names. */
export type InputOf<E> = Member<"params", ParamsIn<E>> & Member<"query", QueryIn<E>> & Member<"body", BodyIn<E>>;
export type Reply<E> = ReplyOf<E> & { message: string };
export type Call = { timeoutMs?: number; signal?: AbortSignal; idempotencyKey?: string };
export type Arguments<E> =
  Record<never, never> extends InputOf<E> ? [input?: InputOf<E> & Call] : [input: InputOf<E> & Call];
export type AnyInput = Call & { params?: object | undefined; query?: object | undefined; body?: unknown };

let whenSessionChanges = (): void => {};

/** The shell decides where a person goes whose session has ended or who must choose a password first. */
export function onSessionChange(handler: () => void) {
  whenSessionChanges = handler;
}

/** One call, its envelope opened: the reply, or an ApiError. */
export async function call<E extends Endpoint>(endpoint: E, ...[given]: Arguments<E>): Promise<Reply<E>> {
  const input: AnyInput = given ?? {};
  const path = fillPath(endpoint.path, input.params);
  const timeoutMs = input.timeoutMs ?? endpoint.timeoutMs ?? timeoutMsDefault;
  const response = await send(endpoint.method, path + queryText(input.query), timeoutMs, input);
  const envelope = await readReply(response);
  if (endsSession(path, response.status, envelope)) {
    signOut();
    whenSessionChanges();
  }
  if (envelope.code === "password_change_required") {
    updateUser({ must_change_password: true });
    whenSessionChanges();
  }
  if (!envelope.success || !response.ok) {
    const words = refusalWords(envelope.code, envelope.message);
    const fields = Object.entries(envelope.fields ?? {});
    throw new ApiError(words, {
      ...envelope,
      // A field that repeats the refusal says it in the same words.
      fields: Object.fromEntries(fields.map(([name, text]) => [name, text === envelope.message ? words : text])),
      status: response.status,
      requestId: response.headers.get("X-Oneapi-Request-Id") ?? undefined,
      retryAfterSeconds: envelope.retryAfterSeconds ?? headerSeconds(response, "Retry-After"),
    });
  }
  const data = listOrNothing(envelope.data, endpoint.list);
  // The gateway strips its replies to the contract and tests prove it; parsing them again here would cost every screen.
  return { ...envelope.extras, data, message: envelope.message } as Reply<E>;
}

async function send(method: string, address: string, timeoutMs: number, input: AnyInput): Promise<Response> {
  const headers = new Headers();
  if (address.startsWith("/v1/")) {
    const { playgroundKey } = await import("./playground-key.ts");
    headers.set("Authorization", `Bearer ${await playgroundKey(call)}`);
  } else headers.set(consoleHeader.name, consoleHeader.value);
  if (input.body !== undefined) headers.set("Content-Type", "application/json");
  if (input.idempotencyKey !== undefined) headers.set(idempotencyHeader, input.idempotencyKey);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    return await fetch(address, {
      method,
      headers,
      credentials: "include",
      body: input.body === undefined ? null : JSON.stringify(input.body),
      signal: input.signal === undefined ? timeout : AbortSignal.any([timeout, input.signal]),
    });
  } catch (cause) {
    throw silence(cause, timeout.aborted, timeoutMs);
  }
}

async function readReply(response: Response): Promise<Envelope> {
  const body = await response.text().catch((cause) => {
    throw silence(cause, cause instanceof DOMException && cause.name === "TimeoutError", timeoutMsDefault);
  });
  try {
    return readEnvelope(body === "" ? null : JSON.parse(body), response.ok);
  } catch {
    const status = response.status;
    throw new ApiError(unreadableWords(status), {
      status,
      code: "not_json",
    });
  }
}

/** Nothing came back: say whether that was the clock or the line. A call that we gave up ourselves stays an abort. */
function silence(cause: unknown, timedOut: boolean, timeoutMs: number): unknown {
  if (timedOut) return new ApiError(timeoutWords(timeoutMs / 1000), { status: 0, code: "timeout" });
  if (cause instanceof DOMException && cause.name === "AbortError") return cause;
  return new ApiError(unreachableWords(), { status: 0, code: "unreachable" });
}

function fillPath(path: string, params: object | undefined): string {
  const values = new Map(Object.entries(params ?? {}));
  return path.replace(/:([a-z_]+)/g, (_, name: string) => encodeURIComponent(String(values.get(name) ?? "")));
}

function queryText(query: object | undefined): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== null && value !== "") search.set(name, String(value));
  }
  return search.size === 0 ? "" : `?${search}`;
}

function headerSeconds(response: Response, name: string): number | undefined {
  const seconds = Number(response.headers.get(name) ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}
