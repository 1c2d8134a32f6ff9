/** What providers report that they charged: the keys for it, the days that were read, and both sides of each by model. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table cost_reports (
  channel_uuid text not null primary key, key_sealed text not null, key_hint text not null, destination text not null,
  scope text not null, channel_ids text not null, due_at bigint not null, attempted_at bigint not null, read_at bigint,
  failure text not null, failure_status bigint not null, updated_at bigint not null
)`,
  `create table cost_report_days (
  channel_uuid text not null, day bigint not null, read_at bigint not null, is_incomplete bigint not null,
  primary key (channel_uuid, day)
)`,
  `create table cost_report_lines (
  channel_uuid text not null, day bigint not null, side text not null, model_name text not null,
  requests bigint, prompt_tokens bigint, completion_tokens bigint, cost_micros bigint,
  primary key (channel_uuid, day, side, model_name)
)`,
];

export const costReports: Migration = {
  id: 26,
  name: "cost reports",
  sqlite: statements,
  postgres: statements,
};
