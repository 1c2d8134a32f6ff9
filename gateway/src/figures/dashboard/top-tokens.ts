/** The tokens that were charged most in some days, without adding up the days of all of them. */
import { sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import { isPaidBy, isSinceMove, isWholeSite, type PayerScope } from "../../storage/payer-scope.ts";
import type { DayRange } from "./dashboard-rules.ts";

/** The charts show this many users and tokens, those that spent most. */
export const namedMax = 50;
/**
 * More than the chart shows, because some that spent most on one day did not so in the others, or
 * are deleted.
 */
const probedMax = namedMax + 20;
/** The part by which a sum may be too large as a double. */
const inexact = 1e-9;

/**
 * Their ids, most spent first: of one payer, or of the site in few days. Deleted tokens are left
 * out.
 */
export async function listTopTokens(
  { sql, read }: Pick<Database, "sql" | "read">,
  { first, last }: DayRange,
  payer: PayerScope,
): Promise<number[]> {
  const days = Array.from({ length: last - first + 1 }, (_, index) => raw.lit(first + index));
  const rollup = sql.selectFrom("rollup_day_token");
  const used = rollup.where(raw<boolean>`day in (${raw.join(days)})`);
  // Added up before deleted tokens are left out: each is looked up once, not once for each day.
  const ranked = (rows: typeof used) =>
    sql
      .selectFrom(
        rows
          .select("token_id")
          .select(raw<number>`sum(quota)`.as("quota"))
          .groupBy("token_id")
          .as("spent"),
      )
      .where("token_id", "in", sql.selectFrom("tokens").select("id"))
      .orderBy("quota", "desc")
      .orderBy("token_id");
  const topOf = async (rows: typeof used) =>
    (await read(ranked(rows).select("token_id").limit(namedMax))).map(({ token_id }) => token_id);

  if (!isWholeSite(payer))
    return topOf(
      used
        .where("token_id", "in", sql.selectFrom("tokens").where(isPaidBy(payer)).select("id"))
        .where(isSinceMove("token_id", "day")),
    );

  const busyYesterday = rollup
    .where("day", "=", Math.max(first, last - 1))
    .select("token_id")
    .orderBy("quota", "desc")
    .limit(probedMax);
  const [least] = await read(
    ranked(used.where("token_id", "in", busyYesterday))
      .select(raw<number>`cast(quota as double precision)`.as("sum"))
      .offset(namedMax - 1)
      .limit(1),
  );
  if (!least) return topOf(used);
  // A token with this sum or more has its average on one day at least, so few tokens are left to be
  // added up.
  const average = Math.floor((least.sum / days.length) * (1 - inexact));
  return topOf(used.where("token_id", "in", used.where("quota", ">=", average).select("token_id")));
}
