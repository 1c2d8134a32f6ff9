/** The environment with the variables of ENVIRONMENT_FILE, as it is at each reading. */
import { readFileSync } from "node:fs";
import { ConfigError } from "./config-error.ts";
import { readEnvironmentFile } from "./environment-file.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `lenientMark` stands before a file that may be missing, as in a unit of systemd; lines that are no
 * variable are passed over in it, as systemd does.
 */
const lenientMark = "-";

/**
 * `openEnvironment` returns what reads the environment, at the start and at each reload. Throws
 * `ConfigError` for a file that cannot be read.
 */
export function openEnvironment(stated: Environment): () => Environment {
  const file = stated.ENVIRONMENT_FILE;
  if (!file) return () => stated;
  const atStart = readFile(file);
  // A service manager that starts the program with the same file has copied its variables: one that
  // is deleted from the file is gone.
  const others = Object.fromEntries(
    Object.entries(stated).filter(([name, value]) => atStart[name] !== value),
  );
  return () => ({ ...others, ...readFile(file) });
}

function readFile(named: string): Readonly<Record<string, string>> {
  const isLenient = named.startsWith(lenientMark);
  const file = isLenient ? named.slice(lenientMark.length) : named;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(readFileSync(file));
    const { variables, ignored } = readEnvironmentFile(text);
    const [wrong] = ignored;
    if (wrong !== undefined && !isLenient)
      throw new ConfigError(
        `ENVIRONMENT_FILE names ${file}, in which ${JSON.stringify(wrong)} is no variable`,
      );
    return variables;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    if (isLenient && (error as NodeJS.ErrnoException).code === "ENOENT") return {};
    const { code = "not UTF-8" } = error as NodeJS.ErrnoException;
    throw new ConfigError(`ENVIRONMENT_FILE names ${file}, which cannot be read (${code})`);
  }
}
