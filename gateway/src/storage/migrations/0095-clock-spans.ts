/** Spans in which a node's ids were ahead of the right time, so that the times of its calls can be shown as they were. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table clock_spans (
  node bigint not null,
  started_at bigint not null,
  from_at bigint not null,
  until_at bigint not null,
  primary key (node, started_at)
)`,
];

export const clockSpans: Migration = { id: 95, name: "times of ids", sqlite: statements, postgres: statements };
