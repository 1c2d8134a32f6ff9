// What a built Tollgate carries: it needs the console's build, as `npm test` makes it before this.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAllowedLicence, licencesPage } from "../../../scripts/licences.ts";
import {
  installedFor,
  packageName,
  readBundled,
  readLockfile,
  runtimePackages,
} from "../../../scripts/npm-packages.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

const lock = readLockfile(repositoryDir);
const folders = runtimePackages(lock, readBundled(repositoryDir));

test("at most 60 packages of others run, each under a licence that lets us pass it on", () => {
  expect(folders.map(packageName)).toEqual(expect.arrayContaining(["react", "undici"]));
  expect(folders.length).toBeLessThanOrEqual(60);
  for (const folder of folders) {
    const licence = lock[folder]?.license ?? "none";
    expect([folder, licence, isAllowedLicence(licence, { isTool: false })]).toEqual([folder, licence, true]);
  }
});

test("docs/licences.md is what `npm run sbom` writes", () => {
  const page = readFileSync(join(repositoryDir, "docs/licences.md"), "utf8");
  expect(page).toBe(licencesPage(lock, folders, installedFor(lock, "gateway")));
});
