/** Takes back an act on many rows. Pure. */
import type { BulkRow } from "@tollgate/contract/api/bulk-verbs.ts";
import type { BulkVerb } from "./bulk-verb.ts";

export type ReverseAct = { ids: string[]; request: Readonly<Record<string, unknown>> };

/** Rows that had as many different values need as many requests, one after the other. */
const reverseActsMax = 20;

/**
 * `reverseActs` gives the few requests that set every changed row back to its old value; undefined
 * where that cannot be done for all of them.
 */
export function reverseActs(
  rows: readonly BulkRow[],
  undo: BulkVerb["undo"],
): ReverseAct[] | undefined {
  if (undo === undefined) return undefined;
  const acts = new Map<string, ReverseAct>();
  for (const row of rows) {
    if (row.skipped !== null) continue;
    const request = undo(row);
    if (request === undefined) return undefined;
    const key = JSON.stringify(request);
    const act = acts.get(key) ?? { ids: [], request };
    act.ids.push(row.uuid || String(row.id));
    acts.set(key, act);
  }
  return acts.size === 0 || acts.size > reverseActsMax ? undefined : [...acts.values()];
}

/** Gives a member the value that it had. */
export const restoreMember =
  (verb: string, member: string): NonNullable<BulkVerb["undo"]> =>
  ({ before: { [member]: value } }) =>
    value === undefined ? undefined : { verb, [member]: value };

/**
 * `restoreStatus` is about what was enabled or disabled by hand. A row in another state before,
 * such as disabled by the gateway, stays.
 */
export const restoreStatus: NonNullable<BulkVerb["undo"]> = ({ before: { status } }) =>
  status === 1 ? { verb: "enable" } : status === 2 ? { verb: "disable" } : undefined;
