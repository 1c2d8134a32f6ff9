/** A digest of the sources of a build, by which a build that is no longer theirs is found. */
import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const notSources = new Set(["dist", "node_modules"]);

/**
 * SHA-256 in hex of the names and the contents of all files that match `patterns` (globs from
 * `root`).
 */
export function sourcesHash(root: string, patterns: readonly string[]): string {
  const hash = createHash("sha256");
  for (const file of filesOf(root, patterns)) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex");
}

function filesOf(root: string, patterns: readonly string[]): string[] {
  const entries = globSync([...patterns], {
    cwd: root,
    withFileTypes: true,
    exclude: (entry) => notSources.has(entry.name),
  });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => path.slice(root.length + 1).replaceAll("\\", "/"))
    .sort();
}
