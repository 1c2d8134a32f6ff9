/**
 * Checks that read a whole table once a day: on one node, in bounded steps with a rest after each.
 * How far one has come is kept with its lease, so that it goes on there after a restart, or on
 * another node.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { AlertRuleName } from "@tollgate/contract/notices/alert-rule-table.ts";
import { type Database, tryWrite, type Write } from "../../storage/database.ts";
import type { RootNotice } from "../mail/root-notice.ts";
import { type AlertMeasure, planAlertEvent } from "./alert-events.ts";

export interface DailyCheck<Position> {
  rule: AlertRuleName;
  /** Its row in the table `chores`. */
  chore: string;
  /** `subject` is what the alert is about. */
  subject: string;
  /**
   * `positionIn` is about the JSON of a position; the beginning of an empty text, before the first
   * check.
   */
  positionIn(progress: string): Position;
  /** Yields how far it has come after each step. */
  steps(from: Position): AsyncGenerator<Position, DailyCheckEnd<Position>>;
}

export interface DailyCheckEnd<Position> {
  /** `next` is where the check of the next day begins. */
  next: Position;
  /** `facts` are what it found; undefined where all is right. */
  facts: RootNotice | undefined;
  measure?: AlertMeasure;
}

interface DailyCheckDeps {
  db: Pick<Database, "sql" | "read" | "write" | "mintId">;
  clock(): number;
  /** Stops the check after the step that runs; it goes on there at the next start. */
  signal: AbortSignal;
}

const dayMs = 86_400_000;
/** Longer than any step takes: another node goes on with what a dead one has left. */
const leaseMs = 600_000;
const saveEveryMs = 10_000;
/** A step that waited long, behind others, is no reason to rest as long. */
const restMsMax = 1_000;

/** Runs the check if it is due and no other node runs it. */
export async function runDailyCheck<Position>(
  deps: DailyCheckDeps,
  check: DailyCheck<Position>,
): Promise<void> {
  const { db, clock, signal } = deps;
  const begun = clock();
  let lease = begun + leaseMs;
  if (await tryWrite(db, [planClaim(deps, check.chore, begun, lease)])) return;
  const [chore] = await db.read(
    db.sql.selectFrom("chores").select("progress").where("name", "=", check.chore),
  );
  let position = check.positionIn(chore?.progress ?? "");
  /** Missed where another node has taken over. */
  const move = (dueAt: number): Write => ({
    query: db.sql
      .updateTable("chores")
      .set({ due_at: dueAt, progress: JSON.stringify(position) })
      .where("name", "=", check.chore)
      .where("due_at", "=", lease),
    rows: 1,
  });
  try {
    const steps = check.steps(position);
    let savedAt = begun;
    while (!signal.aborted) {
      const began = performance.now();
      const { value, done } = await steps.next();
      if (done) {
        position = value.next;
        await tryWrite(db, [move(begun + dayMs), planTold(deps, check, value)]);
        return;
      }
      position = value;
      if (clock() - savedAt >= saveEveryMs) {
        savedAt = clock();
        if (await tryWrite(db, [move(savedAt + leaseMs)])) return;
        lease = savedAt + leaseMs;
      }
      // Calls and lists have the database, and the processor, at least half of the time.
      await pause(Math.min(performance.now() - began, restMsMax), undefined, { signal }).catch(
        () => undefined,
      );
    }
  } catch (error) {
    // Due at once: what fails again and again is told as a job that does.
    await tryWrite(db, [move(clock())]);
    throw error;
  }
  await tryWrite(db, [move(clock())]);
}

/** A date beyond the next one is that of a clock that was set back. */
const planClaim = ({ db }: DailyCheckDeps, name: string, now: number, lease: number): Write => ({
  query: db.sql
    .updateTable("chores")
    .set({ due_at: lease })
    .where("name", "=", name)
    .where(({ or, eb }) => or([eb("due_at", "<=", now), eb("due_at", ">", now + dayMs)])),
  rows: 1,
});

function planTold(
  { db, clock }: DailyCheckDeps,
  { rule, subject: name }: Pick<DailyCheck<unknown>, "rule" | "subject">,
  { facts, measure }: Pick<DailyCheckEnd<unknown>, "facts" | "measure">,
): Write {
  const subject = { kind: "site", id: name, name } as const;
  const event = facts
    ? ({ rule, subject, state: "firing", facts, ...(measure && { measure }) } as const)
    : ({ rule, subject, state: "resolved" } as const);
  return planAlertEvent(db, event, clock());
}
