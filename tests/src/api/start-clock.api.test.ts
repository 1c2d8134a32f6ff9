// Ids are times and never go back: what the program does where the newest entry is ahead of the
// clock, and when the clock jumps ahead.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readSqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import { computeIdFloor, computeIdTime } from "@tollgate/gateway/storage/time-ids.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startGatewayProcess } from "../harness/gateway-process.ts";
import { startTestGateway } from "../harness/test-gateway.ts";
import { runCommand } from "../trust/gateway-command.ts";

const minute = 60_000;
let dataDir: string;
const run = (...words: string[]) => runCommand({ dataDir, databaseUrl: undefined }, ...words);
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "tollgate-clock-"));
  expect(await run("migrate")).toMatchObject({ code: 0 });
});
afterEach(() => rmSync(dataDir, { recursive: true }));

function putEntry(aheadMs: number): void {
  const db = new DatabaseSync(readSqliteFile(dataDir));
  db.exec(`insert into ledger (kind, debit, credit, amount, created_at, billing_id)
    values ('opening', 'carried', 'wallet:1', 1, 1, ${computeIdFloor(Date.now() + aheadMs)})`);
  db.close();
}

test("more than an hour ahead, only serve --accept-future-ids starts, and warns", {
  timeout: 120_000,
}, async () => {
  putEntry(24 * 60 * minute);
  const refused = await run("serve");
  expect([refused.code, refused.text]).toEqual([
    1,
    expect.stringMatching(/newest entry .* --accept-future-ids/),
  ]);
  const gateway = await startGatewayProcess({ dataDir, args: ["--accept-future-ids"] });
  await gateway.stop();
  expect(gateway.output()).toMatch(/"event":"ids_ahead".*"aheadSeconds":86[34]\d\d/);
  expect(await run("usernames")).toMatchObject({ code: 0 });
});

test("some minutes ahead, every start warns", { timeout: 60_000 }, async () => {
  putEntry(10 * minute);
  const gateway = await startGatewayProcess({ dataDir });
  await gateway.stop();
  expect(gateway.output()).toContain('"event":"ids_ahead"');
});

test("a call right after a jump of the clock by a day is logged at the time that has passed", {
  timeout: 60_000,
}, async () => {
  const gateway = await startTestGateway({ hasShiftableClock: true });
  try {
    await gateway.given.channel({ key: "sim-ok" });
    const { key } = await gateway.given.token();
    await gateway.shiftClock(24 * 60 * minute);
    expect((await gateway.chat(key)).status).toBe(200);
    await gateway.settled();
    const [row] = await gateway.logs();
    expect(Math.abs(computeIdTime(Number(row?.id)) - Date.now())).toBeLessThan(minute);
  } finally {
    await gateway.close();
  }
});

test("a call right after the clock was set back by a day is logged after those before, and shown with the time of the clock", {
  timeout: 60_000,
}, async () => {
  const gateway = await startTestGateway({ hasShiftableClock: true });
  try {
    await gateway.given.channel({ key: "sim-ok" });
    const { key } = await gateway.given.token();
    await gateway.chat(key);
    await gateway.shiftClock(-24 * 60 * minute);
    expect((await gateway.chat(key)).status).toBe(200);
    await gateway.settled();
    const root = await gateway.root();
    const [second, first] = await root.data<{ id: number; created_at: number }[]>(
      "GET",
      "/api/log/?type=2",
    );
    expect(second?.id).toBeGreaterThan(first?.id ?? 0);
    const ago = Date.now() - (second?.created_at ?? 0) * 1000;
    expect(Math.abs(ago - 24 * 60 * minute)).toBeLessThan(minute);
  } finally {
    await gateway.close();
  }
});
