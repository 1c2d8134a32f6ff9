// A gateway for the large runs: its clock can be moved, one lasting connection reads its database, and the management
// API is called with access tokens, which do not expire when the clock moves.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { consoleHeader, idempotencyHeader } from "@tollgate/contract/envelope.ts";
import { type AuditMismatch, auditStatement } from "@tollgate/gateway/money/audit.ts";
import { readReply, type TestReply } from "../../harness/api-session.ts";
import type { DatabaseKind } from "../../harness/gateway-database.ts";
import { repositoryDir } from "../../harness/repository-dir.ts";
import { chatBody, startTestGateway } from "../../harness/test-gateway.ts";
import { type DatabaseReader, openDatabaseReader } from "../../support/test-databases.ts";
import { cookieOf, signIn, userPassword } from "../signed-in-user.ts";

export interface RunGatewayOptions {
  store: DatabaseKind;
  /** Another PostgreSQL server than the one of the test run. */
  postgresUrl?: string | undefined;
  env?: Record<string, string>;
  /** Addresses that the gateway may call besides the simulator. */
  upstreams?: readonly string[];
}

export interface RunMember {
  id: number;
  uuid: string;
  username: string;
  walletId: number;
  /** The personal access token. */
  access: string;
}

export type RunGateway = Awaited<ReturnType<typeof startRunGateway>>;

type RunRequestBody = Record<string, unknown>;

/** The gateway reads the moved clock again after this time. */
const clockReadMs = 25;

export async function startRunGateway({ store, postgresUrl, env = {}, upstreams = [] }: RunGatewayOptions) {
  const clockFolder = mkdtempSync(join(tmpdir(), "tollgate-clock-"));
  const clockFile = join(clockFolder, "offset");
  let offsetMs = 0;
  writeFileSync(clockFile, "0");
  const world = await startTestGateway({
    store,
    upstreams,
    ...(postgresUrl && { postgresUrl }),
    env: {
      NODE_OPTIONS: `--import=${join(repositoryDir, "tests/src/harness/moved-clock.ts")}`,
      MOVED_CLOCK: clockFile,
      SHUTDOWN_GRACE_SECONDS: "5",
      ...env,
    },
  });
  let reader: DatabaseReader | undefined;
  const rows = async <Row>(statement: string): Promise<Row[]> => {
    reader ??= await openDatabaseReader({ dataDir: world.dataDir, databaseUrl: world.databaseUrl });
    return await reader.rows<Row>(statement);
  };

  async function ask(
    access: string,
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<TestReply> {
    const response = await fetch(world.url + path, {
      method,
      headers: { "content-type": "application/json", authorization: access, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return await readReply(response);
  }

  /** Like `ask`, but throws unless the call succeeds; returns the reply's data. */
  async function api<Data>(access: string, method: string, path: string, body?: unknown): Promise<Data> {
    const reply = await ask(access, method, path, body);
    if (reply.body?.success !== true) throw new Error(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body.data as Data;
  }

  const rootAccess = await world.api<string>("POST", "/api/user/token", {});
  let made = 0;

  return {
    store,
    world,
    rows,
    ask,
    rootAccess,
    root: <Data>(method: string, path: string, body?: unknown) => api<Data>(rootAccess, method, path, body),

    api,

    /** Sends an idempotent request: a repetition with the same key gets the same reply. */
    askOnce: (access: string, path: string, body: unknown, key: string) =>
      ask(access, "POST", path, body, { [idempotencyHeader]: key }),

    now: () => Date.now() + offsetMs,

    /** Moves every clock of the gateway but the monotonic one forward, or back for a negative number. */
    async moveClock(ms: number): Promise<void> {
      offsetMs += ms;
      writeFileSync(clockFile, String(offsetMs));
      await pause(clockReadMs);
    },

    /** Creates a user without quota and signs in once for the access token. */
    async addMember(fields: RunRequestBody = {}): Promise<RunMember> {
      made += 1;
      const username = `member-${made}`;
      const created = await api<{ id: number; uuid: string }>(rootAccess, "POST", "/api/user/", {
        username,
        password: userPassword,
        quota: 0,
        ...fields,
      });
      const signedIn = await signIn(world.url, username);
      const reply = await fetch(`${world.url}/api/user/token`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          [consoleHeader.name]: consoleHeader.value,
          cookie: cookieOf(signedIn),
        },
        body: "{}",
      }).then(readReply);
      if (reply.body?.success !== true) throw new Error(`${username} has no access token: ${reply.text}`);
      const [row] = await rows<{ wallet_id: number }>(`select wallet_id from users where id = ${created.id}`);
      const { id, uuid } = created;
      return { id, uuid, username, walletId: row?.wallet_id ?? 0, access: reply.body.data as string };
    },

    addToken(access: string, fields: RunRequestBody = {}): Promise<{ id: number; key: string }> {
      made += 1;
      const defaults = { name: `token ${made}`, remain_quota: 0, unlimited_quota: true, expired_time: -1 };
      return api(access, "POST", "/api/token/", { ...defaults, ...fields });
    },

    /** Calls chat completions; `signal` disconnects the client. */
    call: (key: string, body: RunRequestBody, signal?: AbortSignal): Promise<Response> =>
      world.send(key, chatBody(body), signal ? { signal } : {}),

    /** The findings of `tollgate audit`, while the gateway runs. */
    audit: () => rows<AuditMismatch>(auditStatement(store)),

    /** Ends the gateway at once with SIGKILL. */
    async kill(): Promise<void> {
      world.process.kill("SIGKILL");
      await world.process.exited;
    },

    /** Starts the gateway again after `kill`; returns the milliseconds until it was ready. */
    async boot(): Promise<number> {
      const startedAt = performance.now();
      await world.restart();
      return performance.now() - startedAt;
    },

    async close(): Promise<void> {
      await reader?.close();
      await world.close();
      rmSync(clockFolder, { recursive: true, force: true });
    },
  };
}
