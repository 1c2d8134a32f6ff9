import { join } from "node:path";

/**
 * `testReportsDir` is where `npm test` and `npm run check` leave vitest's JSON report of each
 * suite.
 */
export const testReportsDir = join(import.meta.dirname, "../.cache/test-reports");

/** The time of every step of the last run, and of the whole run as its last entry. */
export const stepTimesFile = join(testReportsDir, "steps.json");

export interface StepTime {
  name: string;
  seconds: number;
}
