// `npm run package [-- npm|oci|deb|exe|chart …]`: builds what is installed elsewhere, into
// dist/packages, with the checksums of all, and their provenance.
import { execFileSync } from "node:child_process";
import { createHash, createPrivateKey, type KeyObject, sign } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { buildNpmPackage } from "./build-npm-package.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { buildDebianPackage } from "./debian-package.ts";
import { buildHelmChart } from "./helm-chart.ts";
import { architectures } from "./node-runtime.ts";
import { buildOciImage, type ImageSources } from "./oci-image.ts";
import { provenanceOf, signedEnvelope } from "./provenance.ts";
import { readScriptOptions } from "./script-options.ts";
import { buildExecutable } from "./single-executable.ts";

const root = join(import.meta.dirname, "..");
const outDir = join(root, "dist/packages");

const { names: wanted } = readScriptOptions({
  command: "npm run package",
  summary: "builds what is installed elsewhere into dist/packages, all of it unless some are named",
  options: {},
  names: ["npm", "oci", "deb", "exe", "chart"],
});
const isWanted = (kind: string): boolean => wanted.length === 0 || wanted.includes(kind);

await ensureConsoleBuild(root, () =>
  console.log("Building the console, this takes a few seconds."),
);
const commit = git("rev-parse", "HEAD");
const isDirty = git("status", "--porcelain") !== "";
const archive = await buildNpmPackage(root, outDir, isDirty ? "" : commit);
const sources: ImageSources = {
  root,
  packageDir: join(outDir, "npm"),
  version: basename(archive, ".tgz").replace("tollgate-", ""),
  createdAt: commitTime(),
};
const built = isWanted("npm") ? [archive] : [];
if (isWanted("oci")) built.push(await buildOciImage(sources, architectures, outDir));
if (isWanted("deb"))
  for (const architecture of architectures)
    built.push(await buildDebianPackage(sources, architecture, outDir));
if (isWanted("exe"))
  for (const architecture of architectures)
    built.push(await buildExecutable(sources, architecture, outDir));
if (isWanted("chart")) built.push(await buildHelmChart(sources, outDir));

const sha256Of = (bytes: string | Buffer): string =>
  createHash("sha256").update(bytes).digest("hex");
const files = built.map((file) => {
  const bytes = readFileSync(file);
  console.log(`${file} (${(bytes.length / 1_000_000).toFixed(1)} MB)`);
  return { name: basename(file), sha256: sha256Of(bytes) };
});
const checksums = files.map(({ name, sha256 }) => `${sha256}  ${name}\n`).join("");
writeFileSync(join(outDir, "SHA256SUMS"), checksums);
console.log(checksums.trimEnd());

const provenance = provenanceOf({
  files,
  commit,
  isDirty,
  kinds: wanted,
  nodeVersion: process.versions.node,
  lockfileSha256: sha256Of(readFileSync(join(root, "package-lock.json"))),
});
const signingKey = readSigningKey();
// Of an earlier build, they would be about other files.
for (const name of ["SHA256SUMS.sig", "provenance.json", "provenance.intoto.jsonl"])
  rmSync(join(outDir, name), { force: true });
if (signingKey) {
  writeFileSync(join(outDir, "SHA256SUMS.sig"), sign(null, Buffer.from(checksums), signingKey));
  writeFileSync(join(outDir, "provenance.intoto.jsonl"), signedEnvelope(provenance, signingKey));
} else {
  writeFileSync(join(outDir, "provenance.json"), `${JSON.stringify(provenance, null, 2)}\n`);
  console.log("Not signed: PACKAGE_SIGNING_KEY names no file with a private key of Ed25519.");
}

/** The file that PACKAGE_SIGNING_KEY names, in PEM. */
function readSigningKey(): KeyObject | undefined {
  const { PACKAGE_SIGNING_KEY: file = "" } = process.env;
  if (file === "") return undefined;
  const key = createPrivateKey(readFileSync(file));
  if (key.asymmetricKeyType !== "ed25519")
    throw new Error(`${file} holds no private key of Ed25519`);
  return key;
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8" }).trim();
}

/** The time of all files: that of the commit, so that two builds of it are equal. */
function commitTime(): number {
  const { SOURCE_DATE_EPOCH } = process.env;
  return Number(
    SOURCE_DATE_EPOCH ?? execFileSync("git", ["log", "-1", "--format=%ct"], { cwd: root }),
  );
}
