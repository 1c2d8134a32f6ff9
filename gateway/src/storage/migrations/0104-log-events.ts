/**
 * A log row of an event that is no call tells it as a code with its facts, beside the text. Rows of calls have none, so that a call writes
 * what it did before.
 */
import type { Migration } from "./migration.ts";

const statements = ["alter table logs add column event text"];

export const logEvents: Migration = { id: 104, name: "log events", sqlite: statements, postgres: statements };
