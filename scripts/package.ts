// `npm run package [-- npm|oci|deb …]`: builds what is installed elsewhere, into dist/packages, with the checksums of all.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildNpmPackage } from "./build-npm-package.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { buildDebianPackage } from "./debian-package.ts";
import { architectures } from "./node-runtime.ts";
import { buildOciImage, type ImageSources } from "./oci-image.ts";

const kinds = ["npm", "oci", "deb"];
const root = join(import.meta.dirname, "..");
const outDir = join(root, "dist/packages");

const wanted = process.argv.slice(2);
const unknown = wanted.find((kind) => !kinds.includes(kind));
if (unknown !== undefined) {
  console.error(`There is no package "${unknown}". Name some of: ${kinds.join(", ")}; none builds all.`);
  process.exit(1);
}
const isWanted = (kind: string): boolean => wanted.length === 0 || wanted.includes(kind);

await ensureConsoleBuild(root, () => console.log("Building the console, this takes a few seconds."));
const archive = await buildNpmPackage(root, outDir);
const sources: ImageSources = {
  root,
  packageDir: join(outDir, "npm"),
  version: basename(archive, ".tgz").replace("tollgate-", ""),
  createdAt: commitTime(),
};
const built = isWanted("npm") ? [archive] : [];
if (isWanted("oci")) built.push(await buildOciImage(sources, architectures, outDir));
if (isWanted("deb"))
  for (const architecture of architectures) built.push(await buildDebianPackage(sources, architecture, outDir));

const checksums = built.map((file) => {
  const bytes = readFileSync(file);
  console.log(`${file} (${(bytes.length / 1_000_000).toFixed(1)} MB)`);
  return `${createHash("sha256").update(bytes).digest("hex")}  ${basename(file)}\n`;
});
writeFileSync(join(outDir, "SHA256SUMS"), checksums.join(""));
console.log(checksums.join("").trimEnd());

/** The time of all files: that of the commit, so that two builds of it are equal. */
function commitTime(): number {
  const { SOURCE_DATE_EPOCH } = process.env;
  return Number(SOURCE_DATE_EPOCH ?? execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root }));
}
