/** SQL on what a team paid by day: of all its keys, or of one member's. Services are user 0. */
import { sql as raw } from "kysely";
import type { Database } from "../../storage/database.ts";
import type { PayerScope } from "../../storage/payer-scope.ts";
import type { DayRange } from "./dashboard-rules.ts";

const measures = [
  "requests",
  "failures",
  "quota",
  "prompt_tokens",
  "cached_prompt_tokens",
  "completion_tokens",
] as const;

/** `TeamPayer` is a payer with a team. */
export type TeamPayer = PayerScope & { teamId: number };
export const isTeamPayer = (payer: PayerScope): payer is TeamPayer => payer.teamId !== undefined;

/** The rows of a team in some days. */
export const selectTeamDays = (
  { sql }: Pick<Database, "sql">,
  { teamId, userId }: TeamPayer,
  { first, last }: DayRange,
) =>
  sql
    .selectFrom("rollup_day_team as used")
    .where("used.team_id", "=", teamId)
    .where("used.day", ">=", first)
    .where("used.day", "<=", last)
    .$if(userId !== undefined, (rows) => rows.where("used.user_id", "=", userId ?? 0));

/**
 * `teamSums` are doubles: a sum may exceed the numbers that JavaScript holds exactly, and SQLite
 * would refuse to return it.
 */
export const teamSums = measures.map((name) =>
  raw<number>`coalesce(sum(cast(${raw.ref(`used.${name}`)} as double precision)), 0)`.as(name),
);
