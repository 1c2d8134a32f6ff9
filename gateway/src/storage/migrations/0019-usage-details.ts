import type { Migration } from "./migration.ts";

/**
 * `statements` are what the provider reported for a call, and why the charge differs from it where
 * it does. Null in older rows.
 */
const statements = ["alter table logs add column usage_details text"];

export const usageDetails: Migration = {
  id: 19,
  name: "usage-details",
  sqlite: statements,
  postgres: statements,
};
