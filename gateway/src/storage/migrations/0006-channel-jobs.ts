import type { Migration } from "./migration.ts";

/** The same words in both databases. */
const statements = [
  // One row a kind, so that a kind never runs twice at once on however many nodes.
  `create table channel_jobs (
  kind text not null primary key,
  id bigint not null unique,
  state text not null,
  total bigint not null,
  done bigint not null,
  failed bigint not null,
  started_by text not null,
  started_at bigint not null,
  ended_at bigint,
  lease_until bigint not null
)`,
  `create table channel_job_results (
  job_id bigint not null,
  channel_id bigint not null,
  channel_uuid text not null,
  channel_name text not null,
  outcome text not null,
  message text not null,
  primary key (job_id, channel_id)
)`,
];

export const channelJobs: Migration = {
  id: 6,
  name: "channel jobs",
  sqlite: statements,
  postgres: statements,
};
