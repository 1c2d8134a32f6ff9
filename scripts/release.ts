/**
 * `npm run release -- --version 0.2.0`: rehearses the upgrade from the last release on both
 * databases, makes the changelog of `changes` and the pages of proof, sets the version, commits, tags
 * and packages.
 * Nothing is pushed. With `--try` it rehearses and prints the notes; nothing is written.
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { composeReleaseNotes, insertReleaseNotes, isNextVersion } from "./release-notes.ts";
import { readScriptOptions } from "./script-options.ts";

const root = join(import.meta.dirname, "..");
const { values } = readScriptOptions({
  command: "npm run release",
  summary:
    "rehearses the upgrade, writes changelog and version, commits, tags and packages; pushes nothing",
  options: {
    version: {
      type: "string",
      default: "",
      value: "VERSION",
      help: "the version to release, such as 0.2.0",
    },
    from: {
      type: "string",
      default: "",
      value: "COMMIT",
      help: "the last release, where it has no tag",
    },
    try: { type: "boolean", help: "rehearses and prints the notes, and writes nothing" },
  },
});

/** Files that name the version, beside the package.json of each part. */
const versionedFiles = [
  "docs/install.md",
  "deploy/compose.yaml",
  "deploy/helm/tollgate/Chart.yaml",
];
const parts = ["benchmarks", "console", "contract", "gateway", "simulator", "tests", "trust"];

function read(command: string, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")}: ${stderr.trim()}`);
  return stdout.trim();
}

function run(...args: string[]): void {
  console.log(`npm ${args.join(" ")}`);
  if (spawnSync("npm", args, { cwd: root, stdio: "inherit" }).status !== 0)
    throw new Error(`npm ${args.join(" ")} failed; nothing was released`);
}

const readText = (path: string): string => readFileSync(join(root, path), "utf8");

function release(): void {
  const { version: current } = JSON.parse(readText("gateway/package.json")) as { version: string };
  const { version } = values;
  if (!isNextVersion(current, version))
    throw new Error(
      `--version names the version after ${current}, such as ${current.replace(/\.\d+$/, "")}.1`,
    );
  if (!values.try && read("git", "status", "--porcelain") !== "")
    throw new Error("the working tree has changes; commit them first");
  const tag = `v${version}`;
  if (read("git", "tag", "--list", tag) !== "") throw new Error(`the tag ${tag} is there already`);
  const names = readdirSync(join(root, "changes")).filter(
    (name) => name.endsWith(".md") && name !== "README.md",
  );
  if (names.length === 0) throw new Error("changes has no file: there is nothing to release");
  const files = names.sort().map((name) => ({ name, text: readText(`changes/${name}`) }));
  const notes = composeReleaseNotes(version, new Date().toISOString().slice(0, 10), files);
  if (values.try) console.log(notes);
  const changelog = insertReleaseNotes(readText("CHANGELOG.md"), notes);
  const from = values.from || findLastTag();
  for (const store of ["sqlite", "postgres"])
    run("run", "trust", "--", "upgrade", "--from", from, "--store", store, "--try");
  if (values.try) return;
  writeFileSync(join(root, "CHANGELOG.md"), changelog);
  for (const name of names) rmSync(join(root, "changes", name));
  for (const part of parts)
    setVersion(`${part}/package.json`, `"version": "${current}"`, `"version": "${version}"`);
  for (const file of versionedFiles) setVersion(file, current, version);
  run("install", "--package-lock-only");
  run("run", "pages", "--", "--figures", version);
  read("git", "add", "--all");
  read("git", "commit", "--quiet", "--message", `chore(release): ${version}`);
  read("git", "tag", "--annotate", "--cleanup=verbatim", tag, "--message", notes);
  run("run", "package");
  console.log(
    `${tag} is tagged, its packages are in dist/packages and its pages of proof in dist/proof. Push the branch and the tag to publish it.`,
  );
}

function findLastTag(): string {
  const tags = read("git", "tag", "--list", "v*", "--sort", "-version:refname").split("\n");
  const [last = ""] = tags;
  if (last === "")
    throw new Error("no tag of an earlier release is here; name its commit with --from");
  return last;
}

function setVersion(path: string, from: string, to: string): void {
  const text = readText(path);
  if (!text.includes(from)) throw new Error(`${path} does not name ${from}`);
  writeFileSync(join(root, path), text.replaceAll(from, to));
}

try {
  release();
} catch (error) {
  console.error(`npm run release: ${(error as Error).message}`);
  process.exitCode = 1;
}
