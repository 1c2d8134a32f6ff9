import { measureColumns, rollupTables } from "../rollups.ts";
import { createRollup } from "./0001-first-schema.ts";
import { foldInto } from "./0001-fold-rollups.ts";
import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // One's own calls of one model: by user alone, a page of a rare model would look at all that the user ever did.
  "create index logs_user_model on logs (user_id, model_name, id)",
  // Work that one node does for all: whoever moves `due_at` on does it.
  "create table chores (name text not null primary key, due_at bigint not null)",
  "insert into chores (name, due_at) values ('log retention', 0)",
];

/** Ranking everybody by user and model reads a row for every model that somebody used. */
const dayUser = createRollup({ table: "rollup_day_user", keys: ["day", "user_id"] }).replace(";", "");
const filled = `insert into rollup_day_user (day, user_id, ${measureColumns.join(", ")})
  select day, user_id, ${measureColumns.map((column) => `sum(${column})`).join(", ")}
  from rollup_day_user_model group by day, user_id`;

export const logUpkeep: Migration = {
  id: 7,
  name: "log upkeep",
  sqlite: [...statements, dayUser.replace("KEYED", " without rowid"), filled],
  postgres: [
    ...statements,
    // Nobody folds while the new roll-up is filled from the old one.
    "select pg_advisory_xact_lock(7081201)",
    dayUser.replace("KEYED", ""),
    filled,
    foldInto(rollupTables).replace("create function", "create or replace function"),
  ],
};
