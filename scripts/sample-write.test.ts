import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { audit } from "@tollgate/gateway/money/audit.ts";
import { openDatabase } from "@tollgate/gateway/storage/open.ts";
import { shownStatus } from "@tollgate/gateway/tokens/token-rules.ts";
import { expect, test } from "vitest";
import { channels, tokens } from "./sample-site.ts";
import { writeSampleSite } from "./sample-write.ts";

test("the sample site has keys and channels in every state, and its books agree", { timeout: 30_000 }, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-sample-"));
  try {
    const site = await writeSampleSite(dataDir, "http://127.0.0.1:9");
    expect([...site.keys.keys()]).toEqual(tokens.map(({ name }) => name));

    const stop = (error: Error) => {
      throw error;
    };
    const db = await openDatabase({ dataDir, databaseUrl: undefined }, { onTrouble: stop, onDeath: stop });
    const keys = await db.read(db.sql.selectFrom("tokens").selectAll());
    const rows = await db.read(db.sql.selectFrom("channels").select(["name", "status"]).orderBy("id"));
    const logs = await db.read(db.sql.selectFrom("logs").select(({ fn }) => fn.countAll<number>().as("count")));
    const open = await db.read(db.sql.selectFrom("reservations").select("id"));
    const findings = await audit(db);
    await db.close();

    expect(new Set(keys.map((key) => shownStatus(key, Date.now())))).toEqual(new Set([1, 2, 3, 4]));
    expect(rows.map(({ name }) => name)).toEqual(channels.map(({ name }) => name));
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set([1, 2, 3]));
    expect(logs[0]?.count).toBe(site.calls);
    expect(open).toEqual([]);
    expect(findings).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
