/** The networks from which super administrators have signed in. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table root_networks (
    user_id bigint not null, network text not null, seen_at bigint not null, primary key (user_id, network)
  )`,
];

export const rootNetworks: Migration = {
  id: 63,
  name: "root networks",
  sqlite: statements,
  postgres: statements,
};
