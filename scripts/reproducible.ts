/**
 * Two installations from the lockfile, without install scripts, in different folders, time zones
 * and languages, build the console: both builds must have the same bytes. Takes a minute or two and
 * needs the npm registry.
 */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, sep } from "node:path";

const root = join(import.meta.dirname, "..");
const leftOut = new Set(["node_modules", "dist", ".git", ".cache"]);
const surroundings = [
  { TZ: "UTC", LANG: "C" },
  { TZ: "Asia/Kathmandu", LANG: "de_DE.UTF-8", SOURCE_DATE_EPOCH: "1" },
];

// The second copy is a copy of the first: the sources may change in between.
const folders = surroundings.map(({ LANG }) =>
  mkdtempSync(join(tmpdir(), `tollgate-build-${LANG.slice(0, 2)}-`)),
);
const builds: Map<string, string>[] = [];
try {
  for (const [index, folder] of folders.entries()) copySources(folders[index - 1] ?? root, folder);
  for (const [index, folder] of folders.entries())
    builds.push(await buildIn(folder, surroundings[index] ?? {}));
} finally {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
}
const [first = new Map(), second = new Map()] = builds;
const names = [...new Set([...first.keys(), ...second.keys()])].sort();
const different = names.filter((name) => first.get(name) !== second.get(name));
for (const name of different) console.log(`differs: ${name}`);
console.log(
  different.length === 0
    ? `Both builds are the same: ${names.length} files.`
    : `${different.length} of ${names.length} files differ.`,
);
process.exitCode = names.length > 0 && different.length === 0 ? 0 : 1;

function copySources(from: string, to: string): void {
  const isWanted = (source: string) =>
    !source
      .slice(from.length)
      .split(sep)
      .some((part) => leftOut.has(part));
  cpSync(from, to, { recursive: true, filter: isWanted });
}

/** SHA-256 of each file of the build by its name. */
async function buildIn(folder: string, env: Record<string, string>): Promise<Map<string, string>> {
  await npm(folder, env, "ci", "--ignore-scripts", "--prefer-offline");
  await npm(folder, env, "run", "build", "--workspace", "console");
  const dist = join(folder, "console/dist");
  const files = globSync("**/*", { cwd: dist }).filter((name) =>
    statSync(join(dist, name)).isFile(),
  );
  return new Map(
    files.map((name) => [
      name,
      createHash("sha256")
        .update(readFileSync(join(dist, name)))
        .digest("hex"),
    ]),
  );
}

/** Uses the Node of this process: the packaged one needs an install script. */
async function npm(cwd: string, env: Record<string, string>, ...args: string[]): Promise<void> {
  const path = [dirname(process.execPath), join(cwd, "node_modules/.bin"), process.env.PATH].join(
    delimiter,
  );
  const child = spawn("npm", args, {
    cwd,
    env: { ...process.env, ...env, PATH: path },
    stdio: "inherit",
  });
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}`);
}
