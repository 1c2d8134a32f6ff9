import type { RelayCaller } from "../admission/api-keys.ts";
import { authenticate, choosePin, requireCredential } from "../admission/authenticate.ts";
import { admitTokenCount } from "../admission/token-limits.ts";
import { refuseWhenOverloaded } from "../admit-call.ts";
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay-deps.ts";

/**
 * Authenticates a request about objects that providers keep. Such requests are limited as counts of
 * tokens are, for the user pays for neither. Throws `RelayRefused`.
 */
export async function admitObjectRequest(
  exchange: Exchange,
  deps: RelayDeps,
): Promise<{ caller: RelayCaller; pin: string | undefined }> {
  refuseWhenOverloaded(deps);
  const { headers, url } = exchange.request;
  const credential = requireCredential(headers, deps.settings.keyPrefix, url);
  const caller = await authenticate(credential, deps.apiKeys, exchange, deps.now());
  await admitTokenCount(caller, deps.settings.tokenCountsPerMinute(), deps.counters);
  return { caller, pin: choosePin(caller, credential.pin) };
}
