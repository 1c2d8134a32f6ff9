/** SQL on what nodes have suspended. */
import type { Database, Write } from "../../storage/database.ts";
import type { Suspension } from "./suspensions.ts";

/** A node tells every 15 seconds; one that has not for so long has ended. */
const staleMs = 60_000;

export type SuspensionStore = ReturnType<typeof createSuspensionStore>;

export function createSuspensionStore({
  sql,
  read,
  node,
}: Pick<Database, "sql" | "read" | "node">) {
  return {
    tell: (all: readonly Suspension[], now: number): Write => {
      const row = { seen_at: now, suspensions: JSON.stringify(all) };
      return {
        query: sql
          .insertInto("node_suspensions")
          .values({ node, ...row })
          .onConflict((conflict) => conflict.column("node").doUpdateSet(row)),
        rows: 1,
      };
    },

    /**
     * `told` goes by node. Suspensions that a clock that was set back has told are left out until
     * then.
     */
    async told(now: number): Promise<Suspension[][]> {
      const rows = await read(
        sql
          .selectFrom("node_suspensions")
          .select("suspensions")
          .where("seen_at", ">", now - staleMs)
          .where("seen_at", "<=", now + staleMs),
      );
      return rows.map(({ suspensions }) => JSON.parse(suspensions) as Suspension[]);
    },
  };
}
