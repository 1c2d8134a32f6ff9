/** What is said of the ends of models: by an administrator for all channels, and by the provider of each channel in its list of models. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table model_facts (
    model_name text primary key, ends_on text not null, replacement text not null, updated_at bigint not null)`,
  `create table told_model_ends (channel_uuid text primary key, ends text not null, due_at bigint not null)`,
];

export const modelFacts: Migration = { id: 74, name: "model facts", sqlite: statements, postgres: statements };
