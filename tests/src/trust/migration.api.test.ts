import { expect, test } from "vitest";
import { stores } from "../world.ts";
import { killMigration } from "./kill-migration.ts";

// npm run trust:migrations asks the same of more rows and more kills.
test.each(stores)(
  "F-126 kill -9 while a large database is brought to the newest schema (%s): the next start completes it",
  async (store) => {
    const { findings, midway } = await killMigration({ store, rows: 10_000, kills: 3 });
    expect(findings).toEqual([]);
    expect(midway).toBeGreaterThan(0);
  },
  120_000,
);
