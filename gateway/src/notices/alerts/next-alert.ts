/**
 * The state machine of an alert. An alert is a row with a state and not a message: a notice goes
 * out when it begins to fire, when it is resolved, once more while it lasts, and once when it
 * changes too often. Nothing else sends. Pure.
 */
import type { AlertRhythm } from "@tollgate/contract/notices/alert-rule-table.ts";
import type { NoticeTransition } from "@tollgate/contract/notices/destinations.ts";
import type { AlertMeasureColumns, AlertsTable } from "../../storage/tables/alert-tables.ts";

const hourMs = 3_600_000;
/** More changes within an hour tell nothing new. */
const changesPerHourMax = 3;
const dayMs = 24 * hourMs;
/** An alert about occurrences ends when none happened for this long. */
const quietMs = dayMs;

export type AlertMemory = Pick<
  AlertsTable,
  | "state"
  | "since"
  | "resolved_at"
  | "seen_at"
  | "count"
  | "facts"
  | "value"
  | "threshold"
  | "told_since"
  | "is_reminded"
  | "changes"
  | "changes_from"
  | "flapping_until"
  | "muted_until"
>;

export interface AlertChange extends AlertMeasureColumns {
  state: "firing" | "resolved";
  /** JSON; empty for an end without words of its own. */
  facts: string;
  at: number;
}

export interface AlertStep {
  memory: AlertMemory;
  /** The notice that is due, if any. */
  transition?: NoticeTransition | undefined;
}

const nothing: AlertMemory = {
  state: "resolved",
  since: 0,
  resolved_at: null,
  seen_at: 0,
  count: 0,
  facts: "",
  value: null,
  threshold: null,
  told_since: 0,
  is_reminded: 0,
  changes: 0,
  changes_from: 0,
  flapping_until: 0,
  muted_until: 0,
};

/**
 * `applyEvent` gives what an event makes of an alert; undefined where there was none and there is
 * nothing to resolve.
 */
export function applyEvent(
  known: AlertMemory | undefined,
  change: AlertChange,
): AlertStep | undefined {
  if (known === undefined && change.state === "resolved") return undefined;
  const before = known ?? nothing;
  // A clock that was set back repeats no moment: the moment names the notices.
  const at = Math.max(change.at, before.seen_at);
  if (before.state === change.state) {
    if (change.state === "resolved") return { memory: before };
    return { memory: { ...before, ...pickTold(change), seen_at: at, count: before.count + 1 } };
  }
  const isSameHour = at - before.changes_from < hourMs;
  const changes = isSameHour ? before.changes + 1 : 1;
  const counted = {
    ...before,
    seen_at: at,
    changes,
    changes_from: isSameHour ? before.changes_from : at,
  };
  const changed: AlertMemory =
    change.state === "firing"
      ? {
          ...counted,
          state: "firing",
          since: Math.max(at, before.since + 1),
          resolved_at: null,
          count: 1,
          ...pickTold(change),
          is_reminded: 0,
        }
      : { ...counted, state: "resolved", resolved_at: at, facts: change.facts || before.facts };
  const wasFlapping = before.flapping_until > at;
  if (!wasFlapping && changes <= changesPerHourMax) return { memory: changed };
  const memory = { ...changed, flapping_until: at + hourMs };
  if (wasFlapping || memory.muted_until > at) return { memory };
  return { memory: { ...memory, told_since: memory.since }, transition: "flapping" };
}

/** An end keeps what the alert measured last. */
const pickTold = ({ facts, value, threshold }: AlertChange) => ({ facts, value, threshold });

/** `applyTime` gives what the time makes of an alert: which notice is due at `now`. */
export function applyTime(before: AlertMemory, now: number, rhythm: AlertRhythm): AlertStep {
  if (before.flapping_until > now) return { memory: before };
  // After an hour without a change its state is told, whatever was told before.
  const isStableAgain = before.flapping_until > 0;
  const memory = isStableAgain
    ? {
        ...before,
        flapping_until: 0,
        changes: 0,
        told_since: before.state === "firing" ? 0 : before.since,
      }
    : before;
  return memory.state === "firing"
    ? continueFiring(memory, now, rhythm)
    : finishResolved(memory, now);
}

/**
 * `endBySwitch` gives what becomes of an alert whose rule an operator switched off: it ends, and
 * nothing of it is told.
 */
export function endBySwitch(before: AlertMemory, now: number): AlertStep {
  const isOver = before.state === "resolved";
  if (isOver && before.told_since === 0 && before.flapping_until === 0) return { memory: before };
  const resolved_at = isOver ? before.resolved_at : now;
  return {
    memory: { ...before, state: "resolved", resolved_at, told_since: 0, flapping_until: 0 },
  };
}

function continueFiring(
  memory: AlertMemory,
  now: number,
  { isOccurrence, remindsAfterDays }: AlertRhythm,
): AlertStep {
  if (isOccurrence && now - memory.seen_at >= quietMs)
    return { memory: { ...memory, state: "resolved", resolved_at: now, told_since: 0 } };
  if (memory.muted_until > now) return { memory };
  if (memory.told_since !== memory.since)
    return { memory: { ...memory, told_since: memory.since }, transition: "firing" };
  if (isOccurrence || memory.is_reminded === 1 || now - memory.since < remindsAfterDays * dayMs)
    return { memory };
  return { memory: { ...memory, is_reminded: 1 }, transition: "reminder" };
}

/** The end is told where the beginning was. */
function finishResolved(memory: AlertMemory, now: number): AlertStep {
  if (memory.told_since === 0) return { memory };
  const told = { ...memory, told_since: 0 };
  return memory.muted_until > now ? { memory: told } : { memory: told, transition: "resolved" };
}
