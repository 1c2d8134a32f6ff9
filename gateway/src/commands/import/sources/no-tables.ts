/** A source that is a file of settings: no table holds anything. */
import type { SourceTables } from "./source-tables.ts";

export const noTables = (label: string): SourceTables => ({
  label,
  columns: async () => new Set(),
  page: async () => [],
  close: async () => undefined,
});
