/**
 * The site of an operator whose year is rehearsed: one gateway at one address, its database, and
 * the provider whose count of answers every charge is compared with.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type AuditMismatch, auditStatement } from "@tollgate/gateway/money/audit/audit.ts";
import { readSqliteFile, type StorageConfig } from "@tollgate/gateway/storage/open-database.ts";
import { type ApiSession, sendTo, signInSession } from "@tollgate/tests/harness/api-session.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { freePort } from "@tollgate/tests/harness/free-port.ts";
import { queryRows } from "@tollgate/tests/harness/gateway-database.ts";
import {
  type GatewayProcess,
  startGatewayProcess,
} from "@tollgate/tests/harness/gateway-process.ts";
import { createDatabase, runSql } from "@tollgate/tests/harness/postgres-cluster.ts";
import { startSimulatorProcess } from "@tollgate/tests/harness/simulator-process.ts";
import { chatBody, defaultCharge } from "@tollgate/tests/harness/test-gateway.ts";
import { type CommandOutput, startCommand } from "@tollgate/tests/trust/gateway-command.ts";
import type { RunStore } from "../runs/with-store.ts";
import { type ConstantCaller, startConstantCaller } from "./constant-caller.ts";

const rootPassword = "a password of the rehearsed root";
/** The provider's keys by channel; calls with others come from the gateway of before. */
export const providerKeys = { first: "sim-ok", second: "sim-as-second" } as const;
const ownKeys: ReadonlySet<string> = new Set(Object.values(providerKeys));

export type OperatorSite = Awaited<ReturnType<typeof openOperatorSite>>;

export async function openOperatorSite({ store, postgresUrl }: RunStore) {
  const folder = await mkdtemp(join(tmpdir(), "tollgate-operator-"));
  const simulator = await startSimulatorProcess();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let place: StorageConfig = {
    dataDir: join(folder, "data"),
    databaseUrl: postgresUrl && (await createDatabase(undefined, postgresUrl)),
  };
  let running: GatewayProcess | undefined;
  let caller: ConstantCaller | undefined;
  let root: ApiSession | undefined;
  let base = { answers: 0, charged: 0 };

  const rows = <Row>(statement: string): Promise<Row[]> => queryRows<Row>(place, statement);
  /** Once nothing is held any more: a call is settled after its answer. */
  const readCounts = async () => {
    await eventually(async () => {
      const [open] = await rows<{ n: number }>("select count(*) as n from reservations");
      if (Number(open?.n) !== 0) throw new Error(`${open?.n} holds are open`);
    });
    const calls = await simulator.calls();
    const answers = calls.filter(
      ({ key, status, abortedAt }) =>
        ownKeys.has(key ?? "") && status === 200 && abortedAt === null,
    ).length;
    const [ledger] = await rows<{ charged: number }>(
      "select coalesce(sum(amount), 0) as charged from ledger where credit = 'revenue'",
    );
    return { answers, charged: Number(ledger?.charged ?? 0) };
  };

  const call = async (key: string, at = url): Promise<number> => {
    const response = await fetch(`${at}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(chatBody({ max_tokens: 12 })),
      // No connection outlives a restart.
      signal: AbortSignal.timeout(callTimeoutMs),
    });
    await response.text();
    return response.status;
  };

  const launch = (env: Record<string, string> = {}, args: readonly string[] = []) =>
    startGatewayProcess({
      dataDir: place.dataDir,
      ...(place.databaseUrl && { databaseUrl: place.databaseUrl }),
      hasKey: false,
      upstreams: [simulator.url],
      args,
      env: { PORT: String(port), SHUTDOWN_GRACE_SECONDS: "10", ...env },
    });

  const site = {
    store,
    folder,
    url,
    port,
    simulator,
    postgresUrl,
    get place() {
      return place;
    },
    /** Of every later start and command. */
    moveTo(next: StorageConfig) {
      place = next;
    },
    rows,
    /** A statement that the operator types into the database. */
    async execute(statement: string): Promise<void> {
      if (place.databaseUrl) return void (await runSql(place.databaseUrl, statement));
      const file = new DatabaseSync(readSqliteFile(place.dataDir));
      file.exec(statement);
      file.close();
    },
    async command(...args: string[]): Promise<CommandOutput> {
      const program = startCommand(place, args, { INITIAL_ROOT_PASSWORD: rootPassword });
      const { code } = await program.exited;
      return { code, text: program.output().trim() };
    },
    /** Throws where the command does not print what it must. */
    async expectCommand(expected: RegExp, ...args: string[]): Promise<string> {
      const { code, text } = await site.command(...args);
      if (!expected.test(text)) throw new Error(`${args.join(" ")} ended with ${code}: ${text}`);
      return text;
    },

    launch,
    async start(env?: Record<string, string>, args?: readonly string[]): Promise<void> {
      running = await launch(env, args);
    },
    async stop(): Promise<void> {
      const exit = await running?.stop();
      running = undefined;
      if (exit && exit.code !== 0) throw new Error(`the gateway ended with ${exit.code}`);
    },
    /** Stops the gateway for as long as `work` takes, and for its start. */
    async during(work: () => Promise<unknown>, env?: Record<string, string>): Promise<void> {
      await site.stop();
      await work();
      await site.start(env);
    },
    async kill(): Promise<void> {
      running?.kill("SIGKILL");
      await running?.exited;
      running = undefined;
    },

    call,
    /** From now on a client with this key calls all the time. */
    keepCalling(key: string): void {
      caller = startConstantCaller(() => call(key));
    },
    /** Throws before `keepCalling`. */
    get caller(): ConstantCaller {
      if (!caller) throw new Error("nobody calls yet");
      return caller;
    },
    async root(): Promise<ApiSession> {
      root ??= await signInSession(sendTo(url), "root", rootPassword);
      return root;
    },
    rootPassword,

    /** What was charged and answered until now is compared no more. */
    async rebase(): Promise<void> {
      base = await readCounts();
    },
    /** What does not agree: the books with themselves, and charges with the provider's count. */
    async findProblems(): Promise<string[]> {
      await caller?.pause();
      const now = await readCounts();
      const mismatches = await rows<AuditMismatch>(auditStatement(store));
      caller?.resume();
      const answers = now.answers - base.answers;
      const charged = now.charged - base.charged;
      return [
        ...mismatches.map((mismatch) => `audit: ${JSON.stringify(mismatch)}`),
        ...(charged === answers * defaultCharge
          ? []
          : [`${answers} answers of the provider, and ${charged / defaultCharge} were charged`]),
      ];
    },
    readCounts,

    async close(): Promise<void> {
      await caller?.stop();
      await running?.stop();
      await simulator.stop();
      // A restored folder is elsewhere.
      for (const made of [folder, place.dataDir]) await rm(made, { recursive: true, force: true });
    },
  };
  return site;
}

const callTimeoutMs = 10_000;
