/** SIGHUP reads the environment's files anew, and the log says what came of it. */
import type { Logger } from "pino";
import type { Config } from "../config/config.ts";
import { ConfigError } from "../config/config-error.ts";
import type { Environment } from "../config/open-environment.ts";
import { createReload } from "../config/reload-settings.ts";

/**
 * `awaitReloads` is called first of all: a signal that nobody listens to would end the program. One
 * that comes during the start is answered when the returned function gets what a reload does.
 */
export function awaitReloads(): (reload: () => void) => void {
  let isAsked = false;
  let act = (): void => {
    isAsked = true;
  };
  process.on("SIGHUP", () => act());
  return (reload) => {
    act = reload;
    if (isAsked) reload();
  };
}

interface ReloadDeps {
  read(): Environment;
  /** Its live members change. */
  config: Config;
  app: { renewConnections(): void };
  log: Logger;
}

export function composeReload({ read, config, app, log }: ReloadDeps): () => void {
  const reload = createReload(read, config);
  return () => {
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
  };
}
