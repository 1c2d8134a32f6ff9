/**
 * The tokens that spent most on a day, without reading the rows of all tokens. Only PostgreSQL has the index, because it adds
 * calls up each second: SQLite would write it with every call, and its rows are so narrow that it reads them all as quickly.
 * The index lacks the token on purpose: with it, the planner reads all of a week's entries to add up the sums of a few tokens.
 */
import type { Migration } from "./migration.ts";

export const spendingTokens: Migration = {
  id: 80,
  name: "spending tokens",
  sqlite: [],
  postgres: ["create index rollup_day_token_quota on rollup_day_token (day, quota)"],
};
