import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  awkwardRows,
  createFamilyDatabase,
  type FamilyRow,
  type FamilySystem,
  insertRows,
} from "@tollgate/tests/support/family-database.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import { ruleDatabases, type TestDatabase } from "@tollgate/tests/support/test-databases.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** As each program computes a charge, with its own floating point. */
const rounded: Record<FamilySystem, (units: number) => number> = {
  "one-api": (units) => Math.max(1, Math.ceil(units)),
  "laisky-one-api": (units) => Math.max(1, Math.ceil(units)),
  "new-api": (units) => Math.max(1, Math.round(units)),
};
const alice = {
  user_id: 2,
  channel_id: 1,
  model_name: "sim-model",
  ratio: 1,
  completion: 4,
  group: 0.5,
};
const bob = {
  user_id: 3,
  channel_id: 2,
  model_name: "gpt-3.5-turbo",
  ratio: 0.25,
  completion: 3,
  group: 1,
};

function logRows(system: FamilySystem): FamilyRow[] {
  return Array.from({ length: 400 }, (_, n): FamilyRow => {
    const { ratio, completion, group, ...call } = n % 2 === 0 ? alice : bob;
    const [prompt, output] = [(n * 7919) % 3_001, (n * 104_729) % 997];
    const cached = system !== "one-api" && n % 3 === 0 ? Math.floor(prompt / 4) : 0;
    const read = system === "new-api" ? 0.1 : 1;
    return {
      ...call,
      type: 2,
      prompt_tokens: prompt,
      completion_tokens: output,
      quota: rounded[system](
        (prompt - cached + cached * read + output * completion) * ratio * group,
      ),
      ...(system === "laisky-one-api" && { cached_prompt_tokens: cached }),
      ...(system === "new-api" && {
        group: group === 1 ? "default" : "vip",
        other: cached === 0 ? "" : JSON.stringify({ cache_tokens: cached, model_price: -1 }),
      }),
    };
  });
}

describe.each(ruleDatabases)("prices of a source in $name", ({ open }) => {
  describe.each<FamilySystem>(["one-api", "laisky-one-api", "new-api"])("of %s", (system) => {
    let folder: string;
    let file: string;
    let target: TestDatabase;
    const run = (...args: string[]) => runImport(target.db, args);
    const prices = async () =>
      (await run("verify", file)).lines.filter((line) => line.includes(": price is "));
    const addLogs = (logs: FamilyRow[]) => {
      const db = new DatabaseSync(file);
      insertRows(db, { logs });
      db.close();
    };

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "tollgate-prices-"));
      file = join(folder, "one-api.db");
      const rows = awkwardRows(system);
      const configs = (model: string, ratio: number, completion_ratio: number) =>
        JSON.stringify({ [model]: { ratio, completion_ratio, max_tokens: 0 } });
      const channels = (rows.channels ?? []).map((row) => ({
        ...row,
        ...(system === "laisky-one-api" &&
          row.id === 1 && { model_configs: configs("sim-model", 1, 4) }),
        ...(system === "laisky-one-api" &&
          row.id === 2 && { model_configs: configs("gpt-3.5-turbo", 0.25, 3) }),
      }));
      const options = [
        ...(rows.options ?? []),
        { key: "CacheRatio", value: '{"sim-model":0.1,"gpt-3.5-turbo":0.1}' },
        { key: "CreateCacheRatio", value: "{}" },
      ];
      createFamilyDatabase(file, system, { ...rows, channels, options, logs: logRows(system) });
      target = await open();
      await run(file);
    });
    afterAll(async () => {
      await target.close();
      rmSync(folder, { recursive: true });
    });

    test("that were carried charge its last calls as it did, but for the noise of its rounding", async () => {
      const { lines } = await run("verify", file);
      expect(lines.at(-1)).toMatch(/ 400 of call/);
      expect(lines.filter((line) => line.includes(": price is "))).toEqual([]);
    });

    test("that it never saved are named with what a call costs on both sides; items and other rows are left out", async () => {
      const row = { user_id: 3, channel_id: 3, completion_tokens: 0, type: 2 };
      addLogs([
        ...Array.from({ length: 3 }, () => ({
          ...row,
          model_name: "m",
          prompt_tokens: 100,
          quota: 3_000,
        })),
        { ...row, model_name: "dall-e-3", prompt_tokens: 1, quota: 20_000 },
        { ...row, model_name: "m2", type: 1, prompt_tokens: 0, quota: 500_000 },
        { ...row, model_name: "absent channel", channel_id: 999, prompt_tokens: 5, quota: 7 },
        { ...row, model_name: "damaged", prompt_tokens: -5, quota: 7 },
      ]);
      expect(await prices()).toEqual([
        'channel 3 "unknown: m for default": price is 3000 units a call there and 125 units a call here',
      ]);
    });

    test("that one call in two hundred was not charged at are the same price", async () => {
      const { user_id, channel_id, model_name } = bob;
      const off = {
        user_id,
        channel_id,
        model_name,
        type: 2,
        prompt_tokens: 9,
        completion_tokens: 0,
        quota: 99,
      };
      addLogs([{ ...off, ...(system === "new-api" && { group: "default" }) }]);
      expect(await prices()).toHaveLength(1);
    });
  });
});
