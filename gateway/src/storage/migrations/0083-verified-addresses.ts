/**
 * When an account's address was proved by a mailed code or link. What was proved before this version is not known, so that every address
 * begins unproved.
 */
import type { Migration } from "./migration.ts";

const statements = ["alter table users add column email_verified_at bigint"];

export const verifiedAddresses: Migration = {
  id: 83,
  name: "verified addresses",
  sqlite: statements,
  postgres: statements,
};
