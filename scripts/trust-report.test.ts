import { expect, test } from "vitest";
import { findResults, testResults } from "./trust-report.ts";

const ran = testResults(
  {
    testResults: [
      {
        name: "/here/a.test.ts",
        assertionResults: [
          { fullName: "on sqlite pays 5 (twice)", status: "passed" },
          { fullName: "on postgres pays 7 (twice)", status: "skipped" },
          { fullName: "F-78 names: Azure", status: "failed" },
        ],
      },
      { name: "/here/b.test.ts", assertionResults: [{ fullName: "pays 5 (twice)", status: "passed" }] },
    ],
  },
  "/here",
);

test.each([
  ["pays %i (twice)", ["passed", "skipped"]],
  ["pays $amount (twice)", ["passed", "skipped"]],
  ["pays 5 (twice)", ["passed"]],
  ["pays 5 .twice.", []],
  ["F-78 names:", ["failed"]],
])("%s is found by its title in its file", (title, statuses) => {
  expect(findResults(ran, ["a.test.ts", title]).map(({ status }) => status)).toEqual(statuses);
});
