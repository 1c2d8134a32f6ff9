/** Whether this key may ask for this model. What it may spend is decided by the hold. */

import type { RelayCall } from "../formats/api-format.ts";
import { denied } from "../wire/relay-refusal.ts";
import type { RelayCaller } from "./api-keys.ts";

export function authorize(caller: RelayCaller, call: RelayCall): RelayCall {
  if (caller.models && !caller.models.has(call.model)) {
    throw denied(403, `The API key may not use the model ${call.model}`);
  }
  return call;
}
