/** The management API in this process, on a real listener and a real database. */

import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type HttpBindings, serve } from "@hono/node-server";
import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { createCaptchaVerifier } from "@tollgate/gateway/accounts/identity/captcha/verify-captcha.ts";
import { createExternalIdentityFetcher } from "@tollgate/gateway/accounts/identity/external/fetch-identity.ts";
import { createOidcClient } from "@tollgate/gateway/accounts/identity/oidc/oidc-client.ts";
import { loadOidcProviders } from "@tollgate/gateway/accounts/identity/oidc/oidc-provider-store.ts";
import { hashSecret } from "@tollgate/gateway/accounts/identity/sessions/session-cookie.ts";
import { hashPassword } from "@tollgate/gateway/accounts/identity/users/passwords.ts";
import { ensureRoot } from "@tollgate/gateway/accounts/identity/users/root-account.ts";
import { createUserStore } from "@tollgate/gateway/accounts/identity/users/user-store.ts";
import { buildAutomaticStatus } from "@tollgate/gateway/catalogue/channels/automatic-status.ts";
import { createChannelKeyStore } from "@tollgate/gateway/catalogue/channels/channel-key-store.ts";
import {
  type ChannelRow,
  createChannelStore,
} from "@tollgate/gateway/catalogue/channels/channel-store.ts";
import type { ChannelRuntime } from "@tollgate/gateway/catalogue/channels/channel-view.ts";
import type { BalanceResult } from "@tollgate/gateway/catalogue/channels/fetch-balance.ts";
import type { ChannelTestReport } from "@tollgate/gateway/catalogue/channels/test-channel.ts";
import type { McpServerAnswer } from "@tollgate/gateway/catalogue/mcp-servers/mcp-server-rules.ts";
import type { ListChannelModels } from "@tollgate/gateway/catalogue/models/channel-model-lists.ts";
import { createEgress } from "@tollgate/gateway/egress/egress.ts";
import { createFetchCostReport } from "@tollgate/gateway/figures/cost-reports/fetch-cost-report.ts";
import type { TrustedHeader } from "@tollgate/gateway/http/trusted-header.ts";
import { createMemoryCounters } from "@tollgate/gateway/limits/counters.ts";
import { readPriceLists } from "@tollgate/gateway/money/prices/price-lists.ts";
import type { AlertJobs } from "@tollgate/gateway/notices/alerts/alert-jobs.ts";
import type { BackupState } from "@tollgate/gateway/notices/alerts/backup-causes.ts";
import { formatNoticeText } from "@tollgate/gateway/notices/mail/mail-messages.ts";
import { mailServer } from "@tollgate/gateway/notices/mail/mail-server.ts";
import { createMailer } from "@tollgate/gateway/notices/mail/mailer.ts";
import { createSealer } from "@tollgate/gateway/secrets/seal.ts";
import { loadOptions } from "@tollgate/gateway/settings/live-options.ts";
import { openManagementApi } from "@tollgate/gateway/start/open-management-api.ts";
import { StorageUnavailable } from "@tollgate/gateway/storage/database.ts";
import type { DiskSpace } from "@tollgate/gateway/storage/disk-space.ts";
import { readUuid7 } from "@tollgate/gateway/storage/time-ids.ts";
import {
  createGatewayMetrics,
  defaultSeriesMax,
} from "@tollgate/gateway/telemetry/gateway-metrics.ts";
import type { testDatabases } from "../support/test-databases.ts";

export const password = "correct horse";

export interface TestApiReply {
  status: number;
  headers: Headers;
  body: {
    success: boolean;
    message: string;
    code?: string;
    fields?: Record<string, string>;
    // biome-ignore lint/suspicious/noExplicitAny: tests read replies of every structure
    data: any;
    total?: number;
    [extra: string]: unknown;
  };
}

export interface TestApiRequest {
  body?: unknown;
  /** Sent as it is instead of `body`. */
  text?: string;
  headers?: Record<string, string>;
}

export type TestApiClient = (
  method: string,
  path: string,
  ask?: TestApiRequest,
) => Promise<TestApiReply>;
/** Replies of the providers, which only this gateway stubs. */
interface StubbedProviderReplies {
  answer: ChannelTestReport;
  /** Instead, where channels differ, or where a test waits. */
  answerOf?: (
    channel: ChannelRow,
  ) => ChannelTestReport | undefined | Promise<ChannelTestReport | undefined>;
  balance: BalanceResult;
  disk: DiskSpace | undefined;
  backups: BackupState | undefined;
  idsAheadMs: number;
  isReadOnly: boolean;
  mcpTools: McpServerAnswer;
  /** `listOf` is what the provider of a channel says of its models. */
  listOf?: ListChannelModels;
  /** Objects by their names. */
  bodies: Map<string, Buffer>;
}

export type ManagementGateway = Awaited<ReturnType<typeof startManagementGateway>>;

/** No server listens here: for tests without sign-in by an external account. */
const unreachableUrl = "http://127.0.0.1:1";
/** Long enough for a machine that is busy, short enough to wait for. */
const providerDeadlineMs = 3_000;

async function replyOf(response: Response): Promise<TestApiReply> {
  const content = await response.text();
  // What streams has no envelope.
  const isJson = response.headers.get("content-type")?.startsWith("application/json");
  const body: TestApiReply["body"] = isJson
    ? JSON.parse(content)
    : { success: true, message: "", data: content };
  return { status: response.status, headers: response.headers, body };
}

/** Asks a node without a socket, from any network address. */
const clientOf =
  (
    node: Pick<ReturnType<typeof openManagementApi>, "fetch">,
    remoteAddress: string,
  ): TestApiClient =>
  async (method, path, { body, headers } = {}) => {
    const request = new Request(`http://node${path}`, {
      method,
      headers: { "content-type": "application/json", ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const connection = { incoming: { socket: { remoteAddress } } } as Partial<HttpBindings>;
    return replyOf(await node.fetch(request, connection));
  };

export async function startManagementGateway(
  database: (typeof testDatabases)[number],
  start = Date.UTC(2026, 10, 20, 12),
  providerUrl = unreachableUrl,
  publicUrl?: string,
  trustedHeader?: TrustedHeader,
) {
  const storage = await database.open();
  const { db } = storage;
  const clock = { now: start };
  const problems: unknown[] = [];
  const events: Record<string, unknown>[] = [];
  const options = await loadOptions(db);
  const root = await ensureRoot(db, createUserStore(db), {
    initialPassword: password,
    now: clock.now,
  });
  const hash = await hashPassword(password, "");
  const tests: StubbedProviderReplies = {
    answer: { ok: true, message: "2", elapsedMs: 1234, modelName: "small" },
    balance: { micros: 12_500_000 },
    disk: undefined,
    backups: undefined,
    idsAheadMs: 0,
    isReadOnly: false,
    mcpTools: { issue: "status 500" },
    bodies: new Map(),
  };
  /** The relay's memory of its calls, as tests set it. */
  const breakers: ReturnType<ChannelRuntime["breakers"]>[number][] = [];
  const keyCooldowns: ReturnType<ChannelRuntime["keyCooldowns"]>[number][] = [];
  const toldLimits: ReturnType<ChannelRuntime["toldLimits"]>[number][] = [];
  const notices: string[] = [];
  const silences: unknown[] = [];
  const seal = createSealer(randomBytes(32));
  const now = () => clock.now;
  const testChannel = async (channel: ChannelRow) =>
    (await tests.answerOf?.(channel)) ?? tests.answer;
  const channels = createChannelStore(db);
  const keys = createChannelKeyStore(db);
  const automatic = buildAutomaticStatus({
    db,
    channels,
    keys,
    options,
    now,
    notify: (notice) => notices.push(formatNoticeText(notice)),
  });
  const onError = (error: unknown) => problems.push(error);
  const log = {
    info: (fields: Record<string, unknown>) => events.push(fields),
    error: (fields: Record<string, unknown>) => problems.push(fields.err),
  };
  const mailer = createMailer(() => mailServer(undefined, options, seal), log);
  const urls = {
    github: providerUrl,
    githubApi: `${providerUrl}/api/v3`,
    lark: providerUrl,
    discord: `${providerUrl}/discord`,
    linuxdo: `${providerUrl}/linuxdo`,
    telegram: `${providerUrl}/telegram`,
  };
  const privateHosts = new Set([new URL(providerUrl).host]);
  const egress = createEgress(privateHosts, { privateHostsVariable: "IDENTITY_PRIVATE_HOSTS" });
  const noticeHosts = new Set<string>();
  const noticeEgress = createEgress(noticeHosts, { privateHostsVariable: "NOTICE_PRIVATE_HOSTS" });
  const priceListHosts = new Set<string>();
  const priceListEgress = createEgress(priceListHosts, {
    privateHostsVariable: "PRICE_LIST_PRIVATE_HOSTS",
  });
  const askProvider = createExternalIdentityFetcher({
    egress,
    urls,
    deadlineMs: providerDeadlineMs,
    onError: (error) => silences.push(error),
  });
  /**
   * `oidcClock` says how far the client of OpenID Connect providers is ahead: its library reads the
   * system's clock.
   */
  const oidcClock = { aheadMs: 0 };
  const dataDir = mkdtempSync(join(tmpdir(), "tollgate-management-"));
  const metrics = createGatewayMetrics();
  const deps = {
    db,
    metrics,
    telemetry: {
      served: {
        ...{ publicUrl: undefined, localUrl: new URL("http://127.0.0.1:3000"), sharesPort: false },
        ...{ hasToken: () => false, listener: undefined },
      },
      metrics,
      seriesMax: defaultSeriesMax,
      traces: undefined,
    },
    options,
    seal,
    mailer,
    noticeEgress,
    priceListEgress,
    counters: createMemoryCounters(now),
    clock: now,
    automatic,
    channelHealth: {
      breakers: () => breakers,
      usageMarks: () => [],
      keyCooldowns: () => keyCooldowns,
      toldLimits: () => toldLimits,
      addressIssue: egress.violation,
    },
    testChannel,
    failedTries: () => [],
    checkCall: async () => undefined,
    listChannelModels: async (channel: ChannelRow) => await tests.listOf?.(channel),
    guardAddressIssue: egress.violation,
    mcp: { listTools: async () => tests.mcpTools, addressIssue: egress.violation },
    probe: {
      listModels: async () => undefined,
      ask: async () => ({ ok: true, message: "2", elapsedMs: 9 }),
    },
    askBalance: async () => tests.balance,
    fetchCostReport: createFetchCostReport(egress),
    providers: { urls, fetchIdentity: askProvider },
    priceLists: readPriceLists(),
    oidcProviders: await loadOidcProviders(db),
    oidcClient: createOidcClient({
      egress,
      privateHosts,
      deadlineMs: providerDeadlineMs,
      now: () => Date.now() + oidcClock.aheadMs,
    }),
    onOidcFailure: (_: string, reason: string) => silences.push(reason),
    publicUrl,
    dataDir,
    importPrivateHosts: new Set<string>(),
    upstreamPrivateHosts: new Set<string>(),
    proxyPrivateHosts: new Set<string>(),
    bodyObjects: {
      put: async (name: string, bytes: Buffer) => void tests.bodies.set(name, bytes),
      get: async (name: string) => tests.bodies.get(name),
      remove: async (name: string) => void tests.bodies.delete(name),
      close: async () => undefined,
    },
    diskSpace: async () => tests.disk,
    backups: async () => tests.backups,
    idsAheadMs: () => tests.idsAheadMs,
    hasSmtpUrl: () => false,
    isReadOnly: () => tests.isReadOnly,
    rateLimit: () => 0,
    trustedProxies: [],
    trustedHeader,
    workKey: randomBytes(32),
    agentKey: randomBytes(32),
    verifyCaptcha: createCaptchaVerifier({
      egress,
      urls: { turnstile: providerUrl, hcaptcha: providerUrl },
      deadlineMs: providerDeadlineMs,
    }),
    onCaptchaFailure: (_: string, reason: string) => silences.push(reason),
    version: "1.0.0",
    build: { commit: "0123456789ab", schema: 7 },
    log,
    onError,
  };
  const app = openManagementApi(deps);
  // Client and server share one event loop: where that is busy, both would find out too late that a
  // connection was idle.
  const serverOptions = { keepAliveTimeout: 300_000 };
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1", serverOptions });
  await new Promise<void>((resolve) => server.once("listening", () => resolve()));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const ask = async (
    method: string,
    path: string,
    { body, text, headers = {} }: TestApiRequest = {},
  ): Promise<TestApiReply> => {
    const sent = text ?? (body === undefined ? null : JSON.stringify(body));
    const response = await fetch(url + path, {
      method,
      redirect: "manual",
      headers: { ...(sent !== null && { "content-type": "application/json" }), ...headers },
      body: sent,
    });
    return replyOf(response);
  };

  const withCookie =
    (cookie: string): TestApiClient =>
    (method, path, { headers, ...rest } = {}) =>
      ask(method, path, {
        ...rest,
        headers: { cookie, [consoleHeader.name]: consoleHeader.value, ...headers },
      });

  const cookieOf = (reply: TestApiReply) =>
    (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";

  return {
    url,
    db,
    clock,
    tests,
    breakers,
    keyCooldowns,
    toldLimits,
    automatic,
    channelJobs: app.channelJobs,
    costReports: app.costReports,
    alerts: app.alerts,
    metrics: deps.metrics,
    /** Private receivers of notices that may be called. */
    noticeHosts,
    /** Private identity providers that may be called. */
    identityHosts: privateHosts,
    /** Private servers of price lists that may be called. */
    priceListHosts,
    priceOffers: app.priceOffers,
    askModelEnds: app.askModelEnds,
    /** Texts of the notices to root. */
    notices,
    /** Failed requests to a sign-in provider. */
    silences,
    oidcClock,
    /** Errors inside the gateway; empty where a test expects no bug. */
    problems,
    /** One for each call, the newest last. */
    events,
    root,
    mailer,
    seal,
    options,
    /** Another node on the same database, with a memory of its own. */
    anotherNode(): (method: string, path: string, body: unknown) => Promise<TestApiReply["body"]> {
      const node = openManagementApi({ ...deps, counters: createMemoryCounters(now) });
      return async (method, path, body) => {
        const headers = { "content-type": "application/json" };
        const request = new Request(`http://node${path}`, {
          method,
          headers,
          body: JSON.stringify(body),
        });
        return (await (await node.fetch(request)).json()) as TestApiReply["body"];
      };
    },
    /** A node that dies before a write: everything that it would do from then on fails. */
    dyingNode(
      writes: number,
      remoteAddress = "127.0.0.1",
    ): { ask: TestApiClient; alerts: AlertJobs; isDead(): boolean } {
      let left = writes;
      const dead = () => new Error("the process is gone");
      const write: typeof db.write = async (...args) => {
        if (left <= 0) left = -1;
        if (left < 0) throw dead();
        left -= 1;
        return await db.write(...args);
      };
      const ignored = {
        log: { info: () => undefined, error: () => undefined },
        onError: () => undefined,
      };
      const node = openManagementApi({ ...deps, ...ignored, db: { ...db, write } });
      return { ask: clientOf(node, remoteAddress), alerts: node.alerts, isDead: () => left < 0 };
    },
    /** Alerts of another node, whose database takes nothing while it refuses. */
    failingAlerts(): { alerts: AlertJobs; state: { isRefusing: boolean } } {
      const state = { isRefusing: false };
      const write: typeof db.write = async (...args) => {
        if (state.isRefusing) throw new StorageUnavailable("disk I/O error");
        return await db.write(...args);
      };
      const node = openManagementApi({ ...deps, db: { ...db, write }, onError: () => undefined });
      return { alerts: node.alerts, state };
    },
    visitor: ask as TestApiClient,
    /** A visitor at another network address. */
    from: (remoteAddress: string): TestApiClient => clientOf(app, remoteAddress),
    withCookie,
    cookieOf,

    async signIn(username: string, secret = password): Promise<TestApiClient> {
      const reply = await ask("POST", "/api/user/login", { body: { username, password: secret } });
      if (!reply.body.success) throw new Error(`${username} cannot sign in: ${reply.body.message}`);
      return withCookie(cookieOf(reply));
    },

    async addUser(
      username: string,
      { role = 1, status = 1, group = "default", mustChange = false } = {},
    ) {
      const token = randomBytes(16).toString("hex");
      const row = {
        uuid: readUuid7(clock.now),
        username,
        display_name: username,
        email: `${username}@example.org`,
        password_hash: hash,
        role,
        status,
        group,
        must_change_password: mustChange ? (1 as const) : (0 as const),
        access_token_hash: hashSecret(token),
        created_at: clock.now,
        updated_at: clock.now,
      };
      await db.write(createUserStore(db).insertWithWallet(row, readUuid7(clock.now)));
      const [user] = await db.read(
        db.sql.selectFrom("users").select("id").where("uuid", "=", row.uuid),
      );
      if (!user) throw new Error("the user was not stored");
      return { id: user.id, uuid: row.uuid, username, token };
    },

    setStatus: (id: number, status: number) =>
      db.write([{ query: db.sql.updateTable("users").set({ status }).where("id", "=", id) }], {
        changes: ["users"],
      }),

    async close() {
      server.close();
      await egress.close();
      await app.close();
      await noticeEgress.close();
      await priceListEgress.close();
      await mailer.stop();
      await storage.close();
      rmSync(dataDir, { recursive: true });
    },
  };
}
