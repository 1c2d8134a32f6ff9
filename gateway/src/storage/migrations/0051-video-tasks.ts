/** Videos that providers make after their response: what each is held for, and what must still be asked and charged. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table video_tasks (
  id bigint primary key, video_id text not null unique, upstream_id text, channel_id bigint not null, user_id bigint not null,
  state text not null, terms text not null, answer text not null, created_at bigint not null, expires_at bigint not null,
  due_at bigint not null, lease_until bigint not null
)`,
  "create index video_tasks_of_users on video_tasks (user_id, id)",
  "create index video_tasks_due on video_tasks (due_at) where state <> 'settled'",
];

export const videoTasks: Migration = {
  id: 51,
  name: "video tasks",
  sqlite: statements,
  postgres: statements,
};
