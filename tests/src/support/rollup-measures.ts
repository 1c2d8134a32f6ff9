/** The counts of a roll-up row for tests: zero, but for those that are given. */
import { measureColumns } from "@tollgate/gateway/storage/rollups.ts";
import type { RollupMeasures } from "@tollgate/gateway/storage/tables/call-tables.ts";

export const rollupMeasures = (given: Partial<RollupMeasures> = {}): RollupMeasures =>
  ({
    ...Object.fromEntries(measureColumns.map((column) => [column, 0])),
    ...given,
  }) as RollupMeasures;
