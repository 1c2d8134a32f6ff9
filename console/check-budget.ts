/** Fails the build when a page would load more than we allow. Sizes are gzip, of everything that the page loads. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

type Chunk = { file: string; imports?: string[]; css?: string[]; isEntry?: boolean };

const kilobyte = 1_000;
const budgets = { login: 130, list: 145, allScripts: 300, allStyles: 14 };
const dist = join(import.meta.dirname, "dist");
const manifest: Record<string, Chunk> = JSON.parse(readFileSync(join(dist, ".vite/manifest.json"), "utf8"));

const gzipped = (file: string): number => gzipSync(readFileSync(join(dist, file))).length / kilobyte;

/** A file and all that it imports before it runs. */
function closure(key: string, found = new Set<string>()): Set<string> {
  const chunk = manifest[key];
  if (chunk === undefined || found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const next of chunk.imports ?? []) closure(next, found);
  return found;
}

function pageSize(...keys: string[]): number {
  const files = new Set(["index.html", ...keys].flatMap((key) => [...closure(key)]));
  return [...files].reduce((sum, file) => sum + gzipped(file), 0);
}

const assets = readdirSync(join(dist, "assets")).map((name) => join("assets", name));
const total = (ending: string): number =>
  assets.filter((file) => file.endsWith(ending)).reduce((sum, file) => sum + gzipped(file), 0);

/** What every signed-in page has around it. */
const around = ["src/shell/live-area.tsx", "src/shell/signed-in-bar.tsx"];
const rows: [what: string, size: number, limit: number | undefined][] = [
  ["login page", pageSize("src/features/session/login-page.tsx"), budgets.login],
  ...Object.keys(manifest)
    .filter((key) => key.startsWith("src/features/") && !key.includes("/session/") && key.endsWith("-page.tsx"))
    .map((key): [string, number, number | undefined] => [
      key.slice("src/features/".length, -".tsx".length),
      pageSize(...around, key),
      key.endsWith("-list-page.tsx") ? budgets.list : undefined,
    ]),
  ["all scripts", total(".js"), budgets.allScripts],
  ["all styles", total(".css"), budgets.allStyles],
];

/** Lists are told but not stopped yet: the table alone takes what the frame leaves. */
const onlyTold = (what: string) => what.endsWith("-list-page");

let over = false;
for (const [what, size, limit] of rows) {
  const exceeded = limit !== undefined && size > limit;
  over ||= exceeded && !onlyTold(what);
  console.log(
    `${exceeded ? "OVER" : "ok  "} ${what.padEnd(36)} ${size.toFixed(1).padStart(7)} kB${limit === undefined ? "" : ` of ${limit}`}`,
  );
}
if (over) {
  console.error("A page loads more than its budget allows: find what was added, or move it behind an import().");
  process.exitCode = 1;
}
