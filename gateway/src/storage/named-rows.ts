/**
 * SQL that resources with a name of their own share: the rows of all, one of them, and changes that
 * miss another's.
 */
import type { ErrorCode } from "@tollgate/contract/api/errors.ts";
import type { Reference } from "@tollgate/contract/api/ids.ts";
import type { Insertable, Selectable } from "kysely";
import type { Database, Write } from "./database.ts";
import { byReference } from "./paged-list.ts";
import type { DatabaseSchema } from "./schema.ts";

type NamedTable = "virtual_models" | "mcp_servers";
export type NamedTableRow<Table extends NamedTable> = Selectable<DatabaseSchema[Table]>;
type NamedColumns<Table extends NamedTable> = Omit<Insertable<DatabaseSchema[Table]>, "id">;

/** `taken` is the refusal of a name that another row has. */
export function findNamedRows<Table extends NamedTable>(
  { sql, read }: Pick<Database, "sql" | "read">,
  table: Table,
  taken: ErrorCode,
) {
  // The compiler follows columns of one table, or of both; which one it is, the types of the
  // functions say.
  const either: NamedTable = table;
  const rows = () => sql.selectFrom(either).selectAll();

  return {
    all: () => read(rows().orderBy("name")) as Promise<NamedTableRow<Table>[]>,

    async find(reference: Reference): Promise<NamedTableRow<Table> | undefined> {
      return (await read(rows().where(byReference(table, reference))))[0] as
        | NamedTableRow<Table>
        | undefined;
    },

    async byName(name: string): Promise<NamedTableRow<Table> | undefined> {
      return (await read(rows().where("name", "=", name)))[0] as NamedTableRow<Table> | undefined;
    },

    insert: (row: NamedColumns<Table>): Write => ({
      query: sql.insertInto(either).values(row as Insertable<DatabaseSchema[NamedTable]>),
      rows: 1,
      conflict: taken,
    }),

    /** Misses when the row changed after it was read. */
    update: (
      { id, updated_at }: Pick<Selectable<DatabaseSchema[NamedTable]>, "id" | "updated_at">,
      change: Partial<NamedColumns<Table>>,
    ): Write => ({
      query: sql
        .updateTable(either)
        .set(change as object)
        .where("id", "=", id)
        .where("updated_at", "=", updated_at),
      rows: 1,
      missed: "changed_meanwhile",
      conflict: taken,
    }),

    remove: ({ id }: { id: number }): Write => ({
      query: sql.deleteFrom(either).where("id", "=", id),
      rows: 1,
      missed: "changed_meanwhile",
    }),
  };
}
