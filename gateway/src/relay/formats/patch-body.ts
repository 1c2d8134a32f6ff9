/** The caller's bytes, but for what the channel replaces. */
import { withMembers } from "../wire/json-spans.ts";
import type { RelayCall } from "./api-format.ts";

/** `more` is JSON by member; the model is added to it where the channel calls it differently. */
export function patchBody(call: RelayCall, model: string, members: Readonly<Record<string, string>> = {}): Buffer {
  const replaced = model === call.model ? members : { ...members, model: JSON.stringify(model) };
  return Object.keys(replaced).length === 0 ? call.body : withMembers(call.body, replaced);
}
