/**
 * Tells operators when very many sign-ins are locked: that is how it looks when passwords are
 * guessed in many places at once.
 */

import type { Counters } from "../../../limits/counters.ts";
import { planAlertEvent } from "../../../notices/alerts/alert-events.ts";
import type { Database } from "../../../storage/database.ts";
import type { LockoutAlarm } from "./lockout.ts";

const hourMs = 3_600_000;
/** Owners who mistype their passwords stay far below. */
export const locksPerHourMax = 19;
const lockWindow = { name: "sign-in-locks all", limit: locksPerHourMax, windowMs: hourMs };
/**
 * `toldWindow` is who guesses decides how many locks there are: one event a minute is enough to
 * keep the alert.
 */
const toldWindow = { name: "sign-in-locks-told all", limit: 1, windowMs: 60_000 };

export const createLockoutAlarm =
  (db: Database, counters: Counters): LockoutAlarm =>
  async (now) => {
    const { allowed } = await counters.take(lockWindow);
    if (allowed || !(await counters.take(toldWindow)).allowed) return;
    const subject = { kind: "site", id: "sign-in", name: "sign-in" } as const;
    const facts = { kind: "sign_ins_locked", locks: locksPerHourMax + 1 } as const;
    const measure = { value: locksPerHourMax + 1, threshold: locksPerHourMax + 1 };
    const event = { rule: "sign_in.lockouts", subject, state: "firing", facts, measure } as const;
    await db.write([planAlertEvent(db, event, now)]);
  };
