/**
 * Tables whose first rows run in `npm test`; the others are variants, which `npm run trust --
 * short` runs, and CI a twelfth at each commit.
 */
import { describe, test } from "vitest";
import { variantTag } from "../../../scripts/test-tags.ts";

const tagged = { tags: [variantTag.name] };

/**
 * As `describe.for(rows)`: what PostgreSQL shows beside SQLite is a variant where the database
 * decides little.
 */
export const describeVariants =
  <Row>(rows: readonly Row[]) =>
  (name: string, suite: (row: Row) => void): void => {
    describe.for(rows.slice(0, 1))(name, suite);
    describe.for(rows.slice(1))(name, tagged, suite);
  };

/** As `test.for(rows)`, whose first `narrow` rows are no variants. */
export const testVariants =
  <Row>(rows: readonly Row[], { narrow = 1 } = {}) =>
  (name: string, run: (row: Row) => Promise<void>): void => {
    test.for(rows.slice(0, narrow))(name, run);
    test.for(rows.slice(narrow))(name, tagged, run);
  };
