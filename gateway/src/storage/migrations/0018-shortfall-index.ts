/** Shortfalls are rare, and counted for a channel whenever it has another one. */
import type { Migration } from "./migration.ts";

const shortfallsByChannel =
  "create index ledger_shortfalls on ledger (channel_id, created_at) where kind = 'shortfall'";

export const shortfallIndex: Migration = {
  id: 18,
  name: "shortfall index",
  sqlite: [shortfallsByChannel],
  postgres: [shortfallsByChannel],
};
