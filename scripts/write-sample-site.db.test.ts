import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { showStatus } from "@tollgate/gateway/accounts/tokens/token-rules.ts";
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { openDatabase } from "@tollgate/gateway/storage/open-database.ts";
import { expect, test } from "vitest";
import { channels } from "./sample-channels.ts";
import { sampleTokens } from "./sample-site.ts";
import { writeSampleSite } from "./write-sample-site.ts";

test("the sample site has accounts, keys, channels and codes in every state, and its books agree", {
  tags: ["large"],
  timeout: 30_000,
}, async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-sample-"));
  try {
    const site = await writeSampleSite(dataDir, "http://127.0.0.1:9");
    expect([...site.keys.keys()]).toEqual(sampleTokens.map(({ name }) => name));

    const stop = (error: Error) => {
      throw error;
    };
    const db = await openDatabase(
      { dataDir, databaseUrl: undefined },
      { onError: stop, onFatal: stop },
    );
    const keys = await db.read(db.sql.selectFrom("tokens").selectAll());
    const made = await db.read(db.sql.selectFrom("channels").selectAll().orderBy("id"));
    const accounts = await db.read(db.sql.selectFrom("users").selectAll());
    const codes = await db.read(db.sql.selectFrom("redemptions").selectAll());
    const logs = await db.read(db.sql.selectFrom("logs").selectAll());
    const factors = await db.read(db.sql.selectFrom("second_factors").selectAll());
    const open = await db.read(db.sql.selectFrom("reservations").select("id"));
    const findings = await auditBooks(db);
    await db.close();

    expect(new Set(keys.map((key) => showStatus(key, Date.now())))).toEqual(new Set([1, 2, 3, 4]));
    expect(made.map(({ name }) => name)).toEqual(channels.map(({ name }) => name));
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set([1, 2, 3]));
    expect(new Set(made.flatMap(({ models }) => models.split(","))).size).toBeGreaterThanOrEqual(
      20,
    );
    expect(accounts.filter(({ status }) => status === 1).length).toBeGreaterThanOrEqual(10);
    expect(new Set(accounts.map(({ status }) => status))).toEqual(new Set([1, 2, 3]));
    expect(new Set(accounts.map(({ role }) => role))).toEqual(new Set([1, 10, 100]));
    expect(accounts.filter(({ inviter_id }) => inviter_id !== null)).toHaveLength(1);
    expect(accounts.filter(({ must_change_password }) => must_change_password === 1)).toHaveLength(
      1,
    );
    expect(factors).toHaveLength(1);
    expect(new Set(codes.map(({ status }) => status))).toEqual(new Set([1, 2, 3]));
    expect(new Set(logs.map(({ type }) => type))).toEqual(new Set([1, 2, 3, 4, 5]));
    expect(logs.filter(({ type }) => type === 2)).toHaveLength(site.calls);
    expect(open).toEqual([]);
    expect(findings).toEqual([]);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
