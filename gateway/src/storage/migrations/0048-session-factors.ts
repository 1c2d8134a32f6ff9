/**
 * A session says whether two factors opened it, because a setting may demand them of a role. What is open when the column arrives counts
 * as proved for accounts that have a second factor or a passkey: they were asked for the former, or may have used the latter.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table sessions add column second_factor bigint not null default 0",
  `update sessions set second_factor = 1 where user_id in (select user_id from second_factors where enabled_at is not null)
    or user_id in (select user_id from passkeys)`,
];

export const sessionFactors: Migration = { id: 48, name: "session factors", sqlite: statements, postgres: statements };
