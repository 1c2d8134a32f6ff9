// Sites with anything in any column: an import ends with lines, the books agree, and the next run
// finds what the first one left.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import {
  awkwardRows,
  createFamilyDatabase,
  type FamilySystem,
} from "@tollgate/tests/support/family-database.ts";
import { runImport } from "@tollgate/tests/support/import-command.ts";
import { describeLarge, testLarge } from "@tollgate/tests/support/large-tests.ts";
import { randomFrom } from "@tollgate/tests/support/seeded-random.ts";
import { testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { expect } from "vitest";
import { auditBooks } from "../../money/audit/audit.ts";

const seeds = [1];
const rowsPerTable = 30;
/** Enough whole values that some rows pass and are carried beside those that do not. */
const hostileShare = 0.1;

const hostileValues: readonly SQLInputValue[] = [
  ...[
    null,
    "",
    " ",
    "\u0000",
    "a\u0000b",
    "\ud800",
    "𝒶 ‮⁦",
    "x".repeat(100_000),
    "-1",
    "1e9",
    "0x10",
    "NaN",
    "null",
  ],
  ...[
    0,
    -1,
    1,
    2 ** 31,
    -(2 ** 53),
    2 ** 53,
    1e308,
    -0.5,
    9_007_199_254_740_993n,
    -(2n ** 63n),
    2n ** 63n - 1n,
  ],
  ...[
    "{",
    "[]",
    "{}",
    '{"a":1e999}',
    '{"__proto__":{"x":1}}',
    `${"[".repeat(5_000)}`,
    '["a","a"]',
    '{"m":"m"}',
    '{"a":"b","b":"a"}',
  ],
  ...[
    "1.1.1.1/99",
    "::/0",
    "$2a$10$",
    "$2b$99$short",
    "default,,vip",
    "'; drop table users; --",
    "=cmd()|x",
    "../../etc/passwd",
  ],
  ...[new Uint8Array([0xff, 0xfe, 0x00]), new Uint8Array(70_000)],
];

/**
 * Tables that an import reads, each with its rows more or less broken, and users who invited each
 * other.
 */
function createHostileSite(file: string, system: FamilySystem, seed: number): void {
  createFamilyDatabase(file, system, awkwardRows(system));
  const random = randomFrom(seed);
  const anyOf = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() * values.length)] as Value;
  const db = new DatabaseSync(file);
  const columnsOf = (table: string) =>
    db.prepare("select name, type, pk from pragma_table_info(?)").all(table) as {
      name: string;
      type: string;
      pk: number;
    }[];
  try {
    for (const table of ["users", "tokens", "channels", "redemptions", "options", "logs"]) {
      const columns = columnsOf(table).filter(
        ({ pk, type }) => pk === 0 || !/^integer/i.test(type),
      );
      const names = columns.map(({ name }) => `"${name}"`).join(", ");
      // A value that is there already is passed over.
      const insert = db.prepare(
        `insert or ignore into ${table} (${names}) values (${columns.map(() => "?").join(", ")})`,
      );
      for (let row = 0; row < rowsPerTable; row += 1) {
        const plain = ({ name, type }: { name: string; type: string }): SQLInputValue => {
          if (name.endsWith("_id")) return Math.floor(random() * rowsPerTable);
          return /int|real|numeric/i.test(type)
            ? Math.floor(random() * 5)
            : `${name} ${row} ${seed}`;
        };
        insert.run(
          ...columns.map((column) =>
            random() < hostileShare ? anyOf(hostileValues) : plain(column),
          ),
        );
      }
    }
    db.exec(
      "update users set inviter_id = case id when 2 then 3 when 3 then 2 else id end where id < 5",
    );
  } finally {
    db.close();
  }
}

describeLarge(testDatabases)("into $name", ({ open }) => {
  testLarge(
    (["new-api", "one-api", "laisky-one-api"] as const).flatMap((system) =>
      seeds.map((seed) => ({ system, seed })),
    ),
  )("$system with anything in any column, seed $seed", async ({ system, seed }) => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-hostile-"));
    const target = await open();
    const file = join(folder, "one-api.db");
    const counted = (lines: readonly string[]) =>
      lines.filter((line) => /^(user|token|channel|code|log):/.test(line));
    try {
      createHostileSite(file, system, seed);
      const planned = counted((await runImport(target.db, [file, "--logs", "--plan"])).lines);
      const first = await runImport(target.db, [file, "--logs"]);
      expect(first.lines.at(-1)).toBe("The books agree.");
      expect(first.code).toBe(2);
      const carried = counted(first.lines);
      expect(carried.filter((line) => !line.startsWith("log:"))).toEqual(
        planned.filter((line) => !line.startsWith("log:")),
      );
      expect(carried.join()).toMatch(/user: [1-9]\d* carried/);
      const again = counted((await runImport(target.db, [file, "--logs"])).lines);
      expect(again.join()).not.toMatch(/[1-9]\d* (carried|updated)/);
      expect(await auditBooks(target.db)).toEqual([]);
      const { lines } = await runImport(target.db, ["verify", file]);
      // Rows of the log are made up, so that their prices differ.
      expect(lines.filter((line) => /^(user|token|code|log) /.test(line))).toEqual([]);
      expect(lines.at(-1)).toMatch(/^Compared: .* differences\.$/);
    } finally {
      await target.close();
      rmSync(folder, { recursive: true });
    }
  });
});
