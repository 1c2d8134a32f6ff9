/** The outbound proxy of one channel, sealed, and its address without user name and password; empty for none of its own. */
import type { Migration } from "./migration.ts";

const columns = [
  "alter table channels add column proxy_sealed text not null default ''",
  "alter table channels add column proxy_hint text not null default ''",
];

export const channelProxies: Migration = { id: 35, name: "channel proxies", sqlite: columns, postgres: columns };
