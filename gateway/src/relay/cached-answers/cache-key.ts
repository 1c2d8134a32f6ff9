/**
 * The calls that may be answered from the response cache, and the keys by which their answers are
 * found. Pure.
 */
import { createHmac } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { CallerFunds, CallerReach, KeyRules } from "../admission/caller-parts.ts";
import type { CallFormats } from "../formats/api-format.ts";
import type {
  AskedModel,
  AskedReply,
  PassedHeaders,
  RoutingNeeds,
  SentBody,
  StoredReply,
} from "../formats/call-parts.ts";
import { isExactNumber, parseExactJson } from "../wire/exact-json.ts";
import { isRecord, type JsonRecord, record } from "../wire/json-parts.ts";

const wish = /^max-age=(\d{1,6})$/i;

/**
 * The age up to which the call may get an answer from the cache; undefined where the client asks
 * for none, or its key allows none.
 */
export function readWantedMaxAgeMs(
  headers: IncomingHttpHeaders,
  { cacheSeconds }: Pick<KeyRules, "cacheSeconds">,
): number | undefined {
  const value = headers["x-tollgate-cache"];
  const seconds = Number(
    (typeof value === "string" ? wish.exec(value.trim())?.[1] : undefined) ?? 0,
  );
  const allowed = Math.min(seconds, cacheSeconds);
  return allowed > 0 ? allowed * 1_000 : undefined;
}

/** APIs whose answers are text or vectors alone. */
const cachedEndpoints: ReadonlySet<string> = new Set([
  "chat_completions",
  "completions",
  "response_api",
  "claude_messages",
  "gemini",
  "gemini_list",
  "embeddings",
  "gemini_embeddings",
]);
/** `toolMembers` let an answer act outside of the call, or depend on things outside of it. */
const toolMembers = ["tools", "functions", "mcp_servers", "web_search_options"];

/** `CacheableCall` is what the answer of a call depends on. */
export interface CacheableCall
  extends AskedModel,
    Pick<AskedReply, "isStream">,
    RoutingNeeds,
    SentBody,
    PassedHeaders,
    StoredReply,
    CallFormats {}

/**
 * `isSelfContained` says whether the answer depends on the request alone, and means nothing for
 * later calls.
 */
function isSelfContained(call: CacheableCall, json: JsonRecord): boolean {
  if (!cachedEndpoints.has(call.client.endpoint) || call.form) return false;
  if (call.refersTo !== undefined || call.ownApiFor || call.storeAs || call.costMembers)
    return false;
  if (Object.values(call.unseen ?? {}).some((count) => count > 0)) return false;
  if (toolMembers.some((name) => json[name] !== undefined)) return false;
  // The provider keeps such an answer, and a later call may name its id.
  return call.client.endpoint !== "response_api" || json.store === false;
}

/**
 * `composeCacheKey` gives the key by which the answer of a call is found: everything that changes
 * it. The wallet is part of it, so that no account reads an answer that another one asked for.
 * Undefined for a call that is not cached.
 */
export function composeCacheKey(
  call: CacheableCall,
  { walletId, groups }: Pick<CallerReach, "groups"> & Pick<CallerFunds, "walletId">,
  pin: string | undefined,
  secret: Buffer,
): string | undefined {
  const json = parseExactJson(call.body.toString("utf8"));
  if (!isSelfContained(call, record(json))) return undefined;
  const { client, model, isStream, headers, fallbackModels = [] } = call;
  const parts = [
    walletId,
    groups,
    pin ?? null,
    client.endpoint,
    model,
    fallbackModels,
    isStream,
    headers,
  ];
  return createHmac("sha256", secret)
    .update(`${JSON.stringify(parts)}\n${readCanonicalJson(json)}`)
    .digest("base64");
}

/**
 * `readCanonicalJson` does the same text for the same JSON: members in one order, without spaces,
 * numbers as they were written.
 */
export function readCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(readCanonicalJson).join(",")}]`;
  if (!isRecord(value) || isExactNumber(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${readCanonicalJson(value[name])}`).join(",")}}`;
}
