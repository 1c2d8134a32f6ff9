/** A token says how old an answer of the response cache may be for its calls; 0, as until now for every token, for none at all. */
import type { Migration } from "./migration.ts";

const statements = ["alter table tokens add column cache_seconds bigint not null default 0"];

export const tokenCache: Migration = { id: 66, name: "token cache", sqlite: statements, postgres: statements };
