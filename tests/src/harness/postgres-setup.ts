/** vitest's global setup of the projects that need PostgreSQL: one server for the whole run. */
import { postgresAvailable, removeAbandonedClusters, startPostgresCluster } from "./postgres-cluster.ts";

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Given by scripts/test.ts, by an earlier project of this run, or by a developer with a server of their own.
  if (process.env.TEST_POSTGRES_URL) return undefined;
  const possible = postgresAvailable();
  if (!possible.available) {
    console.warn(`No tests on PostgreSQL: ${possible.reason}.`);
    return undefined;
  }
  await removeAbandonedClusters();
  const cluster = await startPostgresCluster();
  process.env.TEST_POSTGRES_URL = cluster.url;
  return () => cluster.stop();
}
