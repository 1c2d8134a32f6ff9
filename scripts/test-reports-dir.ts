import { join } from "node:path";

/** Where `npm test` and `npm run check` leave vitest's JSON report of each suite. */
export const testReportsDir = join(import.meta.dirname, "../.cache/test-reports");
