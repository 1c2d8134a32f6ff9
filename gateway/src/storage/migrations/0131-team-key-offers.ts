/**
 * Keys that their owners offer to a team: an admin of the team decides. `terms` are what the owner was shown of the move, so that nobody
 * agrees to something else. `moved_at` is when another wallet began to pay for a key: what its days cost before is not what that wallet paid.
 */
import type { Migration } from "./migration.ts";

const statements = [
  `create table team_key_offers (token_id bigint not null primary key, team_id bigint not null, user_id bigint not null,
  terms text not null, created_at bigint not null, expires_at bigint not null)`,
  "create index team_key_offers_team on team_key_offers (team_id)",
  "create index team_key_offers_end on team_key_offers (expires_at)",
  "alter table tokens add column moved_at bigint",
  "create index tokens_moved on tokens (moved_at) where moved_at is not null",
];

export const teamKeyOffers: Migration = { id: 131, name: "team key offers", sqlite: statements, postgres: statements };
