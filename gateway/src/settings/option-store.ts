/** SQL on settings. */
import type { Database, Write } from "../storage/database.ts";

export interface StoredOption {
  key: string;
  value: string;
  updated_at: number;
}

export type OptionStore = ReturnType<typeof createOptionStore>;

export function createOptionStore({ sql, read }: Pick<Database, "sql" | "read">) {
  return {
    async all(): Promise<ReadonlyMap<string, StoredOption>> {
      const rows = await read(sql.selectFrom("options").selectAll());
      return new Map(rows.map((row) => [row.key, row]));
    },

    set: (row: StoredOption): Write => ({
      query: sql
        .insertInto("options")
        .values(row)
        .onConflict((taken) =>
          taken.column("key").doUpdateSet({ value: row.value, updated_at: row.updated_at }),
        ),
      rows: 1,
    }),

    clear: (key: string): Write => ({ query: sql.deleteFrom("options").where("key", "=", key) }),
  };
}
