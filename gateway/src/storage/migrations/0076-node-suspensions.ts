/** What each node has suspended, as it said last: breakers are in the memory of nodes, and alerts are of the site. */
import type { Migration } from "./migration.ts";

const statements = [
  "create table node_suspensions (node bigint primary key, seen_at bigint not null, suspensions text not null)",
];

export const nodeSuspensions: Migration = {
  id: 76,
  name: "node suspensions",
  sqlite: statements,
  postgres: statements,
};
