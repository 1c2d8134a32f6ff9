// What a built Tollgate carries: it needs the console's build, as `npm test` makes it before this.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { isAllowedLicence, licencesPage } from "../../../scripts/licences.ts";
import {
  coreFor,
  packageName,
  readBundled,
  readLockfile,
  runtimePackages,
  wingPackages,
} from "../../../scripts/npm-packages.ts";
import { repositoryDir } from "../harness/repository-dir.ts";

const lock = readLockfile(repositoryDir);
const folders = runtimePackages(lock, readBundled(repositoryDir));

test("at most 60 packages of others run, each under a licence that lets us pass it on", () => {
  expect(folders.map(packageName)).toEqual(expect.arrayContaining(["react", "undici"]));
  expect(folders.length).toBeLessThanOrEqual(60);
  for (const folder of folders) {
    const licence = lock[folder]?.license ?? "none";
    expect([folder, licence, isAllowedLicence(licence, { isTool: false })]).toEqual([
      folder,
      licence,
      true,
    ]);
  }
});

test("at most 60 more are loaded by parts of the gateway when they are first used, under such a licence too", () => {
  const wings = [...wingPackages(lock).keys()];
  expect(wings.map(packageName)).toContain("mysql2");
  expect(wings.length).toBeLessThanOrEqual(60);
  expect(
    wings.filter((folder) => !isAllowedLicence(lock[folder]?.license ?? "none", { isTool: false })),
  ).toEqual([]);
});

test("docs/licences.md is what `npm run sbom` writes", () => {
  const page = readFileSync(join(repositoryDir, "docs/licences.md"), "utf8");
  expect(page).toBe(licencesPage(lock, folders, coreFor(lock, "gateway")));
});
