/**
 * Calls whose time says nothing of their channel, such as uploads, which take as long as their
 * client: their rows in the queue have none. A null joins neither sum nor histogram of
 * `tollgate_fold_rollups`.
 */
import type { Migration } from "./migration.ts";

export const untimedCalls: Migration = {
  id: 141,
  name: "untimed calls",
  sqlite: [],
  postgres: ["alter table rollup_queue alter column elapsed_ms drop not null"],
};
