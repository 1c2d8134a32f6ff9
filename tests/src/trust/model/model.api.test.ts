// The short form of `npm run trust:model`: the stories of kept seeds. One that fails there is added to seeds.json by
// hand, with a sentence that says what it is about.
import { describe, expect, test } from "vitest";
import { databaseKinds } from "../../harness/test-gateway.ts";
import { runModel } from "./run-model.ts";
import seeds from "./seeds.json" with { type: "json" };

describe.concurrent.each(databaseKinds)("on %s", (store) => {
  test("random stories of everything that moves money end as plain arithmetic says", async ({ expect }) => {
    const found = await runModel({ store, stories: seeds });
    expect(found.problem).toBe("");
    expect(found.runs).toBe(seeds.reduce((sum, { runs }) => sum + runs, 0));
    expect(found.commands).toBeGreaterThan(100);
    expect(found.crashes).toBeGreaterThan(0);
  }, 240_000);
});

test("every kept seed says why", () => {
  for (const { why } of seeds) expect(why.length).toBeGreaterThan(10);
});
