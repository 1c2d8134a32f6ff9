/**
 * How often a call was sent again, and the calls that did not go smoothly, newest first: few among many, for all users and for
 * one. Null in older rows, where only the trace says it. The indexes hold what filters ask for, so that counting reads no
 * rows. `logs/log-store.ts` repeats the condition word for word: a database uses a partial index only for a query that states
 * its condition.
 */
import type { Migration } from "./migration.ts";

const problem = "outcome not in ('success', '') or retries > 0";
const statements = [
  "alter table logs add column retries bigint",
  `create index logs_problems on logs (id, outcome, retries, channel_id, model_name) where ${problem}`,
  `create index logs_user_problems on logs (user_id, id, outcome, retries, model_name) where ${problem}`,
];

export const logProblems: Migration = {
  id: 21,
  name: "log problems",
  sqlite: statements,
  postgres: statements,
};
