/** Tables of a source that have no counterpart here, counted for the report. */
import type { Loss } from "./import-items.ts";
import { buildRows, type SourceTables } from "./sources/source-tables.ts";

/**
 * A loss for each table with rows. `tables` names, beside each table, the column by which its rows
 * are read in order.
 */
export async function listTablesNotCarried(
  source: SourceTables,
  tables: readonly (readonly [table: string, key: string])[],
): Promise<readonly Loss[]> {
  const losses: Loss[] = [];
  for (const [table, key] of tables) {
    let count = 0;
    for await (const rows of buildRows(source, table, { columns: [], key })) count += rows.length;
    if (count > 0)
      losses.push({
        entity: "site",
        sourceId: table,
        name: table,
        field: "",
        reason: "table_not_carried",
        value: String(count),
      });
  }
  return losses;
}
