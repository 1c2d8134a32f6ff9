// `npm run arrows`: fails on an import that points the wrong way. The rules are in arrows.ts.
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findWrongArrows } from "./arrows.ts";

const root = join(import.meta.dirname, "..");
const files = globSync(["{contract,gateway,console,simulator,tests,benchmarks}/src/**/*.{ts,tsx}", "scripts/**/*.ts"], {
  cwd: root,
});
// A file may go away between being listed and being read, while someone works on it.
const present = files.filter((file) => existsSync(join(root, file))).sort();
const sources = new Map(present.map((file) => [file.replaceAll("\\", "/"), readFileSync(join(root, file), "utf8")]));

const wrong = findWrongArrows(sources);
for (const { file, line, message } of wrong) console.log(`${file}:${line} ${message}`);
console.log(`${sources.size} files, ${wrong.length} wrong arrows`);
process.exitCode = wrong.length === 0 ? 0 : 1;
