import { join } from "node:path";
import { describe, expect, test } from "vitest";
import rootPackage from "../package.json" with { type: "json" };
import { billOfMaterials } from "./bill-of-materials.ts";
import { isAllowedLicence } from "./licences.ts";
import {
  coreFor,
  dependenciesOf,
  installedFor,
  isThirdParty,
  type Lockfile,
  packageName,
  readLockfile,
} from "./npm-packages.ts";

const lock = readLockfile(join(import.meta.dirname, ".."));
const thirdParty = Object.entries(lock).filter(([folder, locked]) => isThirdParty(folder, locked));

describe("the lockfile", () => {
  test("lists packages of others", () => expect(thirdParty.length).toBeGreaterThan(100));

  test("holds a SHA-512 of every package", { tags: ["F-130"] }, () => {
    const without = thirdParty.filter(
      ([, { integrity = "" }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity),
    );
    expect(without.map(([folder]) => folder)).toEqual([]);
  });

  test("takes every package from the npm registry", () => {
    const elsewhere = thirdParty.filter(([, { resolved = "https://registry.npmjs.org/" }]) => {
      return !resolved.startsWith("https://registry.npmjs.org/");
    });
    expect(elsewhere.map(([folder]) => folder)).toEqual([]);
  });

  test("has licences that we may use, for what runs and for tools", () => {
    const isTool = ({ dev = false }: { dev?: boolean }) => dev;
    const refused = thirdParty.filter(
      ([, locked]) => !isAllowedLicence(locked.license ?? "none", { isTool: isTool(locked) }),
    );
    // A dependency of Lingui's macros: the build of the console reads it and does not include it.
    expect(refused.map(([folder]) => folder)).toEqual(["node_modules/caniuse-lite"]);
  });

  test("lets no package run a script at its installation but the one that brings Node.js", {
    tags: ["F-130"],
  }, () => {
    expect(rootPackage.allowScripts).toEqual({ node: true });
  });

  test("brings the gateway's process at most 40 packages", { tags: ["F-130"] }, () => {
    const installed = coreFor(lock, "gateway");
    expect(installed.map(packageName)).toEqual(
      expect.arrayContaining(["hono", "pg", "undici", "zod"]),
    );
    expect(installed.length).toBeLessThanOrEqual(40);
  });
});

const small: Lockfile = {
  app: { version: "1.0.0", dependencies: { one: "1", own: "*" } },
  own: { version: "1.0.0", dependencies: { "@scope/two": "1" } },
  "node_modules/own": { version: "", link: true, resolved: "own" },
  "node_modules/one": {
    version: "1.2.3",
    license: "MIT",
    integrity: `sha512-${Buffer.alloc(64, 1).toString("base64")}`,
    dependencies: { shared: "1" },
    optionalDependencies: { "not-for-this-machine": "1" },
    peerDependencies: { "@scope/two": "1", unwanted: "1" },
    peerDependenciesMeta: { unwanted: { optional: true } },
  },
  "node_modules/one/node_modules/shared": { version: "1.0.0", license: "ISC" },
  "node_modules/shared": { version: "2.0.0", license: "ISC" },
  "node_modules/unwanted": { version: "1.0.0", license: "MIT" },
  "node_modules/@scope/two": {
    version: "4.0.0",
    license: "(MPL-2.0 OR Apache-2.0)",
    dependencies: { shared: "2" },
  },
};

test("a package is found where Node finds it, and what is not asked for is not counted", () => {
  expect(installedFor(small, "app")).toEqual([
    "node_modules/@scope/two",
    "node_modules/one",
    "node_modules/one/node_modules/shared",
    "node_modules/shared",
  ]);
  expect(dependenciesOf(small, "node_modules/@scope/two")).toEqual(["node_modules/shared"]);
});

test("the bill of materials names each package with version, hash, licence and what it needs", () => {
  const folders = ["node_modules/@scope/two", "node_modules/one"];
  const { components, dependencies } = billOfMaterials(small, folders, {
    name: "app",
    version: "1.0.0",
  });
  expect(components).toEqual([
    {
      type: "library",
      "bom-ref": "pkg:npm/%40scope/two@4.0.0",
      group: "@scope",
      name: "two",
      version: "4.0.0",
      hashes: [],
      licenses: [{ expression: "(MPL-2.0 OR Apache-2.0)" }],
      purl: "pkg:npm/%40scope/two@4.0.0",
    },
    {
      type: "library",
      "bom-ref": "pkg:npm/one@1.2.3",
      name: "one",
      version: "1.2.3",
      hashes: [{ alg: "SHA-512", content: "01".repeat(64) }],
      licenses: [{ license: { id: "MIT" } }],
      purl: "pkg:npm/one@1.2.3",
    },
  ]);
  expect(dependencies).toEqual([
    { ref: "app", dependsOn: ["pkg:npm/%40scope/two@4.0.0", "pkg:npm/one@1.2.3"] },
    { ref: "pkg:npm/%40scope/two@4.0.0", dependsOn: [] },
    { ref: "pkg:npm/one@1.2.3", dependsOn: ["pkg:npm/%40scope/two@4.0.0"] },
  ]);
});

test.each([
  ["MIT", true, true],
  ["(MPL-2.0 OR Apache-2.0)", true, true],
  ["MIT AND ISC", true, true],
  ["MPL-2.0", false, true],
  ["MIT AND GPL-3.0", false, false],
  ["GPL-3.0", false, false],
  ["AGPL-3.0 OR SSPL-1.0", false, false],
  ["UNLICENSED", false, false],
])("licence %s: for what runs %s, for tools %s", (licence, runs, tool) => {
  expect([
    isAllowedLicence(licence, { isTool: false }),
    isAllowedLicence(licence, { isTool: true }),
  ]).toEqual([runs, tool]);
});
