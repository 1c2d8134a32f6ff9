/** vitest's global setup of the projects that need PostgreSQL: one server and one migrated template for the whole run. */
import { migratePostgres } from "@tollgate/gateway/storage/migrate.ts";
import pg from "pg";
import {
  createDatabase,
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
    const template = await provideTemplate();
    return () => dropDatabase(template);
  }
  const possible = postgresAvailable();
  if (!possible.available) {
    console.warn(`No tests on PostgreSQL: ${possible.reason}.`);
    return undefined;
  }
  await removeAbandonedClusters();
  const cluster = await startPostgresCluster();
  process.env.TEST_POSTGRES_URL = cluster.url;
  await provideTemplate();
  return () => cluster.stop();
}

/** A copy of a migrated database takes a third of the time of migrating each. */
async function provideTemplate(): Promise<string> {
  const template = await createDatabase();
  const client = new pg.Client({ connectionString: template });
  await client.connect();
  try {
    await migratePostgres(client);
  } finally {
    await client.end();
  }
  process.env.TEST_POSTGRES_TEMPLATE = template;
  return template;
}
