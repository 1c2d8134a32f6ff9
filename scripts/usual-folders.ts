// Where an installed gateway keeps its files unless the operator says otherwise.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const { env } = process;

/**
 * `./data` where it exists, as in a clone, and otherwise the folder that the system has for data of
 * programs.
 */
export const usualDataDir = (): string =>
  existsSync("data")
    ? "data"
    : join(env.XDG_DATA_HOME ?? join(homedir(), ".local/share"), "tollgate");

export const usualCacheDir = (): string =>
  join(env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "tollgate");
