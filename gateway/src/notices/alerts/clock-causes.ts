/**
 * The cause of the alert about the clock: the newest entries are ahead of it, and new ones carry
 * their time. Pure.
 */
import { buildIdsAhead } from "../../storage/time-ids.ts";
import type { Cause } from "./operator-causes.ts";

const minuteMs = 60_000;

/** `aheadMs`: by how much the newest id is ahead of the clock. */
export function listClockCauses(aheadMs: number): Cause[] {
  if (buildIdsAhead(aheadMs) === "little") return [];
  const facts = { kind: "clock_behind", minutes: Math.round(aheadMs / minuteMs) } as const;
  const subject = { kind: "site", id: "clock", name: "clock" } as const;
  const measure = { value: aheadMs / minuteMs, threshold: 5 };
  return [{ event: { rule: "storage.trouble", subject, facts, measure }, begins: true }];
}
