/**
 * The daily check of the record of changes: its chain from the beginning, and the last entry of the
 * check before.
 */
import * as z from "zod/mini";
import { checkTrailStep, trailBeginning } from "../../storage/audit-chain.ts";
import type { Database } from "../../storage/database.ts";
import type { DailyCheck } from "./daily-check.ts";

const trailHead = z.object({ id: z.number(), hash: z.string() });

const trailCheckPosition = z.object({
  at: z.object({ entries: z.number(), head: trailHead }),
  /** The last entry when a check found no fault: it must be there. */
  noted: z.optional(trailHead),
});
type TrailCheckPosition = z.infer<typeof trailCheckPosition>;

export const trailCheck = (db: Pick<Database, "sql" | "read">): DailyCheck<TrailCheckPosition> => ({
  rule: "trail.broken",
  chore: "check the record of changes",
  subject: "record of changes",
  positionIn(progress) {
    if (progress === "") return { at: trailBeginning };
    return trailCheckPosition.parse(JSON.parse(progress));
  },
  async *steps({ at, noted }) {
    let { position, isEnd, fault } = await checkTrailStep(db, at, noted);
    while (!isEnd) {
      yield { at: position, noted };
      ({ position, isEnd, fault } = await checkTrailStep(db, position, noted));
    }
    if (fault === undefined)
      return { next: { at: trailBeginning, noted: position.head }, facts: undefined };
    // What was noted stays after a fault: a trail that was cut off grows again, and is still
    // another one.
    return { next: { at: trailBeginning, noted }, facts: { kind: "trail_broken", fault } };
  },
});
