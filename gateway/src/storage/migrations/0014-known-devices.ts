import type { Migration } from "./migration.ts";

/** Browsers that signed in to an account before. They keep their own tries when a stranger uses up those of the account. */
const statements = [
  `create table known_devices (
  user_id bigint not null,
  device_hash text not null,
  seen_at bigint not null,
  primary key (user_id, device_hash)
)`,
  "create index known_devices_hash on known_devices (device_hash)",
  "create index known_devices_seen on known_devices (seen_at)",
];

export const knownDevices: Migration = {
  id: 14,
  name: "known-devices",
  sqlite: statements,
  postgres: statements,
};
