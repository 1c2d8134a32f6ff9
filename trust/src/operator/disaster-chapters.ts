/** What breaks: a disk, a key, a clock, a standby, a second node. */
import { execFileSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync, unlinkSync, writeSync } from "node:fs";
import { cp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { putMasterKey } from "@tollgate/tests/harness/database-templates.ts";
import { freePort } from "@tollgate/tests/harness/free-port.ts";
import { dropDatabase, startStandby } from "@tollgate/tests/harness/postgres-cluster.ts";
import { createShiftableClock } from "@tollgate/tests/harness/shiftable-clock.ts";
import { oldKey } from "@tollgate/tests/support/family-database.ts";
import { copyMasterKey, createBackup, restore } from "@tollgate/tests/trust/backup-copy.ts";
import { listLostKeyStatements } from "@tollgate/tests/trust/lost-key-statements.ts";
import type { OperatorChapter } from "./operator-chapter.ts";
import { type OperatorSite, providerKeys } from "./operator-site.ts";

const hourMs = 3_600_000;
const fullForMs = 1_000;
const lostCalls = 5;

async function expectCalls(site: OperatorSite, count: number, url?: string): Promise<void> {
  for (let calls = 0; calls < count; calls += 1) {
    const status = await site.call(oldKey, url);
    if (status !== 200) throw new Error(`a call was answered with ${status}`);
  }
}

export const loseDisk: OperatorChapter = {
  title: "a lost disk, restored from the last backup",
  async play(site) {
    const isOnPostgres = site.place.databaseUrl !== undefined;
    await site.caller.pause();
    const problems = await site.findProblems();
    await site.caller.pause();
    if (problems.length > 0) throw new Error(problems.join("; "));
    const backup = await createBackup(site.place);
    const before = await site.readCounts();
    await expectCalls(site, lostCalls);
    await site.kill();
    const { dataDir, databaseUrl } = site.place;
    // The key was kept elsewhere.
    const kept = join(site.folder, "kept");
    await copyMasterKey(site.place, { dataDir: kept, databaseUrl: undefined });
    await rm(dataDir, { recursive: true });
    if (databaseUrl) await dropDatabase(databaseUrl, site.postgresUrl);
    const restored = await restore(backup, isOnPostgres);
    await copyMasterKey({ dataDir: kept, databaseUrl: undefined }, restored);
    site.moveTo(restored);
    await site.expectCommand(/The books agree\./, "audit");
    await site.start();
    const after = await site.readCounts();
    if (after.charged !== before.charged) throw new Error("the restored charges are others");
    if (after.answers - before.answers !== lostCalls) throw new Error("other calls were lost");
    await site.rebase();
    await backup.remove();
    site.caller.resume();
    await site.caller.nextAnswer();
  },
};

type NamedChannel = { id: number; name: keyof typeof providerKeys };

/** By the very statements of docs/operations.md. */
export const loseMasterKey: OperatorChapter = {
  title: "a lost master key",
  async play(site) {
    const key = join(site.place.dataDir, "master.key");
    await site.stop();
    await rename(key, join(site.folder, "lost.key"));
    await site.expectCommand(/there is no master\.key/, "serve");
    for (const statement of listLostKeyStatements()) await site.execute(statement);
    putMasterKey(site.place.dataDir);
    await site.start();
    const root = await site.root();
    const channels = await root.data<NamedChannel[]>("GET", "/api/channel/?p=0&size=10");
    for (const { id, name } of channels)
      await root.data("PUT", "/api/channel/", { id, key: providerKeys[name] });
    await site.caller.nextAnswer();
  },
};

export const jumpClock: OperatorChapter = {
  title: "a clock that jumps an hour ahead and back",
  async play(site) {
    const clock = createShiftableClock();
    try {
      await site.during(async () => undefined, clock.env);
      await clock.shift(hourMs);
      await expectCalls(site, 3);
      await clock.shift(-hourMs);
      await expectCalls(site, 3);
      await site.stop();
      // Ids that are ahead by less than the hour that a start refuses.
      await site.start({}, ["--accept-future-ids"]);
      await site.caller.nextAnswer();
    } finally {
      clock.close();
    }
  },
};

const canMount = process.platform === "linux" && process.getuid?.() === 0;

function fillDisk(file: string): void {
  const opened = openSync(file, "a");
  for (let size = 1 << 20; size >= 4_096; ) {
    try {
      writeSync(opened, Buffer.alloc(size));
    } catch {
      size >>= 1;
    }
  }
  closeSync(opened);
}

export const fillUpDisk: OperatorChapter = {
  title: "a full disk",
  only: "sqlite",
  isMissing: () => (canMount ? undefined : "only root of Linux can mount a small disk"),
  async play(site) {
    const disk = join(site.folder, "disk");
    const before = site.place;
    mkdirSync(disk);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=64m", "tmpfs", disk]);
    try {
      const dataDir = join(disk, "data");
      await site.during(async () => {
        await cp(before.dataDir, dataDir, { recursive: true });
        site.moveTo({ dataDir, databaseUrl: undefined });
      });
      const filler = join(disk, "filler");
      fillDisk(filler);
      await pause(fullForMs);
      unlinkSync(filler);
      await site.caller.nextAnswer();
      const back = join(site.folder, "new-disk");
      await site.during(async () => {
        await cp(dataDir, back, { recursive: true });
        site.moveTo({ dataDir: back, databaseUrl: undefined });
      });
      await site.caller.nextAnswer();
    } finally {
      execFileSync("umount", ["-l", disk]);
      rmSync(disk, { recursive: true, force: true });
    }
  },
};

export const loseStandby: OperatorChapter = {
  title: "a failed standby",
  only: "postgres",
  async play(site) {
    const server = new URL(site.postgresUrl ?? "");
    const standby = await startStandby({ port: Number(server.port) });
    const readUrl = new URL(site.place.databaseUrl ?? "");
    readUrl.port = String(standby.port);
    await site.during(async () => undefined, { DATABASE_READ_URL: readUrl.href });
    const root = await site.root();
    const list = () => root.data("GET", "/api/log/?p=0&size=10");
    await list();
    await standby.stop();
    await expectCalls(site, 3);
    await list();
    await site.caller.nextAnswer();
  },
};

/** The settings of a second node: one that contradicts the first, and one that may differ. */
export const addNode: OperatorChapter = {
  title: "a second node with other settings",
  async play(site) {
    if (site.store === "sqlite") {
      await site.expectCommand(/another Tollgate is running/, "serve");
      return await site.caller.nextAnswer();
    }
    const dataDir = join(site.folder, "second");
    const { databaseUrl } = site.place;
    const first = site.place;
    site.moveTo({ dataDir, databaseUrl });
    putMasterKey(dataDir);
    const another = Buffer.alloc(32, 9).toString("base64");
    const port = String(await freePort());
    const refused = await site.launch({ PORT: port, MASTER_KEY: another }).then(
      async (started) => {
        await started.stop();
        return "";
      },
      (error: Error) => error.message,
    );
    site.moveTo(first);
    if (!/key/.test(refused))
      throw new Error(`a node with another key: ${refused || "it started"}`);
    const second = await site.launch({ PORT: port, READ_ONLY: "true", TOKEN_KEY_PREFIX: "acme-" });
    try {
      await expectCalls(site, 3, second.url);
      await expectCalls(site, 3);
    } finally {
      await second.stop();
    }
    await site.caller.nextAnswer();
  },
};
