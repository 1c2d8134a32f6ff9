import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { awkwardRows, createFamilyDatabase } from "@tollgate/tests/support/family-database.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createShadowStore } from "../../figures/shadow/shadow-store.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";

const calledAt = Date.parse("2026-03-04T05:06:07Z");

describeVariants(testDatabases)("calls of a dual run on $name", ({ open }) => {
  let folder: string;
  let file: string;
  let target: TestDatabase;
  const run = async (...args: string[]): Promise<string[]> => {
    const { lines } = await runImport(target.db, args);
    return lines.filter((line) => line.startsWith("shadow:"));
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "tollgate-shadow-"));
    file = join(folder, "one-api.db");
    const log = (request_id: string | null, quota: number, more = {}) => ({
      ...{
        user_id: 2,
        username: "alice",
        token_name: "main",
        model_name: "gpt-4o",
        channel_id: 1,
        type: 2,
      },
      ...{ created_at: calledAt / 1_000, quota, request_id, ...more },
    });
    const logs = [
      log("same", 30),
      log("dear", 99),
      log(null, 1),
      log("other call", 1),
      log("refund", 5, { type: 4 }),
    ];
    createFamilyDatabase(file, "one-api", { ...awkwardRows("one-api"), logs });
    target = await open();
    const call = (place: number, upstream_id: string) => ({
      ...{
        id: computeIdFloor(calledAt) + place,
        model_name: "gpt-4o",
        upstream_id,
        reason: "",
        charge: 30,
        source_charge: null,
      },
    });
    const ids = ["same", "dear", "refund", "", "", "' or '1'='1"];
    await target.db.write([
      createShadowStore(target.db).insert(ids.map((id, place) => call(place, id))),
    ]);
  });
  afterAll(async () => {
    await target.close();
    rmSync(folder, { recursive: true });
  });

  test("learn from an import what the source charged for them, each once", async () => {
    expect(await run(file, "--plan")).toEqual([
      "shadow: 2 carried, 0 updated, 0 unchanged, 0 left",
    ]);
    expect(await createShadowStore(target.db).differences()).toMatchObject([
      { reason: "unmatched", calls: 6 },
    ]);
    expect(await run(file)).toEqual(["shadow: 2 carried, 0 updated, 0 unchanged, 0 left"]);
    expect(await createShadowStore(target.db).differences()).toEqual([
      { model: "gpt-4o", reason: "unmatched", calls: 4, ours: 120, theirs: 0 },
      { model: "gpt-4o", reason: "price", calls: 1, ours: 30, theirs: 99 },
      { model: "gpt-4o", reason: "same", calls: 1, ours: 30, theirs: 30 },
    ]);
    expect(await run(file)).toEqual([]);
  });
});
