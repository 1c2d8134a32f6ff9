/** Whether this key may ask for this model. What it may spend is decided by the hold. */
import type { Caller } from "./keys.ts";
import { denied } from "./relay-refusal.ts";
import type { Call } from "./shapes/shape.ts";

export function authorize(caller: Caller, call: Call): Call {
  if (caller.models && !caller.models.has(call.model)) {
    throw denied(403, `The API key may not use the model ${call.model}`);
  }
  return call;
}
