/**
 * Opens the import from the console. The parts of the import itself are loaded by its first run.
 */
import { join } from "node:path";
import type { ImportPrivateHosts } from "../commands/import/writers/refused-addresses.ts";
import { importFolder } from "../commands/site-imports/import-folder.ts";
import { lossesPerReason } from "../commands/site-imports/import-view.ts";
import {
  createSiteImports,
  type EngineSettings,
} from "../commands/site-imports/manage-site-import.ts";
import type { ImportEngine } from "../commands/site-imports/run-site-import.ts";
import { buildSiteImportRoutes } from "../commands/site-imports/site-import-routes.ts";
import { createSiteImportStore } from "../commands/site-imports/site-import-store.ts";
import type { ApiRoute } from "../http/api-route.ts";
import type { ProveIdentity } from "../http/request-context.ts";
import type { Sealer } from "../secrets/seal.ts";
import type { Database } from "../storage/database.ts";

interface SiteImportParts {
  db: Database;
  seal: Sealer;
  dataDir: string;
  /** The `host:port` pairs of databases that may be read despite a private address. */
  privateHosts: ReadonlySet<string>;
  channelHosts: ImportPrivateHosts;
  clock(): number;
  onError(error: unknown): void;
  proveIdentity: ProveIdentity;
}

export function openSiteImports({
  channelHosts,
  db,
  seal,
  dataDir,
  privateHosts,
  clock,
  onError,
  proveIdentity,
}: SiteImportParts): {
  routes: ApiRoute[];
  close(): Promise<void>;
} {
  async function loadEngine({
    actor,
    isPlan,
    name,
    logsSinceMs,
    now,
  }: EngineSettings): Promise<ImportEngine> {
    const [
      { composeImportRun },
      { createImportReport },
      { openRemoteSource },
      { runImport },
      { verifyImport },
    ] = await Promise.all([
      import("./open-import-run.ts"),
      import("../commands/import/import-report.ts"),
      import("../commands/import/remote-source.ts"),
      import("../commands/import/run-import.ts"),
      import("../commands/import/verify-import.ts"),
    ]);
    const settings = {
      ...{ actor, isPlan, name, logsSinceMs, now, seal },
      keepRoot: new Set<string>(),
      privateHosts: channelHosts,
    };
    return {
      createReport: () => createImportReport({ perReason: lossesPerReason }),
      openSource: openRemoteSource,
      compose: (source, report) => composeImportRun(db, { ...settings, source, report }),
      run: runImport,
      verify: verifyImport,
    };
  }
  const imports = createSiteImports({
    db,
    store: createSiteImportStore(db),
    seal,
    folder: importFolder(join(dataDir, "imports")),
    privateHosts,
    loadEngine,
    now: clock,
    onError,
  });
  return { routes: buildSiteImportRoutes({ imports, proveIdentity }), close: imports.close };
}
