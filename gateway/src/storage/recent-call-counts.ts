/** The number of calls that channels, keys and users had lately, from roll-ups alone. */
import type { CallCount } from "@tollgate/contract/figures/recent-calls.ts";
import type { Database } from "./database.ts";
import { isSinceMove } from "./payer-scope.ts";
import { computeDay, computeHour } from "./rollups.ts";

export type RecentSubject = "channel" | "token" | "user";

interface CountedStep {
  step: number;
  id: number;
  requests: number;
  failures: number;
}

const stripHours = 24;
const stripDays = 14;

/** The rows with the counts of their latest hours or days, oldest first. */
export async function addRecentCalls<Row extends { id: number }>(
  db: Pick<Database, "sql" | "read">,
  subject: RecentSubject,
  rows: readonly Row[],
  now: number,
): Promise<(Row & { recent: CallCount[] })[]> {
  const last = subject === "channel" ? computeHour(now) : computeDay(now);
  const count = subject === "channel" ? stripHours : stripDays;
  const steps = Array.from({ length: count }, (_, index) => last - count + 1 + index);
  const ids = rows.map(({ id }) => id);
  const counted = ids.length === 0 ? [] : await listCounts(db, subject, { steps, ids });
  const known = new Map(counted.map((one) => [`${one.id} ${one.step}`, one]));
  return rows.map((row) => ({
    ...row,
    recent: steps.map((step) => {
      const { requests = 0, failures = 0 } = known.get(`${row.id} ${step}`) ?? {};
      return { requests: Number(requests), failures: Number(failures) };
    }),
  }));
}

/**
 * Each step is named: the tables lead with the time, so a range would read the rows of all others.
 */
function listCounts(
  { sql, read }: Pick<Database, "sql" | "read">,
  subject: RecentSubject,
  { steps, ids }: { steps: number[]; ids: number[] },
): Promise<CountedStep[]> {
  const counts = ["requests", "failures"] as const;
  switch (subject) {
    case "channel": {
      const hours = sql
        .selectFrom("rollup_hour_channel")
        .select(["hour as step", "channel_id as id", ...counts]);
      return read(hours.where("hour", "in", steps).where("channel_id", "in", ids));
    }
    case "token": {
      const days = sql
        .selectFrom("rollup_day_token")
        .select(["day as step", "token_id as id", ...counts])
        .where(isSinceMove("token_id", "day"));
      return read(days.where("day", "in", steps).where("token_id", "in", ids));
    }
    case "user": {
      const days = sql
        .selectFrom("rollup_day_user")
        .select(["day as step", "user_id as id", ...counts]);
      return read(days.where("day", "in", steps).where("user_id", "in", ids));
    }
  }
}
