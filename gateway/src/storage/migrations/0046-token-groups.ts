/** The groups whose channels the calls of a token try, in order; empty: the owner's group, as before. */
import type { Migration } from "./migration.ts";

const column = "alter table tokens add column groups text not null default ''";

export const tokenGroups: Migration = { id: 46, name: "token groups", sqlite: [column], postgres: [column] };
