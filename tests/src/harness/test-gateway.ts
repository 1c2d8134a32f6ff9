/**
 * A gateway, the simulator and a database, each a process of its own, with a root session,
 * channels, tokens and users; a browser where a test asks for one. Its books are read from the
 * database, because what the gateway reports about them is under test.
 */
import type { TraceRecord } from "@tollgate/contract/figures/traces.ts";
import type { FrozenPrice } from "@tollgate/gateway/money/prices/price.ts";
import type { LogRow } from "@tollgate/gateway/storage/tables/call-tables.ts";
import type { BrowserContext, BrowserContextOptions } from "playwright-core";
import {
  type ApiSession,
  readReply,
  sendTo,
  signInSession,
  type TestReply,
} from "./api-session.ts";
import { type ProcessExit, startProgram } from "./child-process.ts";
import { sharedBrowser } from "./chromium.ts";
import { rootPassword } from "./database-templates.ts";
import { eventually, type PollOptions } from "./eventually.ts";
import { createGatewayDatabase, type DatabaseKind, setRootBalance } from "./gateway-database.ts";
import { type GatewayProcess, startGatewayProcess } from "./gateway-process.ts";
import { gatewayProgram } from "./gateway-program.ts";
import { borrowSimulator } from "./shared-simulators.ts";
import { createShiftableClock } from "./shiftable-clock.ts";

/**
 * `model` is what a call of the default question costs: 6 prompt tokens at 1 unit and 12 answer
 * tokens at 4 units.
 */
export const model = "sim-model";
export const question = "one two, nine";
export const defaultCharge = 6 + 12 * 4;
/**
 * The estimate of the prompt for its hold, 4 for the message and 13 bytes at 0.25, and its count by
 * the tokenizer, used where the provider reports no usage: equal, so that a prompt counted twice or
 * not at all shows in any sum.
 */
export const promptEstimate = 8;
/**
 * The hold of the default question with `max_tokens: 12`: the estimate plus half, and the longest
 * answer.
 */
export const defaultHold = promptEstimate * 1.5 + 12 * 4;

export const userPassword = "a password of their own";

export interface TestGatewayOptions {
  store?: DatabaseKind;
  /** `balance` is what root may spend; without it, practically everything. */
  balance?: number;
  env?: Record<string, string>;
  /** Further upstreams that the gateway may call. */
  upstreams?: readonly string[];
  /** An existing data folder, which stays; without one a folder is made, and removed on close. */
  dataDir?: string;
  /** A PostgreSQL server other than that of the run. */
  postgresUrl?: string;
  /** `openFiles` says how many descriptors the gateway may have open. */
  openFiles?: number;
  /** The first start makes up root's password and prints it, as for a new installation. */
  printsRootPassword?: boolean;
  /** The gateway's wall clock can be shifted. */
  hasShiftableClock?: boolean;
}

export type TestGateway = Awaited<ReturnType<typeof startTestGateway>>;

export interface TestStreamReply {
  status: number;
  headers: Headers;
  /** Every byte as it came. */
  raw: string;
  /** The `data` of each event. */
  events: string[];
  /** The text of the answer, joined. */
  text: string;
  /** The error objects among the events. */
  errors: { message: string; type: string; code: unknown }[];
}

export interface LedgerTotals {
  balance: number;
  held: number;
  /** The sum of all charges in the ledger. */
  charged: number;
  /** `debt` is what all wallets owe. */
  debt: number;
  shortfall: number;
  reservations: number;
  rows: number;
  succeeded: number;
}

/** A user who signed in through the API. */
export interface TestUser extends ApiSession {
  id: number;
  uuid: string;
  username: string;
  token(fields?: TestRequestBody): Promise<{ id: number; key: string }>;
}

type TestRequestBody = Record<string, unknown>;

export const chatBody = (body: TestRequestBody = {}): TestRequestBody => ({
  model,
  messages: [{ role: "user", content: question }],
  ...body,
});

/** Defaults of every browser context. Motion would blur measurements and screenshots. */
const defaultContext: BrowserContextOptions = {
  viewport: { width: 1440, height: 900 },
  locale: "en-US",
  timezoneId: "Europe/Berlin",
  colorScheme: "light",
  reducedMotion: "reduce",
};

export async function startTestGateway(options: TestGatewayOptions = {}) {
  const { store = "sqlite", balance, upstreams = [], openFiles } = options;
  const hasRoot = !options.printsRootPassword && options.env?.INITIAL_ROOT_PASSWORD === undefined;
  const database = await createGatewayDatabase({ ...options, store, hasRoot });
  const { dataDir, databaseUrl, rows } = database;
  if (balance !== undefined) await setRootBalance(balance, database);
  const clock = options.hasShiftableClock ? createShiftableClock() : undefined;
  const env = { ...clock?.env, ...options.env };
  const simulator = await borrowSimulator();
  const start = (more: Record<string, string> = {}) =>
    startGatewayProcess({
      dataDir,
      ...(databaseUrl && { databaseUrl }),
      ...(openFiles && { openFiles }),
      upstreams: [simulator.url, ...upstreams],
      // A clock that a test sets back lies behind what was logged before.
      ...(clock && { args: ["--accept-future-ids"] }),
      env: {
        ...(options.printsRootPassword ? {} : { INITIAL_ROOT_PASSWORD: rootPassword }),
        ...env,
        ...more,
      },
    });
  let gateway: GatewayProcess = await start().catch(async (cause: unknown) => {
    await simulator.stop();
    clock?.close();
    await database.close();
    throw cause;
  });
  const sendToGateway = sendTo(() => gateway.url);
  const signIn = (username: string, password = userPassword) =>
    signInSession(sendToGateway, username, password);
  let rootSession: Promise<ApiSession> | undefined;
  const root = (): Promise<ApiSession> => {
    rootSession ??= signIn("root", env.INITIAL_ROOT_PASSWORD ?? rootPassword);
    return rootSession;
  };
  /** As root: the data of a reply; a refusal throws. */
  const api = async <Data>(method: string, path: string, body?: unknown): Promise<Data> =>
    await (await root()).data<Data>(method, path, body);

  async function books(): Promise<LedgerTotals> {
    const [found] = await rows<LedgerTotals>(
      `select (select sum(cast(balance as double precision)) from wallets) as balance, (select sum(held) from wallets) as held,
         (select coalesce(sum(amount), 0) from ledger where credit = 'revenue') as charged,
         (select sum(debt) from wallets) as debt,
         (select coalesce(sum(amount), 0) from ledger where kind = 'shortfall') as shortfall,
         (select count(*) from reservations) as reservations,
         (select count(*) from logs where type = 2) as rows,
         (select count(*) from logs where type = 2 and outcome = 'success') as succeeded`,
    );
    if (!found) throw new Error("there are no books");
    return found;
  }

  /** Waits until every call that was admitted has ended, and answers the books. */
  const settled = (poll: PollOptions = {}): Promise<LedgerTotals> =>
    eventually(async () => {
      const found = await books();
      if (found.reservations > 0) throw new Error(`${found.reservations} reservations are open`);
      return found;
    }, poll);

  const logs = () =>
    rows<LogRow>("select * from logs where type = 2 order by id").then((found) =>
      found.map(({ price, ...row }) => ({
        ...row,
        price: price ? (JSON.parse(price) as FrozenPrice) : null,
      })),
    );

  const send = (
    key: string,
    body: TestRequestBody | string,
    init: { signal?: AbortSignal; headers?: Record<string, string> } = {},
  ) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${key}`,
        "content-type": "application/json",
        ...init.headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
      ...(init.signal && { signal: init.signal }),
    });

  let counter = 0;
  const newToken = (session: Pick<ApiSession, "data">, fields: TestRequestBody) => {
    counter += 1;
    const defaults = {
      name: `token ${counter}`,
      remain_quota: 0,
      unlimited_quota: true,
      expired_time: -1,
    };
    return session.data<{ id: number; key: string }>("POST", "/api/token/", {
      ...defaults,
      ...fields,
    });
  };
  const contexts: BrowserContext[] = [];

  return {
    store,
    dataDir,
    databaseUrl,
    simulator,
    /** The running process; another one after a restart. */
    get process() {
      return gateway;
    },
    get url() {
      return gateway.url;
    },
    root,
    signIn,
    api,
    rows,
    books,
    logs,
    send,
    /** The gateway's time. */
    now: () => clock?.now() ?? Date.now(),
    async shiftClock(ms: number): Promise<void> {
      if (!clock) throw new Error("start the gateway with hasShiftableClock");
      await clock.shift(ms);
    },

    given: {
      /**
       * A channel to the simulator. Every model on it costs 1 unit a prompt token and 4 an answer
       * token.
       */
      async channel(
        fields: { key: string; models?: string } & TestRequestBody,
      ): Promise<{ id: number; name: string }> {
        counter += 1;
        const models = fields.models ?? model;
        const mapped = Object.values(
          typeof fields.model_mapping === "string"
            ? (JSON.parse(fields.model_mapping) as TestRequestBody)
            : {},
        ).map(String);
        const configs = [...models.split(","), ...mapped].map((name) => [
          name,
          { ratio: 1, completion_ratio: 4 },
        ]);
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
        if (!created) throw new Error("no channel was created");
        return created;
      },

      /** Of root, without a limit. */
      token: async (fields: TestRequestBody = {}) => newToken(await root(), fields),

      /** A user without quota, created by root and signed in. */
      async user(
        username: string,
        fields: { quota?: number; group?: string; password?: string } = {},
      ): Promise<TestUser> {
        const account = { username, password: userPassword, quota: 0, ...fields };
        const { id, uuid } = await api<{ id: number; uuid: string }>("POST", "/api/user/", account);
        const session = await signIn(username, account.password);
        return Object.assign(session, {
          id,
          uuid,
          username,
          token: (more: TestRequestBody = {}) => newToken(session, more),
        });
      },
    },

    /** A browser context of its own: no cookies, nothing stored. */
    async newContext(more: BrowserContextOptions = {}): Promise<BrowserContext> {
      const browser = await sharedBrowser();
      const context = await browser.newContext({
        ...defaultContext,
        baseURL: gateway.url,
        ...more,
      });
      contexts.push(context);
      return context;
    },

    async chat(key: string, body: TestRequestBody = {}): Promise<TestReply> {
      return await readReply(await send(key, chatBody(body)));
    },

    async stream(key: string, body: TestRequestBody = {}): Promise<TestStreamReply> {
      const response = await send(key, chatBody({ ...body, stream: true }));
      return {
        status: response.status,
        headers: response.headers,
        ...readEvents(await response.text()),
      };
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

    /**
     * `audit` gives what `tollgate audit` finds. SQLite belongs to one process, so the gateway is
     * stopped for it.
     */
    async audit(...args: string[]): Promise<string> {
      if (store === "sqlite") await gateway.stop();
      const { INITIAL_ROOT_PASSWORD: _, ...auditEnv } = options.env ?? {};
      const node = gatewayProgram();
      const program = startProgram({
        file: process.execPath,
        args: [...node.args, "audit", ...args],
        env: {
          ...node.env,
          PATH: process.env.PATH,
          HOME: process.env.HOME,
          DATA_DIR: dataDir,
          ...(databaseUrl && { DATABASE_URL: databaseUrl }),
          ...auditEnv,
        },
      });
      const { code } = await program.exited;
      const output = program
        .output()
        .trim()
        .replace(/^Database: .*\n/, "");
      return code === 0 ? output : `exit code ${code}: ${output}`;
    },

    /**
     * Ends the gateway by a signal and starts it again on the same data, with further variables;
     * answers how the old one ended.
     */
    async restart(
      signal: NodeJS.Signals = "SIGTERM",
      more: Record<string, string> = {},
    ): Promise<ProcessExit> {
      gateway.kill(signal);
      const exit = await gateway.exited;
      gateway = await start(more);
      return exit;
    },

    /** Answers how the gateway ended. */
    async close(): Promise<ProcessExit> {
      await Promise.all(contexts.map((context) => context.close()));
      const exit = await gateway.stop();
      await simulator.stop();
      clock?.close();
      await database.close();
      return exit;
    },
  };
}

/** The first start prints the password right after the address. */
export function printedPassword(
  gateway: Pick<GatewayProcess, "rootPassword" | "output">,
): Promise<string> {
  return eventually(() => {
    if (gateway.rootPassword === "")
      throw new Error(`no root password was printed:\n${gateway.output()}`);
    return gateway.rootPassword;
  });
}

/** Reads a finished event stream by the standard, independently of the gateway's own reader. */
export function readEvents(
  raw: string,
): Pick<TestStreamReply, "raw" | "events" | "text" | "errors"> {
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
  return {
    raw,
    events,
    text,
    errors: parsed.flatMap((chunk) => (chunk.error ? [chunk.error] : [])),
  };
}
