/** The tag by which administrators group channels; empty for none. */
import type { Migration } from "./migration.ts";

const column = "alter table channels add column tag text not null default ''";

export const channelTags: Migration = { id: 34, name: "channel tags", sqlite: [column], postgres: [column] };
