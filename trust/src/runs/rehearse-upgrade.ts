/**
 * An upgrade, rehearsed with the bundle of an earlier commit: it fills a database, stops, and this
 * code goes on with it. What users own must be the same afterwards, and the first call with an old
 * key must pass.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { auditBooks } from "@tollgate/gateway/money/audit/audit.ts";
import { type ApiSession, sendTo, signInSession } from "@tollgate/tests/harness/api-session.ts";
import { withDatabase } from "@tollgate/tests/harness/database-templates.ts";
import { eventually } from "@tollgate/tests/harness/eventually.ts";
import { createGatewayDatabase } from "@tollgate/tests/harness/gateway-database.ts";
import {
  type GatewayProcess,
  startGatewayProcess,
} from "@tollgate/tests/harness/gateway-process.ts";
import { startSimulatorProcess } from "@tollgate/tests/harness/simulator-process.ts";
import { chatBody, defaultCharge, model } from "@tollgate/tests/harness/test-gateway.ts";
import { buildCommit } from "../../../scripts/commit-build.ts";
import type { RunStore } from "./with-store.ts";

export interface UpgradeFindings {
  /** The commit that filled the database. */
  from: string;
  calls: number;
  schemas: { before: number; after: number };
  /** From the old program's end to the first answer of the new one. */
  withoutServiceMs: number;
  problems: string[];
}

const rootPassword = "a password of the rehearsal";
const userPassword = "a password of the user";
/** Calls whose charges are compared: whole and streamed in turn. */
const callCount = 40;

/** What the new program must find as the old one left it; both know these columns. */
const keptRows = {
  wallets: "select id, balance, held from wallets order by id",
  users: "select id, username, role, status, used_quota, request_count from users order by id",
  tokens: "select id, user_id, name, status, remain_quota, used_quota from tokens order by id",
  channels: "select id, name, models, status, used_quota from channels order by id",
  logs: "select id, user_id, token_id, quota, prompt_tokens, completion_tokens from logs order by id",
  ledger: "select billing_id, kind, debit, credit, amount from ledger order by billing_id, kind",
} as const;

const callWith = async (url: string, key: string, isStream: boolean): Promise<number> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(chatBody({ stream: isStream })),
  });
  await response.text();
  return response.status;
};

/**
 * A site as an operator has it: a channel, a person with a balance and a limited key, a code.
 * Returns the key and the access token.
 */
async function fillSite(
  root: ApiSession,
  signIn: (name: string) => Promise<ApiSession>,
  upstream: string,
) {
  await root.data("POST", "/api/channel/", {
    ...{
      name: "first",
      type: 1,
      key: "sim-ok",
      base_url: upstream,
      group: "default",
      models: model,
    },
    model_configs: JSON.stringify({ [model]: { ratio: 1, completion_ratio: 4 } }),
  });
  await root.data("POST", "/api/user/", {
    username: "person",
    password: userPassword,
    quota: 1_000_000,
  });
  await root.data("POST", "/api/redemption/", { name: "welcome", quota: 500, count: 2 });
  const person = await signIn("person");
  const limits = { remain_quota: 500_000, unlimited_quota: false, expired_time: -1 };
  const { key } = await person.data<{ key: string }>("POST", "/api/token/", {
    name: "work",
    ...limits,
  });
  return { key, access: await root.data<string>("POST", "/api/user/token", {}) };
}

export async function rehearseUpgrade(
  { store, postgresUrl }: Pick<RunStore, "store" | "postgresUrl">,
  from: string,
): Promise<UpgradeFindings> {
  const old = buildCommit(from);
  const dataDir = await mkdtemp(join(tmpdir(), "tollgate-upgrade-"));
  const database = await createGatewayDatabase({ store, dataDir, postgresUrl, hasRoot: false });
  const { databaseUrl } = database;
  const simulator = await startSimulatorProcess();
  const start = (main?: string): Promise<GatewayProcess> =>
    startGatewayProcess({
      ...{
        dataDir,
        hasKey: false,
        upstreams: [simulator.url],
        env: { INITIAL_ROOT_PASSWORD: rootPassword },
      },
      ...(databaseUrl && { databaseUrl }),
      ...(main && { main }),
    });
  const readSchema = async (): Promise<number> =>
    (await database.rows<{ id: number }>("select max(id) as id from migrations"))[0]?.id ?? 0;
  const readKept = async (): Promise<Record<string, string>> => {
    const tables = Object.entries(keptRows).map(async ([table, statement]) => {
      const rows = await database.rows(statement);
      return [table, JSON.stringify(rows)] as const;
    });
    return Object.fromEntries(await Promise.all(tables));
  };
  /** PostgreSQL adds the counters of channels up after the calls, once a second. */
  const pending = ["reservations", ...(databaseUrl ? ["rollup_queue"] : [])];
  const nothingIsPending = () =>
    eventually(async () => {
      for (const table of pending) {
        const [open] = await database.rows<{ n: number }>(`select count(*) as n from ${table}`);
        if (open?.n !== 0) throw new Error(`${open?.n} rows of ${table} are left`);
      }
    });
  const problems: string[] = [];
  let running = await start(old.main);
  try {
    const signIn = (name: string, password = userPassword) =>
      signInSession(sendTo(running.url), name, password);
    const { key, access } = await fillSite(
      await signIn("root", rootPassword),
      signIn,
      simulator.url,
    );
    for (let call = 0; call < callCount; call += 1) {
      const status = await callWith(running.url, key, call % 2 === 1);
      if (status !== 200) problems.push(`call ${call} of the old program: ${status}`);
    }
    await nothingIsPending();
    const { code } = await running.stop();
    if (code !== 0) problems.push(`the old program ended with ${code}`);
    const stoppedAt = performance.now();
    const [before, schemaBefore] = [await readKept(), await readSchema()];
    running = await start();
    const first = await callWith(running.url, key, false);
    const withoutServiceMs = performance.now() - stoppedAt;
    if (first !== 200) problems.push(`the first call of the new program: ${first}`);
    const asRoot = await fetch(`${running.url}/api/user/self`, {
      headers: { authorization: access },
    });
    if (asRoot.status !== 200) problems.push(`the access token of root: ${asRoot.status}`);
    await nothingIsPending();
    await running.stop();
    const after = await readKept();
    problems.push(...findChanges(before, after));
    await withDatabase({ dataDir, databaseUrl }, async (db) => {
      for (const mismatch of await auditBooks(db))
        problems.push(`audit: ${JSON.stringify(mismatch)}`);
    });
    const schemas = { before: schemaBefore, after: await readSchema() };
    return { from: old.commit, calls: callCount + 1, schemas, withoutServiceMs, problems };
  } finally {
    await running.stop();
    await simulator.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

type KeptRow = Record<string, unknown>;
const parseRows = (text: string | undefined): KeptRow[] => JSON.parse(text ?? "[]") as KeptRow[];

/**
 * Only the one new call may show: a row of the log and of the ledger, and its charge on what pays
 * it.
 */
export function findChanges(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const found: string[] = [];
  for (const table of ["logs", "ledger"]) {
    const known = new Set(parseRows(before[table]).map((row) => JSON.stringify(row)));
    const now = parseRows(after[table]);
    const added = now.filter((row) => !known.has(JSON.stringify(row)));
    if (now.length - added.length !== known.size) found.push(`${table}: a row was lost or changed`);
    if (added.length !== 1) found.push(`${table}: ${added.length} rows for one new call`);
  }
  for (const table of ["wallets", "users", "tokens", "channels"]) {
    const old = parseRows(before[table]);
    const now = parseRows(after[table]);
    if (old.length !== now.length) {
      found.push(`${table}: ${old.length} rows before, ${now.length} after`);
      continue;
    }
    for (const [index, row] of old.entries())
      for (const [column, value] of Object.entries(row)) {
        const change = Number(now[index]?.[column]) - Number(value);
        const isCount = column === "request_count" && change === 1;
        const isCharge = /balance|quota/.test(column) && Math.abs(change) === defaultCharge;
        if (now[index]?.[column] !== value && !isCount && !isCharge)
          found.push(
            `${table}.${column}: ${String(value)} before, ${String(now[index]?.[column])} after`,
          );
      }
  }
  return found;
}
