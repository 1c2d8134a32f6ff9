import type { Migration } from "./migration.ts";

/** What was imported from where, so that a later run of the same import continues, and carries only what is new. */
const statements = [
  `create table imported (
    source text not null, entity text not null, source_id text not null, our_id bigint not null, state text not null,
    primary key (source, entity, source_id)
  )`,
];

export const imports: Migration = { id: 23, name: "imports", sqlite: statements, postgres: statements };
