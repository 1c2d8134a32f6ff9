/** What root has agents do, by the group of their accounts. Pure. */
import { groupPattern } from "./option-checks.ts";

/** Settings of an agent, by group; `*` is for groups without an entry. */
export type AgentPolicies = ReadonlyMap<string, object>;

const textMax = 64 * 1024;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Undefined for a text that has another form, or more than 64 KiB. */
export function parseAgentPolicies(text: string): AgentPolicies | undefined {
  if (Buffer.byteLength(text) > textMax) return undefined;
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(json)) return undefined;
  const entries = Object.entries(json);
  const isWhole = entries.every(
    ([group, settings]) => (group === "*" || groupPattern.test(group)) && isObject(settings),
  );
  return isWhole ? new Map(entries as [string, object][]) : undefined;
}
