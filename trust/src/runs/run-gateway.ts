// A gateway for the large runs: its clock can be shifted, and the management API is called with
// access tokens, which do not expire when the clock moves.
import { idempotencyHeader } from "@tollgate/contract/api/envelope.ts";
import { type AuditMismatch, auditStatement } from "@tollgate/gateway/money/audit/audit.ts";
import { createApiSession, sendTo, type TestReply } from "@tollgate/tests/harness/api-session.ts";
import type { DatabaseKind } from "@tollgate/tests/harness/gateway-database.ts";
import { chatBody, startTestGateway } from "@tollgate/tests/harness/test-gateway.ts";

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

const ampleBudget = 1_000_000_000_000;

export async function startRunGateway({ postgresUrl, env = {}, ...options }: RunGatewayOptions) {
  const world = await startTestGateway({
    ...options,
    ...(postgresUrl && { postgresUrl }),
    hasShiftableClock: true,
    env: { SHUTDOWN_GRACE_SECONDS: "5", ...env },
  });
  const { store, rows } = world;
  const session = (access: string) =>
    createApiSession(sendTo(world.url), { authorization: access });
  const ask = (access: string, method: string, path: string, body?: unknown): Promise<TestReply> =>
    session(access).request(method, path, body);
  /** Like `ask`, but throws unless the call succeeds; returns the reply's data. */
  const api = <Data>(access: string, method: string, path: string, body?: unknown): Promise<Data> =>
    session(access).data<Data>(method, path, body);
  const rootAccess = await world.api<string>("POST", "/api/user/token", {});
  let counter = 0;

  return {
    store,
    world,
    rows,
    ask,
    rootAccess,
    root: <Data>(method: string, path: string, body?: unknown) =>
      api<Data>(rootAccess, method, path, body),

    api,

    /** Sends an idempotent request: a repetition with the same key gets the same reply. */
    askOnce: (access: string, path: string, body: unknown, key: string) =>
      session(access).request("POST", path, body, { [idempotencyHeader]: key }),

    now: world.now,

    /**
     * Moves every clock of the gateway but the monotonic one forward, or back for a negative
     * number.
     */
    moveClock: world.shiftClock,

    /** Creates a user without quota and signs in once for the access token. */
    async addMember(fields: { group?: string } = {}): Promise<RunMember> {
      counter += 1;
      const { id, uuid, username, data } = await world.given.user(`member-${counter}`, fields);
      const access = await data<string>("POST", "/api/user/token", {});
      const [row] = await rows<{ wallet_id: number }>(
        `select wallet_id from users where id = ${id}`,
      );
      return { id, uuid, username, walletId: row?.wallet_id ?? 0, access };
    },

    /** Disabling an account ends its access token for good. */
    async newAccess(username: string): Promise<string> {
      const { data } = await world.signIn(username);
      return await data<string>("POST", "/api/user/token", {});
    },

    addToken(access: string, fields: RunRequestBody = {}): Promise<{ id: number; key: string }> {
      counter += 1;
      const defaults = {
        name: `token ${counter}`,
        remain_quota: 0,
        unlimited_quota: true,
        expired_time: -1,
      };
      return api(access, "POST", "/api/token/", { ...defaults, ...fields });
    },

    /**
     * A hard budget that no run uses up: calls of the user or token are held on it, in pools as
     * well.
     */
    addBudget: (
      subject: "user" | "token",
      subject_id: number,
      window: "lifetime" | "day",
    ): Promise<{ id: number }> =>
      api(rootAccess, "POST", "/api/budget/", {
        ...{
          subject,
          subject_id,
          name: `of ${subject} ${subject_id}`,
          window,
          amount: ampleBudget,
        },
      }),

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
      await world.close();
    },
  };
}
