/** What administrators issued by UTC day, and what they wanted to issue above their limit. */
import type { Migration } from "./migration.ts";

const issued = `create table admin_issues (
  user_id bigint not null, day bigint not null, amount bigint not null check (amount >= 0), primary key (user_id, day)
)`;
const requests = `create table quota_requests (
  id bigint not null primary key, user_id bigint not null, kind text not null, target_uuid text not null, name text not null,
  quota bigint not null, count bigint not null, created_at bigint not null
)`;
const index = "create index quota_requests_user on quota_requests (user_id)";

export const quotaRequests: Migration = {
  id: 22,
  name: "quota requests",
  sqlite: [issued, requests, index],
  postgres: [issued, requests, index],
};
