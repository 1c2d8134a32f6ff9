// Which database a large run uses: SQLite in a folder of its own, or a PostgreSQL server that lives as long as the run.
import { startCluster } from "../../harness/postgres.ts";
import type { Store } from "../../world.ts";
import type { SiteOptions } from "./site.ts";

export interface StoreUse extends Pick<SiteOptions, "store" | "postgresUrl"> {
  /** As if the machine of the database had lost power for a moment; SQLite has none of its own. */
  restartServer?(): Promise<void>;
}

export async function onStore<Found>(name: string, act: (use: StoreUse) => Promise<Found>): Promise<Found> {
  const store = storeNamed(name);
  if (store === "sqlite") return await act({ store });
  const cluster = await startCluster();
  try {
    return await act({ store, postgresUrl: cluster.url, restartServer: () => cluster.restart() });
  } finally {
    await cluster.stop();
  }
}

function storeNamed(name: string): Store {
  if (name === "sqlite" || name === "postgres") return name;
  throw new Error("--store is sqlite or postgres");
}
