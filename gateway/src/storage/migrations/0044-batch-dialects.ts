/** Batches of several vendors: as which one's API each was made. */
import type { Migration } from "./migration.ts";

const statements = ["alter table provider_batches add column dialect text not null default 'openai'"];

export const batchDialects: Migration = {
  id: 44,
  name: "dialects of batches",
  sqlite: statements,
  postgres: statements,
};
