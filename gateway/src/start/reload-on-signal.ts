/** SIGHUP reads the environment's files anew, and the log says what came of it. */
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Environment } from "../config/open-environment.ts";
import { createReload } from "../config/reload-settings.ts";

interface ReloadDeps {
  read(): Environment;
  /** Its live members change. */
  config: Config;
  app: { renewConnections(): void };
  log: Logger;
}

export function reloadOnSignal({ read, config, app, log }: ReloadDeps): void {
  const reload = createReload(read, config);
  process.on("SIGHUP", () => {
    try {
      const { changed, needsRestart } = reload();
      log.level = config.logLevel;
      if (changed.some((name) => name.endsWith("_PRIVATE_HOSTS"))) app.renewConnections();
      log.info({ event: "reloaded", changed });
      if (needsRestart.length > 0)
        log.warn({ event: "needs_restart", variables: needsRestart }, "a change needs a restart");
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      log.error({ event: "reload_refused", reason: error.message }, "nothing was changed");
    }
  });
}
