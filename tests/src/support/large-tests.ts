/** Tables whose first rows run in `npm test`; the others are large, and CI runs all of them. */
import { describe, test } from "vitest";
import { largeTag } from "../../../scripts/test-tags.ts";

const tags = [largeTag.name];

/** Among the tags of a test: large on this database, and not on the other. */
export const largeOn = (isLarge: boolean): string[] => (isLarge ? tags : []);

/**
 * As `describe.for(rows)`, of which `npm test` runs the first: what SQLite shows for PostgreSQL
 * where the database decides little.
 */
export const describeLarge =
  <Row>(rows: readonly Row[]) =>
  (name: string, suite: (row: Row) => void): void => {
    describe.for(rows.slice(0, 1))(name, suite);
    describe.for(rows.slice(1))(name, { tags }, suite);
  };

/** As `test.for(rows)`, of which `npm test` runs the first. */
export const testLarge =
  <Row>(rows: readonly Row[], options: { timeout?: number } = {}) =>
  (name: string, run: (row: Row) => Promise<void>): void => {
    test.for(rows.slice(0, 1))(name, options, run);
    test.for(rows.slice(1))(name, { ...options, tags }, run);
  };
