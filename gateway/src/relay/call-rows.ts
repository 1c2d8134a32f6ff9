/**
 * Log row and trace of what is written without a hold, as statements that join the batch of what it
 * belongs to. It joins the roll-ups as a settled call does, but for its time.
 */
import type { Database, Write } from "../storage/database.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";

export interface CallRows {
  writesFor(log: LogRow, trace: string): readonly Write[];
  write(writes: readonly Write[]): Promise<void>;
}

export function createCallRows({ sql, write }: Pick<Database, "sql" | "write">): CallRows {
  return {
    writesFor: (log, trace) => [
      { query: sql.insertInto("logs").values(log), counts: log },
      { query: sql.insertInto("traces").values({ id: log.id, data: trace }) },
    ],
    async write(writes) {
      await write(writes);
    },
  };
}
