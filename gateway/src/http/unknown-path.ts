/** The answer to a client that missed an address of the API. Pure. */
import { callParts } from "@tollgate/contract/api/client-operations.ts";

/** Parts of addresses below `/v1`, as clients append them to a base address. */
const relayPart = new RegExp(`(?:^|/)(${callParts.join("|")}|models(?:/.+)?|realtime)/?$`);
const geminiPart = /(?:^|\/)(models\/[^/]+:[A-Za-z]+)$/;
const otherAddresses: Readonly<Record<string, string>> = {
  "/health": "/healthz",
  "/healthcheck": "/healthz",
  "/ready": "/readyz",
};

/**
 * `counterparts` are where calls of other gateways that are not answered have their counterpart
 * here.
 */
const counterparts: readonly (readonly [RegExp, string])[] = [
  [/^\/key\//, "/api/token/"],
  [/^\/(user|customer|end_user|team|organization|project)\//, "/api/user/"],
  [/^\/budget\//, "/api/budget/"],
  [/^\/(model|model_group|credentials)(\/|$)/, "/api/channel/"],
  [/^\/(spend|global)\//, "/api/log/"],
  [/^\/config\//, "/api/option/"],
  [/^\/api\/(ratio_config|ratio_sync)(\/|$)/, "/api/pricing"],
  [/^\/api\/admin\/tokens(\/|$)/, "/api/token/all"],
  [/^\/api\/token\/(balance|consume|transactions)$/, "/api/usage/token"],
  [/^\/api\/token\/logs$/, "/api/log/token"],
  [/^\/api\/user\/get-by-token$/, "/api/user/self"],
  [/^\/api\/available_models$/, "/v1/models"],
  [/^\/api\/(uptime\/status|status\/channel)$/, "/api/status"],
  // OpenRouter's base address ends in /api/v1, Ollama's own API is below /api.
  [/^\/api\/v1\/(chat\/)?completions$/, "/v1/chat/completions"],
  [/^\/api\/v1\/models(\/|$)/, "/v1/models"],
  [/^(\/api)?\/v1\/(key|auth\/key|credits)$/, "/api/usage/token"],
  [/^(\/api)?\/v1\/generation$/, "/api/log/token"],
  [/^\/api\/(chat|generate)$/, "/v1/chat/completions"],
  [/^\/api\/embed(dings)?$/, "/v1/embeddings"],
  [/^\/api\/(tags|show|ps)$/, "/v1/models"],
  [/^\/kling\/v1\/videos(\/|$)/, "/v1/videos"],
  [/^\/api\/(user\/pay|user\/topup\/info|subscription)(\/|$)/, "/api/topup"],
];

/** The address that was probably meant: `/openai/v1/chat/completions` is `/v1/chat/completions`. */
export function composeNearestAddress(path: string): string | undefined {
  const gemini = geminiPart.exec(path)?.[1];
  if (gemini !== undefined) return known(path, `/v1beta/${gemini}`);
  const part = relayPart.exec(path)?.[1];
  return part === undefined
    ? (otherAddresses[path] ?? findCounterpart(path))
    : known(path, `/v1/${part}`);
}

/** `findCounterpart` is about a call of another gateway; undefined where there is none. */
export const findCounterpart = (path: string): string | undefined =>
  counterparts.find(([pattern]) => pattern.test(path))?.[1];

const known = (path: string, address: string): string | undefined =>
  address === path ? undefined : address;

/** A sentence for people, which the caller may show as it is. */
export function formatUnknownPathMessage(method: string, path: string): string {
  const nearest = composeNearestAddress(path);
  const hint =
    nearest === undefined
      ? "the API is below /v1, the management API below /api"
      : `use ${nearest}`;
  return `There is no ${method} ${path}: ${hint}`;
}
