/**
 * Secrets of the environment that stand in files: `MASTER_KEY_FILE=/run/secrets/key` in place of
 * `MASTER_KEY`.
 */
import { readFileSync, statSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import type { Environment } from "./open-environment.ts";
import { secretVariables } from "./variable-groups.ts";

const fileBytesMax = 64 * 1024;

/**
 * `readSecretFiles` is the environment with the contents of those files, without the line break at
 * their end. Throws `ConfigError` for a file that cannot be read or is too large, and where the
 * variable is set besides.
 */
export function readSecretFiles(environment: Environment): Environment {
  const read = secretVariables.flatMap((name) => {
    const file = environment[`${name}_FILE`];
    if (!file) return [];
    if (environment[name]) throw new ConfigError(`set ${name} or ${name}_FILE, not both`);
    return [[name, readSecret(`${name}_FILE`, file)] as const];
  });
  return read.length === 0 ? environment : { ...environment, ...Object.fromEntries(read) };
}

function readSecret(variable: string, file: string): string {
  try {
    const { size } = statSync(file);
    if (size > fileBytesMax)
      throw new ConfigError(`${variable} names a file of ${size} bytes; ${fileBytesMax} are read`);
    return readFileSync(file, "utf8").replace(/\r?\n$/, "");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    throw new ConfigError(`${variable} names ${file}, which cannot be read (${code})`);
  }
}
