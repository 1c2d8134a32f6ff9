/** The tokens that an earlier response or conversation puts in front of a prompt; null until its call has been counted. */
import type { Migration } from "./migration.ts";

const column = "alter table provider_states add column context_tokens bigint";

export const contextTokens: Migration = { id: 29, name: "context tokens", sqlite: [column], postgres: [column] };
