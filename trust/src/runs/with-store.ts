// The database of a large run: SQLite in its own folder, or a PostgreSQL server that lives as long
// as the run.
import type { DatabaseKind } from "@tollgate/tests/harness/gateway-database.ts";
import { startPostgresCluster } from "@tollgate/tests/harness/postgres-cluster.ts";
import type { RunGatewayOptions } from "./run-gateway.ts";

export interface RunStore extends Pick<RunGatewayOptions, "store" | "postgresUrl"> {
  /**
   * Restarts the database server as after a loss of power. Undefined for SQLite, which has no
   * server.
   */
  restartServer?(): Promise<void>;
}

export async function withStore<Found>(
  name: string,
  run: (options: RunStore) => Promise<Found>,
): Promise<Found> {
  const store = storeNamed(name);
  if (store === "sqlite") return await run({ store });
  const cluster = await startPostgresCluster();
  try {
    return await run({ store, postgresUrl: cluster.url, restartServer: () => cluster.restart() });
  } finally {
    await cluster.stop();
  }
}

function storeNamed(name: string): DatabaseKind {
  if (name === "sqlite" || name === "postgres") return name;
  throw new Error("--store is sqlite or postgres");
}
