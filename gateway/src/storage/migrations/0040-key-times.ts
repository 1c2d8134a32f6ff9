/** When the present key of a token was made, if a rotation or an administrator made it: otherwise it is as old as its token. */
import type { Migration } from "./migration.ts";

const column = "alter table tokens add column key_made_at bigint";

export const keyTimes: Migration = { id: 40, name: "key times", sqlite: [column], postgres: [column] };
