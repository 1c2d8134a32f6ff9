import { expect, test } from "vitest";
import { compareVersions, findAdvisories, type OsvRecord } from "./package-advisories.ts";

test("versions come in the order of semver.org", () => {
  const ordered = [
    ...["1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta", "1.0.0-beta.2"],
    ...["1.0.0-beta.11", "1.0.0-rc.1", "1.0.0", "1.0.1", "1.2.0", "1.10.0", "2.0.0"],
  ];
  expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
  expect(compareVersions("1.0.0+build", "1.0.0")).toBe(0);
});

const record = (events: object[], more: object = {}): OsvRecord => ({
  id: "GHSA-1",
  summary: "It breaks",
  affected: [
    { package: { ecosystem: "npm", name: "hono" }, ranges: [{ type: "SEMVER", events }], ...more },
  ],
});
const idsFor = (version: string, one: OsvRecord, name = "hono") =>
  findAdvisories([{ name, version }], [one]).map(({ id }) => id);

test.each([
  ["4.1.9", true],
  ["4.2.0", false],
  ["4.0.0", true],
  ["3.9.9", false],
  ["5.0.1", true],
  ["5.1.0", true],
  ["5.1.1", false],
])("%s is in its ranges: %s", (version, isIn) => {
  const twice = [
    { introduced: "4.0.0" },
    { fixed: "4.2.0" },
    { introduced: "5.0.0" },
    { last_affected: "5.1.0" },
  ];
  expect(idsFor(version, record(twice))).toEqual(isIn ? ["GHSA-1"] : []);
});

test("another package, another ecosystem and an empty record concern nobody", () => {
  const all = [{ introduced: "0" }];
  expect(idsFor("4.0.0", record(all))).toEqual(["GHSA-1"]);
  expect(idsFor("4.0.0", record(all), "ws")).toEqual([]);
  expect(idsFor("4.0.0", record(all, { package: { ecosystem: "PyPI", name: "hono" } }))).toEqual(
    [],
  );
  expect(idsFor("4.0.0", { id: "GHSA-2" })).toEqual([]);
  expect(idsFor("4.0.0", record([], { versions: ["4.0.0"] }))).toEqual(["GHSA-1"]);
});
