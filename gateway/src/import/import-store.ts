/** SQL on what was imported from one source. */
import { sql as raw } from "kysely";
import type { Database, Write } from "../storage/database.ts";
import { valuesTable } from "../storage/values-table.ts";
import type { ImportEntity } from "./import-items.ts";

/** What the source said of a row when it was last read, by names of the writer's own. */
export type ImportedState = Readonly<Record<string, string | number>>;

export interface ImportedItem {
  ourId: number;
  state: ImportedState;
}

interface RememberedRow {
  uuid: string;
  sourceId: string;
  state: ImportedState;
}

type ImportedTable = "users" | "tokens" | "channels" | "virtual_models" | "redemptions";

export type ImportStore = ReturnType<typeof importStore>;

/** `source` is the operator's name for the other system. */
export function importStore({ sql, read }: Pick<Database, "sql" | "read">, source: string) {
  return {
    async known(entity: ImportEntity, ids: readonly string[]): Promise<ReadonlyMap<string, ImportedItem>> {
      if (ids.length === 0) return new Map();
      const rows = await read(
        sql
          .selectFrom("imported")
          .select(["source_id", "our_id", "state"])
          .where("source", "=", source)
          .where("entity", "=", entity)
          .where("source_id", "in", [...new Set(ids)]),
      );
      return new Map(
        rows.map(({ source_id, our_id, state }) => [
          source_id,
          { ourId: our_id, state: JSON.parse(state) as ImportedState },
        ]),
      );
    },

    /** Rows are found by their uuids, because their ids do not exist before the batch runs. At least one. */
    remember(entity: ImportEntity, table: ImportedTable, rows: readonly RememberedRow[]): Write {
      const given = valuesTable("given", {
        uuid: { type: "text", values: rows.map(({ uuid }) => uuid) },
        source_id: { type: "text", values: rows.map(({ sourceId }) => sourceId) },
        state: { type: "text", values: rows.map(({ state }) => JSON.stringify(state)) },
      });
      const stored = raw.table(table);
      const statement = raw`
        insert into imported (source, entity, source_id, our_id, state)
        select ${source}, ${entity}, given.source_id, ${stored}.id, given.state
        from ${given} join ${stored} on ${stored}.uuid = given.uuid`;
      return { query: { compile: () => statement.compile(sql) }, rows: rows.length };
    },

    /** For what has no row of its own here, and for the state of a known row. */
    put(entity: ImportEntity, sourceId: string, ourId: number, state: ImportedState): Write {
      const text = JSON.stringify(state);
      return {
        query: sql
          .insertInto("imported")
          .values({ source, entity, source_id: sourceId, our_id: ourId, state: text })
          .onConflict((known) => known.columns(["source", "entity", "source_id"]).doUpdateSet({ state: text })),
        rows: 1,
      };
    },
  };
}
