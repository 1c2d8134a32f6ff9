import { expect, test } from "vitest";
import { databaseKinds } from "../harness/gateway-database.ts";
import { killMigrations } from "./kill-migration.ts";

// npm run trust -- migrations asks the same of more rows and more kills.
test.each(databaseKinds)(
  "F-126 kill -9 while a large database is brought to the newest schema (%s): the next start completes it",
  { tags: ["F-126"], timeout: 120_000 },
  async (store) => {
    const { findings, interrupted } = await killMigrations({ store, rows: 10_000, kills: 3 });
    expect(findings).toEqual([]);
    expect(interrupted).toBeGreaterThan(0);
  },
);
