/**
 * vitest's global setup of the projects that need PostgreSQL: one server, and templates for the
 * whole run.
 */
import { createPostgresTemplates } from "./database-templates.ts";
import {
  dropDatabase,
  postgresAvailable,
  removeAbandonedClusters,
  startPostgresCluster,
} from "./postgres-cluster.ts";

export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  // Another project of this run has done it.
  if (process.env.TEST_POSTGRES_TEMPLATE) return undefined;
  // Given by scripts/test.ts, or by a developer with a server of their own.
  if (process.env.TEST_POSTGRES_URL) {
    const templates = await createPostgresTemplates();
    return async () => {
      for (const template of templates) await dropDatabase(template);
    };
  }
  const possible = postgresAvailable();
  if (!possible.available) {
    console.warn(`No tests on PostgreSQL: ${possible.reason}.`);
    return undefined;
  }
  await removeAbandonedClusters();
  const cluster = await startPostgresCluster();
  process.env.TEST_POSTGRES_URL = cluster.url;
  await createPostgresTemplates();
  return () => cluster.stop();
}
