/** Requests of users whom a budget limits for more than its amount, for one window. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table budget_requests (
    id bigint not null primary key, budget_id bigint not null, user_id bigint not null,
    window_start bigint not null, window_end bigint, amount bigint not null, reason text not null,
    status text not null, granted bigint not null default 0, created_at bigint not null,
    unique (budget_id, user_id)
  )`,
  "create index budget_requests_user on budget_requests (user_id)",
];

export const budgetRequests: Migration = {
  id: 153,
  name: "budget requests",
  sqlite: statements,
  postgres: statements,
};
