// Sites of older versions of one-api and its forks lack what younger versions added: they move in
// all the same, whole.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import {
  createOlderFamilySite,
  olderFamilySites,
} from "@tollgate/tests/support/older-family-sites.ts";
import { ruleDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describe, expect, test } from "vitest";

describe.each(ruleDatabases)("into $name", ({ open }) => {
  test.each(olderFamilySites)(
    "$system $version moves in, compares equal and is carried once",
    async (site) => {
      const folder = mkdtempSync(join(tmpdir(), "tollgate-older-"));
      const file = join(folder, "one-api.db");
      const target = await open();
      const run = async (...args: string[]) => (await runImport(target.db, args)).lines;
      try {
        createOlderFamilySite(file, site);
        expect(await run(file, "--logs")).toContain("The books agree.");
        expect((await run("verify", file)).at(-1)).toMatch(/^Compared: [1-9].* 0 differences\.$/);
        const again = (await run(file, "--logs")).filter((line) =>
          /^(user|token|channel|code|log):/.test(line),
        );
        expect(again.length).toBeGreaterThan(3);
        expect(again.join()).not.toMatch(/[1-9]\d* (carried|updated)/);
      } finally {
        await target.close();
        rmSync(folder, { recursive: true });
      }
    },
  );
});
