// The short form of `npm run trust -- model`: the stories of kept seeds. One that fails there is
// added to seeds.json by hand, with a sentence that says what it is about.

import { databaseKinds } from "@tollgate/tests/harness/gateway-database.ts";
import { describe, expect, test } from "vitest";
import { runModel } from "./run-model.ts";
import seeds from "./seeds.json" with { type: "json" };

describe.concurrent.each(databaseKinds)("on %s", (store) => {
  test("random stories of every command that moves money end as plain arithmetic predicts", {
    tags: [
      "I-1",
      "I-2",
      "I-3",
      "I-4",
      "I-5",
      "I-6",
      "I-7",
      "I-8",
      "I-9",
      "I-10",
      "I-11",
      "I-12",
      "I-13",
      "I-14",
      "I-15",
      "I-16",
      "I-17",
      "I-19",
      "I-20",
      "BU-01",
      "BU-03",
      "BA-01",
      "VI-01",
      "MC-02",
    ],
    timeout: 240_000,
  }, async ({ expect }) => {
    const found = await runModel({ store, stories: seeds, crashes: 20 });
    expect(found.problem).toBe("");
    expect(found.runs).toBe(seeds.reduce((sum, { runs }) => sum + runs, 0));
    expect(found.commands).toBeGreaterThan(100);
    expect(found.tasks).toBeGreaterThan(0);
    expect(found.crashes).toBeGreaterThan(0);
  });
});

test("every kept seed states its reason", () => {
  for (const { why } of seeds) expect(why.length).toBeGreaterThan(10);
});
