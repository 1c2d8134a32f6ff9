// `npm run package`: builds what is installed elsewhere, into dist/packages.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { buildNpmPackage } from "./build-npm-package.ts";
import { ensureConsoleBuild } from "./console-build.ts";

const root = join(import.meta.dirname, "..");
await ensureConsoleBuild(root, () => console.log("Building the console, this takes a few seconds."));
const archive = await buildNpmPackage(root, join(root, "dist/packages"));
const bytes = readFileSync(archive);
const sha256 = createHash("sha256").update(bytes).digest("hex");
console.log(`${sha256}  ${relative(root, archive)} (${(bytes.length / 1_000_000).toFixed(1)} MB)`);
