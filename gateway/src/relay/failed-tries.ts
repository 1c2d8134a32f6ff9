/**
 * Remembers, for a few minutes and in memory, calls that failed before a channel was tried, so that
 * the console can tell a newcomer what the client did wrong. It holds no key, no body and no text
 * of a client whose key is unknown.
 */
import type { IncomingHttpHeaders } from "node:http";
import { callParts } from "@tollgate/contract/api/client-operations.ts";
import type { FailedTry, TryFinding } from "@tollgate/contract/figures/failed-calls.ts";
import { modelNotFoundCode, type RelayRefusal } from "./wire/relay-refusal.ts";

const keptForMs = 10 * 60_000;
/**
 * `keptMax` is that of all clients together: a flood of refused calls displaces older ones and
 * costs no memory.
 */
const keptMax = 500;
const shownMax = 20;
const textMax = 200;

export interface RefusedCall {
  path: string;
  /** The query without its question mark. */
  query: string;
  headers: IncomingHttpHeaders;
  refusal: Pick<RelayRefusal, "status" | "message" | "code">;
  /** The credential as it was read, before it was looked up. */
  hasCredential: boolean;
  /** Set once the key is known. */
  caller: { userId: number } | undefined;
  model: string;
}

/** Endpoints that clients append to a base address. */
const endpointPath = new RegExp(`^(?:/[a-z0-9-]{1,20})?/(${callParts.join("|")}|models)$`);
/** Headers and parameters of other gateways in which this one reads no key. */
const foreignHeaders = [
  "apikey",
  "x-api-token",
  "x-auth-token",
  "token",
  "openai-api-key",
  "x-access-token",
];
const keyParameter = /(^|&)(api[-_]?key|key|access_token|token)=/i;

/** `findFindingOfPath` gives what was wrong with the path alone, whatever the gateway answered. */
export function findFindingOfPath(path: string): TryFinding | undefined {
  if (/^\/v1\/(?:api\/)?v1(\/|$)/.test(path)) return "doubled_version";
  return endpointPath.test(path) && !path.startsWith("/v1") ? "missing_version" : undefined;
}

export function describeFinding(call: RefusedCall): TryFinding | undefined {
  const { path, query, headers, refusal, hasCredential, caller, model } = call;
  const ofPath = findFindingOfPath(path);
  if (ofPath !== undefined) return ofPath;
  if (caller !== undefined) {
    return refusal.code === modelNotFoundCode && model !== "" ? "unknown_model" : "refused";
  }
  if (refusal.status === 404) return "unknown_path";
  if (refusal.status !== 401) return undefined;
  if (hasCredential) return isMalformed(headers) ? "malformed_key" : "unknown_key";
  const hidesKey =
    foreignHeaders.some((name) => headers[name] !== undefined) || keyParameter.test(query);
  return hidesKey ? "wrong_header" : "no_key";
}

/** Quotes, spaces and variables that were never replaced: what copying leaves behind. */
function isMalformed({
  authorization,
  "x-api-key": plain,
  "api-key": azure,
}: IncomingHttpHeaders): boolean {
  const carried = String(authorization ?? plain ?? azure ?? "").replace(/^Bearer /i, "");
  return /[\s"'<>${}…]|^Bearer/i.test(carried);
}

interface RememberedTry extends FailedTry {
  address: string;
  userId: number | undefined;
}

export function createFailedTries(now: () => number) {
  let remembered: RememberedTry[] = [];

  const add = (entry: Omit<RememberedTry, "at">): void => {
    const oldest = now() - keptForMs;
    remembered = [
      ...remembered.filter(({ at }) => at >= oldest).slice(1 - keptMax),
      { ...entry, at: now() },
    ];
  };

  return {
    record(address: string, call: RefusedCall): void {
      const finding = describeFinding(call);
      if (finding === undefined) return;
      const isKnown = call.caller !== undefined;
      add({
        address,
        userId: call.caller?.userId,
        finding,
        model: isKnown ? call.model.slice(0, textMax) : "",
        message: isKnown ? call.refusal.message.slice(0, textMax) : "",
      });
    },
    /** A request outside of the client API, which may have missed it by its version. */
    recordPath(address: string, path: string): void {
      const finding = findFindingOfPath(path);
      if (finding !== undefined)
        add({ address, userId: undefined, finding, model: "", message: "" });
    },
    /**
     * A call with a known key is shown to its owner alone; any other to users at the same address.
     * Newest first.
     */
    of({
      address,
      userId,
      since,
    }: {
      address: string;
      userId: number;
      since: number;
    }): FailedTry[] {
      const from = Math.max(since, now() - keptForMs);
      return remembered
        .filter(
          (one) =>
            one.at >= from &&
            (one.userId === undefined ? one.address === address : one.userId === userId),
        )
        .slice(-shownMax)
        .reverse()
        .map(({ at, finding, model, message }) => ({ at, finding, model, message }));
    },
  };
}

export type FailedTries = ReturnType<typeof createFailedTries>;
