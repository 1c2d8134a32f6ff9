// Sites of older versions of one-api and its forks lack what younger versions added: they move in all the same, whole.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { awkwardRows, createFamilyDatabase, type FamilySystem } from "../../../tests/src/support/family-database.ts";
import { runImport } from "../../../tests/src/support/import-command.ts";
import { ruleDatabases } from "../../../tests/src/support/test-databases.ts";

/** `columns`: those that came later. */
const versions: readonly { system: FamilySystem; version: string; columns: readonly string[] }[] = [
  {
    system: "one-api",
    version: "before settings of channels",
    columns: ["channels.config", "channels.system_prompt", "users.oidc_id", "users.lark_id"],
  },
  {
    system: "one-api",
    version: "before restricted keys",
    columns: [
      ...["tokens.models", "tokens.subnet", "channels.config", "channels.system_prompt", "users.oidc_id"],
      ...["users.lark_id", "logs.request_id", "logs.elapsed_time", "logs.system_prompt_reset", "logs.is_stream"],
    ],
  },
  {
    system: "laisky-one-api",
    version: "before uuids",
    columns: [
      ...["users.uuid", "tokens.uuid", "channels.uuid", "users.created_at", "users.updated_at", "tokens.created_at"],
      ...["tokens.updated_at", "channels.hidden_models"],
    ],
  },
  {
    system: "laisky-one-api",
    version: "before prices of channels by model",
    columns: [
      ...["users.uuid", "tokens.uuid", "channels.uuid", "channels.hidden_models", "channels.model_configs"],
      ...["channels.testing_model", "channels.inference_profile_arn_map", "logs.cached_prompt_tokens", "logs.metadata"],
    ],
  },
  {
    system: "new-api",
    version: "before channels with several keys",
    columns: ["channels.channel_info", "channels.settings", "tokens.cross_group_retry"],
  },
  {
    system: "new-api",
    version: "before groups of keys",
    columns: [
      ...["channels.channel_info", "channels.settings", "channels.setting", "channels.tag", "channels.remark"],
      ...["channels.header_override", "channels.status_code_mapping", "users.setting", "users.linux_do_id"],
      ...["users.remark", "tokens.cross_group_retry", "tokens.group", "redemptions.expired_time", "logs.ip"],
    ],
  },
];

describe.each(ruleDatabases)("into $name", ({ open }) => {
  test.each(versions)("$system $version moves in, compares equal and is carried once", async ({ system, columns }) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-older-"));
    const file = join(folder, "one-api.db");
    const target = await open();
    const run = async (...args: string[]) => (await runImport(target.db, args)).lines;
    try {
      createFamilyDatabase(file, system, awkwardRows(system));
      const db = new DatabaseSync(file);
      for (const column of columns) {
        const [table, name] = column.split(".");
        db.exec(`alter table ${table} drop column "${name}"`);
      }
      db.close();
      expect(await run(file, "--logs")).toContain("The books agree.");
      // The key without an owner is left, and the report of the import names it.
      expect((await run("verify", file)).at(-1)).toMatch(/^Compared: [1-9].* 1 differences\.$/);
      const again = (await run(file, "--logs")).filter((line) => /^(user|token|channel|code|log):/.test(line));
      expect(again.length).toBeGreaterThan(3);
      expect(again.join()).not.toMatch(/[1-9]\d* (carried|updated)/);
    } finally {
      await target.close();
      rmSync(folder, { recursive: true });
    }
  });
});
