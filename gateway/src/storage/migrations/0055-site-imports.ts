/** An import from the console: one at a time, whose lease tells whether its process lives. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table site_imports (
    id bigint primary key check (id = 1), uuid text not null, name text not null, kind text not null, label text not null,
    system text not null, source_sealed text not null, phase text not null, state text not null, failure text not null,
    report text not null, started_by text not null, started_at bigint not null, ended_at bigint, lease_until bigint not null
  )`,
];

export const siteImports: Migration = {
  id: 55,
  name: "imports from the console",
  sqlite: statements,
  postgres: statements,
};
