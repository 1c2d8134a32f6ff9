/**
 * The common parts of the small endpoints: the caller that a key belongs to, and a JSON response.
 */
import type { ApiKeys, RelayCaller } from "../admission/api-keys.ts";
import { authenticate, requireCredential } from "../admission/authenticate.ts";
import type { KnownCall, ReplyToClient } from "../exchange-parts.ts";
import type { KeySettings } from "../relay-settings.ts";

/** `CallerDeps` are what says whose an API key is. */
export interface CallerDeps {
  apiKeys: ApiKeys;
  settings: KeySettings;
  now(): number;
}

/** Throws `RelayRefused`. */
export async function authenticateExchange(
  exchange: KnownCall,
  { apiKeys, settings, now }: CallerDeps,
): Promise<RelayCaller> {
  const { headers, url } = exchange.request;
  const credential = requireCredential(headers, settings.keyPrefix, url);
  return await authenticate(credential, apiKeys, exchange, now());
}

/** `headers`: further ones, names and values in turn. */
export const sendJson = (
  exchange: ReplyToClient,
  body: unknown,
  headers: readonly string[] = [],
): void =>
  exchange.answer(
    200,
    "application/json; charset=utf-8",
    Buffer.from(JSON.stringify(body)),
    [],
    headers,
  );
