/**
 * What log rows that were carried from another system add up to, by UTC day and by the user there: roll-ups hold them together with
 * the calls of this gateway, and `audit` and `import verify` tell them apart by these sums. `calls` and the sums are of calls
 * alone, `row_count` of rows of every kind, `kept_calls` of calls that became rows of the log here.
 */
import type { Migration } from "./migration.ts";

const statements = [
  `create table imported_log_sums (
    source text not null, kind text not null, subject bigint not null,
    row_count bigint not null, kept_calls bigint not null, calls bigint not null, quota bigint not null,
    prompt_tokens bigint not null, completion_tokens bigint not null,
    primary key (source, kind, subject)
  )`,
];

export const importedLogs: Migration = { id: 43, name: "imported logs", sqlite: statements, postgres: statements };
