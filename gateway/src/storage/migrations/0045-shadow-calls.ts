/**
 * A dual run, and what its calls would have cost here (`charge`) and cost there (`source_charge`, null until it is known). `id` is that
 * of the log row, `upstream_id` the id by which the other gateway logs the call.
 */
import type { Migration } from "./migration.ts";

const statements = [
  `create table shadow_runs (
    id bigint primary key check (id = 1), address text not null, until bigint not null, changed_at bigint not null
  )`,
  `create table shadow_calls (
    id bigint primary key, model_name text not null, upstream_id text not null, reason text not null,
    charge bigint not null, source_charge bigint
  )`,
  "create index shadow_calls_unmatched on shadow_calls (upstream_id) where source_charge is null and upstream_id <> ''",
];

export const shadowCalls: Migration = { id: 45, name: "shadow calls", sqlite: statements, postgres: statements };
