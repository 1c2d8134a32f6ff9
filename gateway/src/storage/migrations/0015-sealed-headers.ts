/**
 * A column for the sealed values of custom headers; the program seals existing values when it starts. The host that a key was
 * entered for follows from the row, which cannot change it without the key.
 */
import type { Migration } from "./migration.ts";

const statements = [
  "alter table channels add column headers_sealed text not null default ''",
  "alter table channels drop column key_host",
];

export const sealedHeaders: Migration = {
  id: 15,
  name: "sealed headers",
  sqlite: statements,
  postgres: statements,
};
