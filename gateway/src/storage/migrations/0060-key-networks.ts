/** From which networks keys are used, by UTC day: for the keys that their owners should look at. */
import type { Migration } from "./migration.ts";

const statements = [
  "create table key_networks (token_id bigint not null, day bigint not null, network text not null, primary key (token_id, day, network))",
  "create index key_networks_by_day on key_networks (day)",
];

export const keyNetworks: Migration = { id: 60, name: "networks of keys", sqlite: statements, postgres: statements };
