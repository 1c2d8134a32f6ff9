/**
 * Stands before the management API: calls of other gateways are answered by calls of it, all others
 * pass.
 */
import { createHash } from "node:crypto";
import { idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { isIdempotencyKey } from "../http/idempotency.ts";
import type { ApiBindings } from "../http/mount.ts";
import { bodyBytesMax, readJson } from "../http/read-json-body.ts";
import { Refusal } from "../http/refusal.ts";
import { findCounterpart, formatUnknownPathMessage } from "../http/unknown-path.ts";
import {
  type AskOwn,
  type ForeignCall,
  ForeignRefused,
  type ForeignRequest,
} from "./foreign-call.ts";
import { findLaiskyCall } from "./laisky-calls.ts";
import { listLitellmKeyCalls } from "./litellm-key-calls.ts";
import { litellmReportCalls } from "./litellm-report-calls.ts";
import { litellmUserCalls } from "./litellm-user-calls.ts";
import { findApiForm, newApiCalls } from "./new-api-calls.ts";
import { newApiUserCalls } from "./new-api-user-calls.ts";

type Fetch = (request: Request, bindings?: ApiBindings) => Response | Promise<Response>;

/** `bodyHeaders` describe the body of the foreign call, which the own call does not have. */
const bodyHeaders = ["content-length", "content-type", "content-encoding", "transfer-encoding"];

export function answerForeignCalls(own: Fetch, { now }: { now(): number }): Fetch {
  const litellm = [...listLitellmKeyCalls(now), ...litellmUserCalls, ...litellmReportCalls];
  const calls = new Map<string, ForeignCall>(
    [...litellm, ...newApiCalls, ...newApiUserCalls].map(
      (call) => [`${call.method} ${call.path}`, call] as const,
    ),
  );
  const isLitellm = new Set<ForeignCall>(litellm);

  return async (request, bindings) => {
    const url = new URL(request.url);
    const { method } = request;
    const query = Object.fromEntries([...url.searchParams].filter(([, value]) => value !== ""));
    const call =
      findApiForm(method, url.pathname, query) ??
      findLaiskyCall(method, url.pathname) ??
      calls.get(`${method} ${url.pathname}`) ??
      calls.get(`${method} ${url.pathname.replace(/\/$/, "")}`) ??
      calls.get(`${method} ${url.pathname}/`);
    if (!call || !(await isForeign(call, request)))
      return await readNamingOwnAddress(await own(request, bindings), method, url.pathname);
    const asker = makeAsker(own, request, bindings);
    const reply = (status: number, body: unknown): Response =>
      new Response(JSON.stringify(body), { status, headers: buildHeaders(asker.last()) });
    try {
      const body = method === "GET" ? {} : await readBody(request);
      const foreign = { method, path: url.pathname, query, body };
      return reply(200, await call.answer(foreign, asker.askFor(foreign)));
    } catch (error) {
      const refused = findRefusal(error);
      if (!refused) throw error;
      return reply(
        refused.status,
        isLitellm.has(call) ? buildLitellmError(refused) : buildFamilyError(refused),
      );
    }
  };
}

/** A body that cannot be read is refused by the own call, in its own words. */
async function isForeign({ appliesTo }: ForeignCall, request: Request): Promise<boolean> {
  if (!appliesTo) return true;
  return await readBody(request.clone()).then(appliesTo, () => false);
}

async function readBody(request: Request): Promise<Record<string, unknown>> {
  const { headers } = request;
  if ((headers.get("content-length") ?? "0") === "0" && !headers.has("transfer-encoding"))
    return {};
  const body = await readJson(request, bodyBytesMax);
  if (typeof body !== "object" || body === null || Array.isArray(body))
    throw new ForeignRefused(400, "The body must be an object");
  return body as Record<string, unknown>;
}

function findRefusal(error: unknown): ForeignRefused | undefined {
  if (error instanceof ForeignRefused) return error;
  return error instanceof Refusal ? new ForeignRefused(400, error.message) : undefined;
}

const buildFamilyError = ({ message }: ForeignRefused) => ({ success: false, message });
const buildLitellmError = ({ message, status, field }: ForeignRefused) => ({
  error: {
    message,
    type: status === 401 ? "auth_error" : status === 404 ? "not_found_error" : "bad_request_error",
    param: field ?? null,
    code: String(status),
  },
});

/**
 * `buildHeaders` takes those of the last own reply, which has all headers that protect a reply and
 * tell limits.
 */
function buildHeaders(last: Response | undefined): Headers {
  const headers = new Headers(last?.headers);
  headers.set("content-type", "application/json; charset=utf-8");
  headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  return headers;
}

/** Calls the own API with what proves who the client is, over the same connection. */
function makeAsker(own: Fetch, request: Request, bindings: ApiBindings = {}) {
  let last: Response | undefined;
  const askFor = (foreign: ForeignRequest): AskOwn => {
    const comparedBy = JSON.stringify(foreign);
    const keyFor = findKeysOfAsks(request.headers.get(idempotencyHeader));
    return async ({ method, path, variant }, { params = {}, query = {}, body } = {}) => {
      const named = params as Readonly<Record<string, string>>;
      const filled = path.replace(/:(\w+)/g, (_, name: string) =>
        encodeURIComponent(named[name] ?? ""),
      );
      const address = new URL(filled, request.url);
      if (variant !== undefined) address.searchParams.set(variant, "1");
      for (const [name, value] of Object.entries(query))
        address.searchParams.set(name, String(value));
      const headers = new Headers(request.headers);
      for (const name of bodyHeaders) headers.delete(name);
      const key = keyFor(`${method} ${path}`);
      if (key !== undefined) headers.set(idempotencyHeader, key);
      const sent = method === "GET" ? undefined : JSON.stringify(body ?? {});
      if (sent !== undefined) headers.set("content-type", "application/json");
      const asked = new Request(address, {
        method,
        headers,
        ...(sent !== undefined && { body: sent }),
      });
      last = await own(asked, { ...bindings, comparedBy });
      const reply = (await last.json()) as { success: boolean; message: string; dry_run?: true };
      if (reply.dry_run)
        throw new ForeignRefused(400, "A dry run is possible with this gateway's own calls alone");
      if (!reply.success) throw new ForeignRefused(last.status, reply.message);
      return reply as unknown as Awaited<ReturnType<AskOwn>> as never;
    };
  };
  return { askFor, last: () => last };
}

/**
 * The `Idempotency-Key` of each own call behind a foreign one: its own for every operation and
 * every time that it is called, and the same when the foreign call is repeated. One that the own
 * API refuses stays as it is.
 */
function findKeysOfAsks(sent: string | null): (operation: string) => string | undefined {
  if (sent === null) return () => undefined;
  const times = new Map<string, number>();
  return (operation) => {
    const time = times.get(operation) ?? 0;
    times.set(operation, time + 1);
    if (!isIdempotencyKey(sent)) return sent;
    return createHash("sha256").update(`${operation} ${time} ${sent}`).digest("hex");
  };
}

/** A script of another gateway learns from the refusal which call of this one to use. */
async function readNamingOwnAddress(
  response: Response,
  method: string,
  path: string,
): Promise<Response> {
  if (response.status !== 404 || findCounterpart(path) === undefined) return response;
  const body = (await response.json()) as Record<string, unknown>;
  const { status, headers } = response;
  return new Response(
    JSON.stringify({ ...body, message: formatUnknownPathMessage(method, path) }),
    {
      status,
      headers,
    },
  );
}
