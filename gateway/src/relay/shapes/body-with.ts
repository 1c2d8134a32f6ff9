/** The caller's bytes, but for what the channel replaces. */
import { withMembers } from "../json-spans.ts";
import type { Call } from "./shape.ts";

/** `more` is JSON by member; the model is added to it where the channel calls it differently. */
export function bodyWith(call: Call, model: string, more: Readonly<Record<string, string>> = {}): Buffer {
  const replaced = model === call.model ? more : { ...more, model: JSON.stringify(model) };
  return Object.keys(replaced).length === 0 ? call.body : withMembers(call.body, replaced);
}
