import { defineConfig } from "vitest/config";
import { promiseTags } from "./tests/src/trust/promises.ts";

// A test belongs to a project by its name: x.test.ts needs nothing, x.db.test.ts a database, x.api.test.ts a running
// gateway, x.journey.test.ts a browser besides; x.large.test.ts is left out of `npm test`, and `npm run trust -- short` runs
// it. Deadlines are about ten times what the slowest of a kind takes.
const needsPostgres = ["tests/src/harness/postgres-setup.ts"];
const slowerKinds = ["**/*.{db,api,journey,large}.test.ts"];
// One file at a time leaves two thirds of two processors idle: tests wait for what they watch.
const maxWorkers = 2;

export default defineConfig({
  test: {
    tags: promiseTags,
    projects: [
      {
        test: {
          name: "unit",
          include: ["{contract,gateway,simulator,console,tests}/src/**/*.test.{ts,tsx}", "scripts/**/*.test.ts"],
          exclude: slowerKinds,
          testTimeout: 10_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "database",
          maxWorkers,
          include: ["{gateway,tests}/src/**/*.db.test.ts"],
          globalSetup: needsPostgres,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "api",
          maxWorkers,
          include: ["tests/src/**/*.api.test.ts"],
          globalSetup: needsPostgres,
          testTimeout: 30_000,
          hookTimeout: 60_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "journeys",
          // A page on a busy machine takes its time; the usual second is for values in memory.
          expect: { poll: { timeout: 15_000 } },
          include: ["tests/src/**/*.journey.test.ts"],
          globalSetup: needsPostgres,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          // A browser on a machine that others share stalls now and then; who passed only so is named at the end.
          retry: process.env.CI ? 1 : 0,
          maxWorkers,
          sequence: { groupOrder: 3 },
        },
      },
      {
        test: {
          name: "large",
          maxWorkers,
          include: ["{gateway,tests}/src/**/*.large.test.ts"],
          globalSetup: needsPostgres,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 4 },
        },
      },
    ],
  },
});
