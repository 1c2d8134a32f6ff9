/** The price list that root compares with the prices in force, in one row. */
import type { Migration } from "./migration.ts";

const statements = [
  `create table offered_prices (
    id bigint primary key check (id = 1), address text not null, source text not null, models text not null,
    set_aside text not null, read_at bigint not null, due_at bigint not null, failure text not null, revision bigint not null
  )`,
  "insert into offered_prices values (1, '', '', '{}', '{}', 0, 0, '', 0)",
];

export const offeredPrices: Migration = { id: 52, name: "offered prices", sqlite: statements, postgres: statements };
