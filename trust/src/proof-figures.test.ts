import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repositoryDir } from "@tollgate/tests/harness/repository-dir.ts";
import { expect, test } from "vitest";
import { insertProofFigures, keepLinksWithin, type ProofCounts } from "./proof-figures.ts";

const counts: ProofCounts = {
  promises: 10,
  tested: 8,
  notApplicable: 2,
  tests: 30,
  largeRuns: 5,
  passedRuns: 4,
};

test("the figures of a release replace those of the one before, and nothing else", () => {
  const page = readFileSync(join(repositoryDir, "docs/assurance/proofs.md"), "utf8");
  const first = insertProofFigures(page, "0.2.0", counts);
  expect(first).toContain("At 0.2.0: 10 promises, of which 8 are shown by 30 tests");
  const second = insertProofFigures(first, "0.3.0", counts);
  expect(second).toBe(first.replace("At 0.2.0", "At 0.3.0"));
});

test("a page without markers is refused", () => {
  expect(() => insertProofFigures("# Proofs\n", "0.2.0", counts)).toThrow("has lost");
});

test("a link to a page that is not published becomes its name", () => {
  const page = "[clients.md](clients.md), [use](../usage.md#fees), [docs](https://example.com)";
  expect(keepLinksWithin(page, ["clients.md"])).toBe(
    "[clients.md](clients.md), `use`, [docs](https://example.com)",
  );
});
