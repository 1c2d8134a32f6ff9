// The TypeScript sources of the repository, for the scripts that check or measure them.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const patterns = [
  "{contract,gateway,console,simulator,tests,trust,benchmarks}/src/**/*.{ts,tsx}",
  "scripts/**/*.ts",
];

/** Contents by path from the root of the repository, with slashes, in order. */
export function readSourceFiles(): Map<string, string> {
  const files = globSync(patterns, { cwd: root }).map((file) => file.replaceAll("\\", "/"));
  // An editor may delete a file between the listing and the reading.
  const present = files.filter((file) => existsSync(join(root, file))).sort();
  return new Map(present.map((file) => [file, readFileSync(join(root, file), "utf8")]));
}
