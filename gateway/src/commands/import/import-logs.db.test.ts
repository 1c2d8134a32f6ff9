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
import { describeLarge } from "@tollgate/tests/support/large-tests.ts";
import { rawRows } from "@tollgate/tests/support/raw-rows.ts";
import { type TestDatabase, testDatabases } from "@tollgate/tests/support/test-databases.ts";
import { describeVariants } from "@tollgate/tests/support/variants.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { auditBooks } from "../../money/audit/audit.ts";
import { countCall, measureColumns } from "../../storage/rollups.ts";
import { computeIdFloor } from "../../storage/time-ids.ts";

const second = (text: string): number => Date.parse(text) / 1000;
const call = (created_at: number, more: FamilyRow = {}): FamilyRow => ({
  ...{
    user_id: 2,
    username: "alice",
    token_name: "main",
    model_name: "gpt-4o",
    channel_id: 1,
    type: 2,
    created_at,
  },
  ...{
    content: "ratio 1.25",
    quota: 30,
    prompt_tokens: 10,
    completion_tokens: 5,
    is_stream: 1,
    ...more,
  },
});
const march = second("2026-03-04T05:06:07Z");

describeVariants(testDatabases)("the log imported into $name", ({ open }) => {
  describeLarge<FamilySystem>(["new-api", "one-api", "laisky-one-api"])("from %s", (system) => {
    let folder: string;
    let file: string;
    let target: TestDatabase;
    const withSource = (work: (source: DatabaseSync) => void): void => {
      const source = new DatabaseSync(file);
      work(source);
      source.close();
    };
    const addLogs = (...logs: FamilyRow[]): void =>
      withSource((source) => insertRows(source, { logs }));
    const run = async (...args: string[]) => (await runImport(target.db, args)).lines;
    const rows = <Row>(text: string) => rawRows<Row>(target.db, text);
    const differences = async (): Promise<string[]> =>
      (await run("verify", file)).filter((line) => line.startsWith("log "));

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), "tollgate-logs-"));
      file = join(folder, "one-api.db");
      createFamilyDatabase(file, system, awkwardRows(system));
      withSource((source) => source.exec("delete from logs"));
      addLogs(
        call(second("2023-12-31T23:59:59Z"), { quota: 7 }),
        call(march),
        call(march, { quota: 40, model_name: "gpt-4o-mini" }),
        call(march + 86_400, { user_id: 999, username: "gone", channel_id: 999 }),
        {
          user_id: 2,
          username: "alice",
          type: 1,
          quota: 5_000,
          content: "topped up",
          created_at: march,
        },
        { user_id: 2, username: "alice", type: 5, quota: 0, content: "a test", created_at: march },
      );
      target = await open();
    });
    afterAll(async () => {
      await target.close();
      rmSync(folder, { recursive: true });
    });

    test("a plan counts the rows and writes none", async () => {
      const lines = await run(file, "--logs", "--plan");
      expect(lines).toContain("log: 5 carried, 0 updated, 0 unchanged, 1 left");
      expect(await rows("select id from logs where type = 2")).toEqual([]);
    });

    test("without --logs no row is carried, and nothing is compared", async () => {
      await run(file);
      expect(await rows("select id from logs where type = 2")).toEqual([]);
      expect(await differences()).toEqual([]);
    });

    test("calls become rows that were charged elsewhere, with their user, key and channel; the books agree", async () => {
      const lines = await run(file, "--logs", "--all");
      expect(lines).toContain("The books agree.");
      expect(lines.filter((line) => line.includes(" logs "))).toEqual([
        "- table logs has 1 rows of kinds that are not carried, or that cannot be read",
        "- table logs has 1 rows from before the first day that is carried by rows; they are in the sums alone",
      ]);
      const stored = await rows<Record<string, unknown>>(
        `select logs.username, token_name, tokens.name as token, channel_name, model_name, quota, outcome, content
         from logs left join tokens on tokens.id = token_id where logs.type = 2 order by logs.id`,
      );
      const [channel] = await rows<{ name: string }>(
        "select name from channels order by id limit 1",
      );
      expect(stored).toMatchObject([
        { username: "alice", token_name: "main", quota: 30, outcome: "", model_name: "gpt-4o" },
        { username: "alice", quota: 40, model_name: "gpt-4o-mini", channel_name: channel?.name },
        { username: "gone", quota: 30, token: null, channel_name: "" },
      ]);
      expect(stored[0]?.token).toBe("main");
      expect(String(stored[0]?.content)).toMatch(/^imported from .*: ratio 1\.25$/);
      expect(await rows("select quota from logs where type = 1")).toEqual([{ quota: 5_000 }]);
      expect(await auditBooks(target.db)).toEqual([]);
      expect(await differences()).toEqual([]);
    });

    test("roll-ups add up as calls of this gateway do, older calls than rows can be included", async () => {
      const counted = {
        failed: false,
        prompt: 10,
        completion: 5,
        cached: 0,
        written: 0,
        elapsedMs: 0,
        ttftMs: 0,
      };
      const expected = [7, 30, 30].reduce<number[] | null>(
        (sums, quota) => countCall(sums, { ...counted, quota }),
        null,
      );
      const sums = measureColumns
        .map((column) => `cast(sum(${column}) as int) as ${column}`)
        .join(", ");
      for (const table of ["rollup_day_model", "rollup_hour_model"])
        expect(await rows(`select ${sums} from ${table} where model_name = 'gpt-4o'`)).toEqual([
          Object.fromEntries(measureColumns.map((column, index) => [column, expected?.[index]])),
        ]);
    });

    test("a second run carries nothing again, a later one what is new, and a row that is still young waits", async () => {
      expect(await run(file, "--logs")).not.toContain(expect.stringMatching(/^log: [1-9]/));
      const young = Math.floor(Date.now() / 1000) + 60;
      addLogs(call(march + 200_000), call(young));
      expect((await differences())[0]).toContain("not carried yet");
      expect(await run(file, "--logs")).toContain("log: 1 carried, 0 updated, 0 unchanged, 0 left");
      expect(await rows("select count(*) as count from logs where type = 2")).toMatchObject([
        { count: 4 },
      ]);
      expect(await auditBooks(target.db)).toEqual([]);
    });

    test("an id that another row has is avoided, within the same second", async () => {
      const at = march + 300_000;
      withSource((source) => insertRows(source, { logs: [call(at, { id: 500 })] }));
      const [taken] = await rows<Record<string, number>>("select * from logs where type = 1");
      const columns = { ...taken, id: computeIdFloor(at * 1000) + 500 };
      await target.db.write([{ query: target.db.sql.insertInto("logs").values(columns as never) }]);
      withSource((source) =>
        source.exec(`delete from logs where created_at > ${march + 1_000_000}`),
      );
      expect(await run(file, "--logs")).toContain("log: 1 carried, 0 updated, 0 unchanged, 0 left");
      const floor = computeIdFloor(at * 1000);
      expect(
        await rows(
          `select quota from logs where type = 2 and id > ${floor} and id < ${floor + 4_096_000}`,
        ),
      ).toHaveLength(1);
      expect(await auditBooks(target.db)).toEqual([]);
    });

    test("a charge that is another one there, and a row that is gone here, are differences", async () => {
      withSource((source) => source.exec("update logs set quota = 41 where quota = 40"));
      await target.db.write([
        { query: target.db.sql.deleteFrom("logs").where("username", "=", "gone") },
      ]);
      expect((await differences()).sort()).toEqual([
        'log  "2026-03-04": sum of quota is 71 there and 70 here',
        'log  "2026-03-05": calls in the log is 1 carried there and 0 here',
        'log  "user 2": sum of quota is 138 there and 137 here',
      ]);
    });

    test("rows from a day on are carried, and those before it are in the sums", async () => {
      const other = await open();
      const first = target;
      target = other;
      await run(file, "--logs-since", "2026-03-05");
      expect(await rows("select count(*) as count from logs where type = 2")).toMatchObject([
        { count: 3 },
      ]);
      expect(await auditBooks(other.db)).toEqual([]);
      expect(await differences()).toEqual([]);
      target = first;
      await other.close();
    });

    test("a log in a database of its own is read there, and an old one in the main database is not", async () => {
      const log = join(folder, "log.db");
      createFamilyDatabase(log, system, {});
      const source = new DatabaseSync(log);
      insertRows(source, { logs: [call(march, { quota: 11 }), call(march + 60, { quota: 12 })] });
      source.close();
      const separate = [file, "--name", "separate", "--log-source", log];
      const lines = await run(...separate, "--logs");
      expect(lines).toContain("log: 2 carried, 0 updated, 0 unchanged, 0 left");
      expect(lines).toContain("The books agree.");
      // A test before this one removed rows of the log here.
      const sums = (await run("verify", ...separate)).filter((line) =>
        /^log .*(sum of|not carried)/.test(line),
      );
      expect(sums).toEqual([]);
      const empty = join(folder, "empty.db");
      new DatabaseSync(empty).exec("create table other (id integer)");
      expect((await run(file, "--log-source", empty)).join()).toMatch(
        /Refused: .*empty.db .* has no table logs/,
      );
    });
  });
});
