/** Tables whose first rows run in `npm test`; the others are large, and CI runs all of them. */
import { describe, test } from "vitest";
import { largeTag } from "../../../scripts/test-tags.ts";

const tagged = { tags: [largeTag.name] };

/** As `describe.each(rows)`: for suites of which `npm test` shows on one database what all of them show. */
export const describeLarge =
  <Row>(rows: readonly Row[]) =>
  (name: string, suite: (row: Row) => void): void => {
    describe.for(rows.slice(0, 1))(name, suite);
    describe.for(rows.slice(1))(name, tagged, suite);
  };

/** As `test.for(rows)`, of which `npm test` runs the first `narrow`. */
export const testLarge =
  <Row>(rows: readonly Row[], { narrow = 1 } = {}) =>
  (name: string, run: (row: Row) => Promise<void>): void => {
    test.for(rows.slice(0, narrow))(name, run);
    test.for(rows.slice(narrow))(name, tagged, run);
  };
