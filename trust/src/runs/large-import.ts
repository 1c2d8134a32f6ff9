// A large site of one-api is moved in with its log by the program's own command: how long that
// takes, how much memory it needs, and whether the other side is found again.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { createDatabase, dropDatabase } from "@tollgate/tests/harness/postgres-cluster.ts";
import { createFamilyDatabase } from "@tollgate/tests/support/family-database.ts";
import { startCommand } from "@tollgate/tests/trust/gateway-command.ts";
import type { RunStore } from "./with-store.ts";

export interface LargeImportOptions extends RunStore {
  /** Each with one key. */
  users: number;
  logs: number;
  /** Told of each command as it ends. */
  onStep(step: ImportStep): void;
}

export interface ImportStep {
  name: "import" | "import again" | "verify";
  ms: number;
  /**
   * `processorMs` are what its threads computed; the database server's work is none of it. 0 where
   * the system does not tell.
   */
  processorMs: number;
  /** At its largest, as the system counts it; 0 where the system does not tell. */
  memoryBytes: number;
}

export interface LargeImportResult {
  steps: ImportStep[];
  /** `problems` are what is wrong; empty when all is well. */
  problems: string[];
}

/** Half a year, so that the log lies in many days, months and partitions. */
const secondsPerLog = 16;
const firstLogSecond = Date.UTC(2026, 0, 1) / 1_000;
const sampleEveryMs = 100;

export async function runLargeImport({
  users,
  logs,
  postgresUrl,
  onStep,
}: LargeImportOptions): Promise<LargeImportResult> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-large-import-"));
  const databaseUrl = postgresUrl && (await createDatabase(undefined, postgresUrl));
  try {
    const source = join(folder, "one-api.db");
    fillSource(source, users, logs);
    const config: StorageConfig = { dataDir: join(folder, "data"), databaseUrl };
    const steps: ImportStep[] = [];
    const problems: string[] = [];
    const run = async (
      name: ImportStep["name"],
      args: readonly string[],
      expected: RegExp,
    ): Promise<void> => {
      const { text, ...measured } = await measuredCommand(config, args);
      const step = { name, ...measured };
      steps.push(step);
      onStep(step);
      if (!expected.test(text)) problems.push(`${name}: ${text.slice(-2_000)}`);
    };
    const carried = new RegExp(`log: ${logs} carried.*\\n(.*\\n)*The books agree`);
    await run("import", ["import", source, "--logs"], carried);
    await run(
      "import again",
      ["import", source, "--logs"],
      /^token: 0 carried.*\nThe books agree/m,
    );
    await run(
      "verify",
      ["import", "verify", source],
      new RegExp(`${logs} of log\\. 0 differences`),
    );
    return { steps, problems };
  } finally {
    rmSync(folder, { recursive: true });
    if (databaseUrl) await dropDatabase(databaseUrl, postgresUrl);
  }
}

const numbers = (from: number, to: number): string =>
  `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`;

/** Each user has one key and calls again and again; each charge is what the saved prices say. */
function fillSource(file: string, users: number, logs: number): void {
  const models = "large-a,large-b";
  const perModel = (ratio: number): string =>
    JSON.stringify(Object.fromEntries(models.split(",").map((model) => [model, ratio])));
  createFamilyDatabase(file, "one-api", {
    options: [
      { key: "ModelRatio", value: perModel(1) },
      { key: "CompletionRatio", value: perModel(2) },
    ],
    channels: [1, 2].map((id) => ({
      id,
      type: 1,
      key: `sk-${id}`,
      name: `channel ${id}`,
      models,
      group: "default",
    })),
  });
  const db = new DatabaseSync(file);
  try {
    db.exec(`
      ${numbers(1, users)} insert into users (id, username, password, quota, used_quota, request_count, email, aff_code, inviter_id)
        select i, 'user ' || i, '$2a$10$' || substr('abcdefghijklmnopqrstuu' || hex(zeroblob(16)), 1, 53), i * 7919 % 1000000,
          20 * (i % 13), 20, 'user' || i || '@example.com', 'c' || i, case when i % 10 = 0 then 2 else 0 end from n;
      ${numbers(1, users)} insert into tokens (id, user_id, key, name, remain_quota, used_quota, created_time)
        select i, i, substr('key' || i || replace(hex(zeroblob(24)), '0', 'z'), 1, 48), 'one', i, i % 5, 1750000000 from n;
      ${numbers(1, logs)} insert into logs (id, user_id, created_at, type, content, username, token_name, model_name, prompt_tokens,
          completion_tokens, quota, channel_id, is_stream, elapsed_time)
        select i, 1 + i * 7919 % ${users}, ${firstLogSecond} + i * ${secondsPerLog}, 2, 'model ratio 1, group ratio 1',
          'user ' || (1 + i * 7919 % ${users}), 'one', case i % 3 when 0 then 'large-a' else 'large-b' end, 200 + i % 1000,
          50 + i % 300, 200 + i % 1000 + 2 * (50 + i % 300), 1 + i % 2, i % 2, 300 + i % 5000 from n;`);
  } finally {
    db.close();
  }
}

async function measuredCommand(config: StorageConfig, args: readonly string[]) {
  const beganAt = performance.now();
  const program = startCommand(config, args);
  let [memoryBytes, processorMs] = [0, 0];
  const sampling = setInterval(() => {
    memoryBytes = Math.max(memoryBytes, largestMemoryOf(program.pid));
    processorMs = Math.max(processorMs, processorTimeOf(program.pid));
  }, sampleEveryMs);
  try {
    await program.exited;
  } finally {
    clearInterval(sampling);
  }
  return { ms: performance.now() - beganAt, processorMs, memoryBytes, text: program.output() };
}

/** Linux counts it in hundredths of a second, in user and in system mode. */
function processorTimeOf(pid: number): number {
  try {
    const [, counters = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(/\) /, 2);
    const [user = 0, system = 0] = counters.split(" ").slice(11, 13).map(Number);
    return (user + system) * 10;
  } catch {
    return 0;
  }
}

/** Linux remembers the largest so far; other systems have no such file. */
function largestMemoryOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}
