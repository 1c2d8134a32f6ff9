import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "./eventually.ts";
import {
  createDatabase,
  dropDatabase,
  removeAbandonedClusters,
  runSql,
  startPostgresCluster,
} from "./postgres-cluster.ts";

describe.skipIf(!process.env.TEST_POSTGRES_URL)("the test server of this run", () => {
  let template: string;
  beforeAll(async () => {
    template = await createDatabase();
    await runSql(template, "create table fruit as select 'Äpfel' as name");
    return () => dropDatabase(template);
  });

  test("every database is a fresh copy of its template", async () => {
    const copy = await createDatabase(template);
    await runSql(copy, "delete from fruit");
    const other = await createDatabase(template);
    expect(await runSql(other, "select name from fruit")).toBe("Äpfel");
    expect(await runSql(copy, "select count(*) from fruit")).toBe("0");
    await dropDatabase(copy);
    await dropDatabase(other);
  });

  test("a wrong statement says what is wrong", async () => {
    await expect(runSql(template, "select * from vegetable")).rejects.toThrow(
      /relation "vegetable" does not exist/,
    );
  });

  test("a server of one's own restarts with its data and leaves no folder", {
    tags: ["large"],
  }, async () => {
    const cluster = await startPostgresCluster({ fsync: true });
    const database = await cluster.createDatabase();
    await runSql(database, "create table kept as select 1 as one");
    await cluster.restart();
    expect(await runSql(database, "select one from kept")).toBe("1");
    expect(await runSql(database, "show fsync")).toBe("on");
    await cluster.stop();
    expect(existsSync(cluster.dataDir)).toBe(false);
  });

  test("a server ends with the run that started it, even when that is killed", {
    tags: ["large"],
  }, async () => {
    const program = `
      import { startPostgresCluster } from ${JSON.stringify(join(import.meta.dirname, "postgres-cluster.ts"))};
      const { dataDir } = await startPostgresCluster();
      console.log(dataDir);
      setInterval(() => {}, 1000);`;
    const crashing = spawn(process.execPath, ["--input-type=module", "--eval", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [printed] = await once(crashing.stdout, "data");
    const dataDir = String(printed).trim();
    expect(existsSync(join(dataDir, "postmaster.pid"))).toBe(true);
    crashing.kill("SIGKILL");
    await eventually(() => expect(existsSync(dataDir)).toBe(false));
  });
});

test("only old folders without a server are swept", async () => {
  const young = mkdtempSync(join(tmpdir(), "tollgate-postgres-young-"));
  const old = mkdtempSync(join(tmpdir(), "tollgate-postgres-old-"));
  utimesSync(old, 0, 0);
  await removeAbandonedClusters();
  expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
  utimesSync(young, 0, 0);
  await removeAbandonedClusters();
});
