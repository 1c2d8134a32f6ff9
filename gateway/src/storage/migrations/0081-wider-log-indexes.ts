/**
 * The sums of one user's calls in a part of a day, and the count of a channel's calls of one model, from the index alone: the
 * rows of a user or a channel are spread over all pages of the log. They are two indexes as before with two more columns
 * each, so a call writes as many indexes as before.
 */
import type { Migration } from "./migration.ts";

const drops = ["drop index logs_user_id", "drop index logs_channel_id"];

export const widerLogIndexes: Migration = {
  id: 81,
  name: "wider log indexes",
  sqlite: [
    ...drops,
    "create index logs_user_id on logs (user_id, id, type, quota)",
    "create index logs_channel_id on logs (channel_id, id, type, model_name)",
  ],
  postgres: [
    ...drops,
    "create index logs_user_id on logs (user_id, id) include (type, quota)",
    "create index logs_channel_id on logs (channel_id, id) include (type, model_name)",
  ],
};
