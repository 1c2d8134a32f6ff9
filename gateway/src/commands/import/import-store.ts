/** SQL on what was imported from one source. */
import { sql as raw } from "kysely";
import type { Database, Write } from "../../storage/database.ts";
import { selectValuesTable } from "../../storage/values-table.ts";
import type { FollowedKind, ImportEntity } from "./import-items.ts";

/**
 * `ImportedState` is what the source said of a row when it was last read, by names of the writer's
 * own.
 */
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

/** `source` is what is known of the source as a whole. */
type StoredEntity = ImportEntity | "source";

/**
 * `StoredReach` has the places from which each kind was read so far, such as a database and a file
 * of settings.
 */
export type StoredReach = ReadonlyMap<string, readonly string[]>;

const pageRows = 1_000;

type ImportedTable = "users" | "teams" | "tokens" | "channels" | "virtual_models" | "redemptions";

export type ImportStore = ReturnType<typeof importStore>;

/** `source` is the operator's name for the other system. */
export function importStore({ sql, read }: Pick<Database, "sql" | "read">, source: string) {
  async function known(
    entity: StoredEntity,
    ids: readonly string[],
  ): Promise<ReadonlyMap<string, ImportedItem>> {
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
  }

  /** `put` is for what has no row of its own here, and for the state of a known row. */
  function put(entity: StoredEntity, sourceId: string, ourId: number, state: ImportedState): Write {
    const text = JSON.stringify(state);
    return {
      query: sql
        .insertInto("imported")
        .values({ source, entity, source_id: sourceId, our_id: ourId, state: text })
        .onConflict((known) =>
          known.columns(["source", "entity", "source_id"]).doUpdateSet({ state: text }),
        ),
      rows: 1,
    };
  }

  return {
    known,
    put,

    /** `pages` gives all of a kind, in pages. */
    async *pages(
      entity: FollowedKind,
    ): AsyncGenerator<readonly (ImportedItem & { sourceId: string })[]> {
      for (let after = ""; ; ) {
        const rows = await read(
          sql
            .selectFrom("imported")
            .select(["source_id", "our_id", "state"])
            .where("source", "=", source)
            .where("entity", "=", entity)
            .where("source_id", ">", after)
            .orderBy("source_id")
            .limit(pageRows),
        );
        if (rows.length === 0) return;
        yield rows.map(({ source_id, our_id, state }) => ({
          sourceId: source_id,
          ourId: our_id,
          state: JSON.parse(state) as ImportedState,
        }));
        after = rows.at(-1)?.source_id ?? "";
      }
    },

    async reach(): Promise<StoredReach> {
      const { state = {} } = (await known("source", ["reach"])).get("reach") ?? {};
      return new Map(
        Object.entries(state).map(([kind, parts]) => [kind, String(parts).split(",")]),
      );
    },

    /** Nothing where it is known already. */
    noteReach(
      now: Readonly<Partial<Record<FollowedKind, readonly string[]>>>,
      before: StoredReach,
    ): Write[] {
      const kinds = new Set([...before.keys(), ...Object.keys(now)]);
      const all = Object.fromEntries(
        [...kinds].map((kind) => {
          const parts = new Set([
            ...(before.get(kind) ?? []),
            ...(now[kind as FollowedKind] ?? []),
          ]);
          return [kind, [...parts].sort().join(",")];
        }),
      );
      const isKnown = Object.entries(all).every(
        ([kind, parts]) => before.get(kind)?.join(",") === parts,
      );
      return isKnown ? [] : [put("source", "reach", 0, all)];
    },

    /** After the change-over this gateway decides alone whom and what it serves. */
    isCutOver: async (): Promise<boolean> => (await known("source", ["cut_over"])).size > 0,

    noteCutOver: (now: number): Write => put("source", "cut_over", 0, { at: now }),

    /**
     * Rows are found by their uuids, because their ids do not exist before the batch runs. At least
     * one.
     */
    remember(entity: ImportEntity, table: ImportedTable, rows: readonly RememberedRow[]): Write {
      const given = selectValuesTable("given", {
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
  };
}
