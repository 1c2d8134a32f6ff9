// `npm run sbom`: lists the third-party packages that run in dist/sbom.cdx.json and
// docs/licences.md.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import gatewayPackage from "../gateway/package.json" with { type: "json" };
import { billOfMaterials } from "./bill-of-materials.ts";
import { ensureConsoleBuild } from "./console-build.ts";
import { licencesPage } from "./licences.ts";
import {
  coreFor,
  readBundled,
  readLockfile,
  runtimePackages,
  wingPackages,
} from "./npm-packages.ts";
import { readScriptOptions } from "./script-options.ts";

readScriptOptions({
  command: "npm run sbom",
  summary: "lists the third-party packages that run in dist/sbom.cdx.json and docs/licences.md",
  options: {},
});
const root = join(import.meta.dirname, "..");
await ensureConsoleBuild(root, () =>
  console.log("Building the console, whose packages are listed too."),
);
const lock = readLockfile(root);
const folders = runtimePackages(lock, readBundled(root));
const document = billOfMaterials(lock, [...folders, ...wingPackages(lock).keys()], {
  name: "tollgate",
  version: gatewayPackage.version,
});

mkdirSync(join(root, "dist"), { recursive: true });
writeFileSync(join(root, "dist/sbom.cdx.json"), `${JSON.stringify(document, null, 2)}\n`);
writeFileSync(
  join(root, "docs/licences.md"),
  licencesPage(lock, folders, coreFor(lock, "gateway")),
);
console.log(`${folders.length} packages: dist/sbom.cdx.json, docs/licences.md`);
