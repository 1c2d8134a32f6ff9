/**
 * Calls of a dual run learn what the source charged for them, by the ids under which it logged
 * them.
 */
import { computeIdTime } from "../../../storage/time-ids.ts";
import type { ImportRun } from "../import-run.ts";

/** The source writes the row of a call when it ends, by a clock of its own. */
const clocksApartMs = 3_600_000;

export async function writeShadowCharges({
  source,
  shadow,
  db,
  report,
  isPlan,
}: ImportRun): Promise<void> {
  const oldest = await shadow.oldestUnmatched();
  if (oldest === undefined || !source.lastCharges) return;
  const sinceMs = computeIdTime(oldest) - clocksApartMs;
  for await (const page of source.lastCharges()) {
    const unmatched = await shadow.unmatched(page.map(({ requestId }) => requestId));
    const found = page.filter(({ requestId }) => unmatched.has(requestId));
    if (found.length > 0 && !isPlan)
      await db.write(found.map(({ requestId, quota }) => shadow.match(requestId, quota)));
    report.count("shadow", "added", found.length);
    if (page.some(({ createdAtMs }) => createdAtMs < sinceMs)) return;
  }
}
