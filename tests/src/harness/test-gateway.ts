// A gateway, the simulator and a database, all as processes of their own: the world that the relay's tests act upon.
// It looks into the database directly, because what the gateway says about its books is one of the things under test.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { consoleHeader } from "@tollgate/contract/envelope.ts";
import type { TraceRecord } from "@tollgate/contract/traces.ts";
import { ensureRoot } from "@tollgate/gateway/identity/users/root-account.ts";
import { userStore } from "@tollgate/gateway/identity/users/user-store.ts";
import type { FrozenPrice } from "@tollgate/gateway/money/price.ts";
import { openDatabase, type StorageConfig, sqliteFile } from "@tollgate/gateway/storage/open-database.ts";
import type { LogRow } from "@tollgate/gateway/storage/schema.ts";
import { type ProcessExit, startProgram } from "./child-process.ts";
import { eventually } from "./eventually.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { createDatabase, dropDatabase, runSql } from "./postgres-cluster.ts";
import { repositoryDir } from "./repository-dir.ts";
import { startSimulatorProcess } from "./simulator-process.ts";

/** Where the gateway keeps its data; without a test server the runner has already said why PostgreSQL is missing. */
export const databaseKinds: readonly DatabaseKind[] = [
  "sqlite",
  ...(process.env.TEST_POSTGRES_URL ? (["postgres"] as const) : []),
];
export type DatabaseKind = "sqlite" | "postgres";

/** What a call of the default question costs: 6 prompt tokens at 1 unit and 12 answer tokens at 4 units. */
export const model = "sim-model";
export const question = "one two, nine";
export const defaultCharge = 6 + 12 * 4;
/**
 * What the prompt is held for, 4 for the message and 13 bytes at 0.25, and what it comes to by the tokenizer, for answers
 * whose usage never came: the same, so that whatever a test finds was neither counted twice nor left out.
 */
export const promptEstimate = 8;
/** What is held for it with `max_tokens: 12`: the estimate with half as much again, and the longest answer. */
export const defaultHold = promptEstimate * 1.5 + 12 * 4;

export const rootPassword = "a password for tests";
const rootQuota = 500_000_000_000_000;

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

export interface TestGatewayOptions {
  store?: DatabaseKind;
  /** What root may spend; without it, practically everything. */
  balance?: number;
  env?: Record<string, string>;
  /** Further upstreams that the gateway may call. */
  upstreams?: readonly string[];
  /** Where the data lies, and stays; without one it is a folder that goes away with the world. */
  dataDir?: string;
  /** A PostgreSQL server other than that of the run. */
  postgresUrl?: string;
  /** How many descriptors the gateway may have open. */
  openFiles?: number;
}

export interface TestReply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  body: any;
}

export interface TestStreamReply {
  status: number;
  headers: Headers;
  /** Every byte as it came. */
  raw: string;
  /** The `data` of each event. */
  events: string[];
  /** The words of the answer, joined. */
  text: string;
  /** The error objects among the events. */
  errors: { message: string; type: string; code: unknown }[];
}

export interface LedgerTotals {
  balance: number;
  held: number;
  /** Everything that was ever charged, counted in the ledger. */
  charged: number;
  shortfall: number;
  reservations: number;
  rows: number;
  succeeded: number;
}

type TestRequestBody = Record<string, unknown>;

export const chatBody = (body: TestRequestBody = {}): TestRequestBody => ({
  model,
  messages: [{ role: "user", content: question }],
  ...body,
});

export async function startTestGateway(options: TestGatewayOptions = {}) {
  const { store = "sqlite", balance, env = {}, upstreams = [], postgresUrl, openFiles } = options;
  const dataDir = options.dataDir ?? (await mkdtemp(join(tmpdir(), "tollgate-world-")));
  const databaseUrl = store === "postgres" ? await createDatabase(undefined, postgresUrl) : undefined;
  if (balance !== undefined) await setRootBalance(balance, { dataDir, databaseUrl });
  const simulator = await startSimulatorProcess();
  const start = () =>
    startGatewayProcess({
      dataDir,
      ...(databaseUrl && { databaseUrl }),
      ...(openFiles && { openFiles }),
      upstreams: [simulator.url, ...upstreams],
      env: { INITIAL_ROOT_PASSWORD: rootPassword, ...env },
    });
  let gateway: GatewayProcess = await start();
  let cookie = "";

  async function api<Data>(method: string, path: string, body?: unknown): Promise<Data> {
    const response = await fetch(gateway.url + path, {
      method,
      headers: { "content-type": "application/json", [consoleHeader.name]: consoleHeader.value, cookie },
      body: body === undefined ? null : JSON.stringify(body),
    });
    cookie =
      response.headers
        .getSetCookie()
        .map((one) => one.split(";")[0])
        .join("; ") || cookie;
    const reply = (await response.json()) as { success: boolean; message: string; data: Data };
    if (!reply.success) throw new Error(`${method} ${path}: ${reply.message} ${JSON.stringify(reply)}`);
    return reply.data;
  }
  await api("POST", "/api/user/login", { username: "root", password: rootPassword }).catch(async (cause: unknown) => {
    await Promise.all([gateway.stop(), simulator.stop()]);
    throw cause;
  });

  /** Rows of the gateway's own database, past the gateway. */
  const rows = <Row>(statement: string): Promise<Row[]> => queryRows<Row>({ dataDir, databaseUrl }, statement);

  async function totals(): Promise<LedgerTotals> {
    const [found] = await rows<LedgerTotals>(
      `select (select sum(cast(balance as double precision)) from wallets) as balance, (select sum(held) from wallets) as held,
         (select coalesce(sum(amount), 0) from ledger where kind in ('charge', 'shortfall')) as charged,
         (select coalesce(sum(amount), 0) from ledger where kind = 'shortfall') as shortfall,
         (select count(*) from reservations) as reservations,
         (select count(*) from logs where type = 2) as rows,
         (select count(*) from logs where type = 2 and outcome = 'success') as succeeded`,
    );
    if (!found) throw new Error("there are no books");
    return found;
  }

  /** Waits until every call that was admitted has ended, and answers the books. */
  const settled = (poll: { timeoutMs?: number } = {}): Promise<LedgerTotals> =>
    eventually(async () => {
      const found = await totals();
      if (found.reservations > 0) throw new Error(`${found.reservations} reservations are open`);
      return found;
    }, poll);

  const logs = () =>
    rows<LogRow>("select * from logs where type = 2 order by id").then((found) =>
      found.map(({ price, ...row }) => ({ ...row, price: price ? (JSON.parse(price) as FrozenPrice) : null })),
    );

  const send = (
    key: string,
    body: TestRequestBody | string,
    init: { signal?: AbortSignal; headers?: Record<string, string> } = {},
  ) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...init.headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(init.signal && { signal: init.signal }),
    });

  let counter = 0;
  return {
    store,
    dataDir,
    databaseUrl,
    simulator,
    get gateway() {
      return gateway;
    },
    get url() {
      return gateway.url;
    },
    api,
    rows,
    books: totals,
    logs,
    send,

    given: {
      /** A channel to the simulator. Every model on it costs 1 unit a prompt token and 4 an answer token. */
      async channel(fields: { key: string; models?: string } & TestRequestBody): Promise<{ id: number; name: string }> {
        counter += 1;
        const models = fields.models ?? model;
        const mapped = Object.values(
          typeof fields.model_mapping === "string" ? (JSON.parse(fields.model_mapping) as TestRequestBody) : {},
        ).map(String);
        const configs = [...models.split(","), ...mapped].map((name) => [name, { ratio: 1, completion_ratio: 4 }]);
        const name = `channel ${counter}`;
        const [created] = await api<{ id: number; name: string }[]>("POST", "/api/channel/", {
          name,
          type: 1,
          base_url: simulator.url,
          group: "default",
          model_configs: JSON.stringify(Object.fromEntries(configs)),
          ...fields,
          models,
        });
        if (!created) throw new Error("no channel was made");
        return created;
      },

      async token(fields: TestRequestBody = {}): Promise<{ id: number; key: string }> {
        counter += 1;
        return await api("POST", "/api/token/", {
          name: `token ${counter}`,
          remain_quota: 0,
          unlimited_quota: true,
          expired_time: -1,
          ...fields,
        });
      },
    },

    async chat(key: string, body: TestRequestBody = {}): Promise<TestReply> {
      return await replyOf(await send(key, chatBody(body)));
    },

    async stream(key: string, body: TestRequestBody = {}): Promise<TestStreamReply> {
      const response = await send(key, chatBody({ ...body, stream: true }));
      return { status: response.status, headers: response.headers, ...readEvents(await response.text()) };
    },

    /** The newest call, once every call has ended. */
    async lastLog() {
      await settled();
      const last = (await logs()).at(-1);
      if (!last) throw new Error("no call is logged");
      return last;
    },

    async trace(id: number): Promise<TraceRecord> {
      const [row] = await rows<{ data: string }>(`select data from traces where id = ${id}`);
      if (!row) throw new Error(`there is no trace of ${id}`);
      return JSON.parse(row.data) as TraceRecord;
    },

    settled,

    /** Everything that `tollgate audit` says. SQLite belongs to one process, so the gateway is stopped for it. */
    async audit(): Promise<string> {
      if (store === "sqlite") await gateway.stop();
      const { INITIAL_ROOT_PASSWORD: _, ...rest } = env;
      const program = startProgram({
        file: process.execPath,
        args: [join(repositoryDir, "gateway/src/main.ts"), "audit"],
        env: {
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          DATA_DIR: dataDir,
          ...(databaseUrl && { DATABASE_URL: databaseUrl }),
          ...rest,
        },
      });
      const { code } = await program.exited;
      const output = program.output().trim();
      return code === 0 ? output : `exit code ${code}: ${output}`;
    },

    /** Ends the gateway by a signal and starts it again on the same data; answers how the old one ended. */
    async restart(signal: NodeJS.Signals = "SIGTERM"): Promise<ProcessExit> {
      gateway.kill(signal);
      const exit = await gateway.exited;
      gateway = await start();
      return exit;
    },

    async close(): Promise<void> {
      await gateway.stop();
      await simulator.stop();
      if (databaseUrl) await dropDatabase(databaseUrl, postgresUrl);
      if (options.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Rows of any database of a gateway. */
export async function queryRows<Row>({ dataDir, databaseUrl }: StorageConfig, statement: string): Promise<Row[]> {
  if (databaseUrl) {
    const json = await runSql(databaseUrl, `select coalesce(json_agg(found), '[]') from (${statement}) as found`);
    return JSON.parse(json) as Row[];
  }
  const file = new DatabaseSync(sqliteFile(dataDir), { readOnly: true });
  try {
    return file.prepare(statement).all() as Row[];
  } finally {
    file.close();
  }
}

export async function replyOf(response: Response): Promise<TestReply> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = undefined;
  }
  return { status: response.status, headers: response.headers, text, body };
}

/** Reads a finished event stream the way the standard says: a reader of its own, not the gateway's. */
export function readEvents(raw: string): Pick<TestStreamReply, "raw" | "events" | "text" | "errors"> {
  const events: string[] = [];
  let data: string[] = [];
  for (const line of raw.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (data.length > 0) events.push(data.join("\n"));
      data = [];
    } else if (line.startsWith("data:")) data.push(line.slice(line.startsWith("data: ") ? 6 : 5));
  }
  const parsed = events.filter((event) => event.startsWith("{")).map((event) => JSON.parse(event));
  const text = parsed.map((chunk) => chunk.choices?.[0]?.delta?.content ?? "").join("");
  return { raw, events, text, errors: parsed.flatMap((chunk) => (chunk.error ? [chunk.error] : [])) };
}

/** Before the gateway's first start: root exists and can spend exactly this much. */
async function setRootBalance(
  balance: number,
  config: { dataDir: string; databaseUrl: string | undefined },
): Promise<void> {
  const fail = (error: Error) => {
    throw error;
  };
  const db = await openDatabase(config, { onTrouble: fail, onDeath: fail });
  try {
    await ensureRoot(db, userStore(db), { initialPassword: rootPassword, now: Date.now() });
    const taken = { verb: "grant", id: db.mintId(), walletId: 1, amount: balance - rootQuota, at: Date.now() } as const;
    const answer = await db.money(taken);
    if (answer !== "granted") throw new Error(answer);
  } finally {
    await db.close();
  }
}
