import type { Counters } from "../../limits/counters.ts";
import { authenticate, choosePin, requireCredential } from "../admission/authenticate.ts";
import type {
  CallerFunds,
  CallerIdentity,
  CallerReach,
  KeyRules,
} from "../admission/caller-parts.ts";
import { admitTokenCount } from "../admission/token-limits.ts";
import { type OverloadDeps, refuseWhenOverloaded } from "../call-refusals.ts";
import type { CallerDeps } from "../endpoints/json-endpoint.ts";
import type { KnownCall } from "../exchange-parts.ts";
import type { KeySettings, TokenCountSettings } from "../relay-settings.ts";

/** `ObjectRequestDeps` are what admits a request about an object. */
export interface ObjectRequestDeps extends CallerDeps, OverloadDeps {
  settings: KeySettings & TokenCountSettings;
  counters: Counters;
}

/**
 * Authenticates a request about objects that providers keep. Such requests are limited as counts of
 * tokens are, for the user pays for neither. Throws `RelayRefused`.
 */
export async function admitObjectRequest(
  exchange: KnownCall,
  deps: ObjectRequestDeps,
): Promise<{
  caller: CallerIdentity & CallerReach & CallerFunds & KeyRules;
  pin: string | undefined;
}> {
  refuseWhenOverloaded(deps);
  const { headers, url } = exchange.request;
  const credential = requireCredential(headers, deps.settings.keyPrefix, url);
  const caller = await authenticate(credential, deps.apiKeys, exchange, deps.now());
  await admitTokenCount(caller, deps.settings.tokenCountsPerMinute(), deps.counters);
  return { caller, pin: choosePin(caller, credential.pin) };
}
