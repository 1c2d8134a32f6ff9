/**
 * The management API over a database that no gateway has open, with a clock in the past for the
 * sample data.
 */

import { consoleHeader } from "@tollgate/contract/api/envelope.ts";
import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import { createUserStore } from "@tollgate/gateway/accounts/identity/users/user-store.ts";
import { buildAutomaticStatus } from "@tollgate/gateway/catalogue/channels/automatic-status.ts";
import { createChannelKeyStore } from "@tollgate/gateway/catalogue/channels/channel-key-store.ts";
import { createChannelStore } from "@tollgate/gateway/catalogue/channels/channel-store.ts";
import type { FetchBalance } from "@tollgate/gateway/catalogue/channels/fetch-balance.ts";
import type { TestChannel } from "@tollgate/gateway/catalogue/channels/test-channel.ts";
import { createEgress } from "@tollgate/gateway/egress/egress.ts";
import { createMemoryCounters } from "@tollgate/gateway/limits/counters.ts";
import { createMailer } from "@tollgate/gateway/notices/mail/mailer.ts";
import { createSealer } from "@tollgate/gateway/secrets/seal.ts";
import { loadOptions } from "@tollgate/gateway/settings/live-options.ts";
import { openManagementApi } from "@tollgate/gateway/start/open-management-api.ts";
import type { Database } from "@tollgate/gateway/storage/database.ts";
import { buildIdMint, nodesMax } from "@tollgate/gateway/storage/time-ids.ts";
import {
  createGatewayMetrics,
  defaultSeriesMax,
} from "@tollgate/gateway/telemetry/gateway-metrics.ts";
import { pino } from "pino";
import { type SampleChannel, channels as sampleChannels } from "./sample-channels.ts";

export interface SampleApi {
  signIn(username: string, password: string): Promise<SampleApiClient>;
  visitor: SampleApiClient;
  userId(username: string): Promise<number>;
  /** The clock's time for the next call, in milliseconds. */
  now(): number;
  /** Moves the clock forward only. */
  moveTo(moment: number): void;
  /** Disables a channel as the gateway does automatically. */
  disableChannel(name: string, reason: string): Promise<void>;
}

export type SampleApiClient = <Data>(
  method: "GET" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
) => Promise<Data>;

/** The time between two calls: an operator does not set up a site within a second. */
const stepMs = 4 * 60_000 + 21_000;
/** Ids contain the time and the node: sample ids must not collide with those of a real node. */
const sampleNode = nodesMax - 1;

export async function createSampleApi(
  live: Database,
  masterKey: Uint8Array,
  begin: number,
): Promise<SampleApi> {
  let moment = begin;
  const clock = () => {
    const now = moment;
    moment += stepMs;
    return now;
  };
  const db = { ...live, mintId: buildIdMint(sampleNode, 0, () => moment) };
  const onError = (error: unknown): void => console.error(error);
  const refuseToCall = () =>
    Promise.reject(new Error("no provider is called while sample data is written"));
  const options = await loadOptions(db);
  const users = createUserStore(db);
  const channels = createChannelStore(db);
  const testChannel: TestChannel = ({ name, models }) =>
    Promise.resolve({
      ok: true,
      message: "Hello.",
      elapsedMs: sampleNamed(name).testedMs ?? 0,
      modelName: models.split(",").at(-1) ?? "",
      promptTokens: 12,
      completionTokens: 3,
    });
  const askBalance: FetchBalance = ({ name }) =>
    Promise.resolve({ micros: Math.round((sampleNamed(name).balance ?? 0) * 1e6) });
  const automatic = buildAutomaticStatus({
    db,
    channels,
    keys: createChannelKeyStore(db),
    options,
    now: clock,
    notify: () => undefined,
  });
  const log = pino({ level: "error", base: null });
  const metrics = createGatewayMetrics();
  const api = openManagementApi({
    db,
    metrics,
    telemetry: {
      served: {
        ...{
          publicUrl: new URL("https://ai.example.com"),
          localUrl: new URL("http://127.0.0.1:3000"),
        },
        ...{ sharesPort: false, hasToken: () => false, listener: undefined },
      },
      metrics,
      seriesMax: defaultSeriesMax,
      traces: undefined,
    },
    options,
    seal: createSealer(masterKey),
    mailer: createMailer(() => undefined, log),
    noticeEgress: createEgress(new Set()),
    priceListEgress: createEgress(new Set()),
    guardAddressIssue: () => undefined,
    mcp: { listTools: async () => ({ issue: "" }), addressIssue: () => undefined },
    // Limits read the clock at every step, which must not move it here.
    counters: createMemoryCounters(() => moment),
    clock,
    automatic,
    channelHealth: {
      breakers: () => [],
      usageMarks: () => [],
      keyCooldowns: () => [],
      toldLimits: () => [],
      addressIssue: () => undefined,
    },
    testChannel,
    failedTries: () => [],
    checkCall: async () => undefined,
    listChannelModels: () => Promise.resolve(undefined),
    probe: { listModels: () => Promise.resolve(undefined), ask: refuseToCall },
    askBalance,
    fetchCostReport: refuseToCall,
    providers: {
      urls: { github: "", githubApi: "", lark: "", discord: "", linuxdo: "", telegram: "" },
      fetchIdentity: refuseToCall,
    },
    verifyCaptcha: refuseToCall,
    onCaptchaFailure: () => undefined,
    oidcProviders: { enabled: () => [] },
    oidcClient: {
      begin: refuseToCall,
      finish: refuseToCall,
      verifyLogout: refuseToCall,
      signOutUrl: refuseToCall,
      test: refuseToCall,
    },
    onOidcFailure: () => undefined,
    priceLists: new Map(),
    publicUrl: undefined,
    dataDir: "",
    importPrivateHosts: new Set(),
    upstreamPrivateHosts: new Set(),
    proxyPrivateHosts: new Set(),
    bodyObjects: undefined,
    diskSpace: () => Promise.resolve(undefined),
    backups: async () => undefined,
    idsAheadMs: () => 0,
    hasSmtpUrl: () => false,
    isReadOnly: () => false,
    rateLimit: () => 0,
    version: "",
    build: { commit: null, schema: 0 },
    trustedProxies: [],
    trustedHeader: undefined,
    workKey: new Uint8Array(32),
    agentKey: new Uint8Array(32),
    log,
    onError,
  });

  async function ask(method: string, path: string, body?: unknown, cookie = ""): Promise<Response> {
    const headers = {
      "content-type": "application/json",
      cookie,
      [consoleHeader.name]: consoleHeader.value,
    };
    return await api.fetch(
      new Request(`http://sample${path}`, {
        method,
        headers,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      }),
    );
  }

  return {
    async signIn(username, password) {
      const reply = await ask("POST", "/api/user/login", { username, password });
      await dataOf(reply);
      const cookie = (reply.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
      return async (method, path, body) => await dataOf(await ask(method, path, body, cookie));
    },
    visitor: async (method, path, body) => await dataOf(await ask(method, path, body)),
    async userId(username) {
      const account = await users.byUsername(username);
      if (!account) throw new Error(`the sample site has no ${username}`);
      return account.id;
    },
    now: () => moment,
    moveTo(later) {
      moment = Math.max(moment, later);
    },
    async disableChannel(name, reason) {
      const channel = (await channels.withStatus([channelStatus.enabled], 100)).find(
        (one) => one.name === name,
      );
      if (channel) await automatic.apply(channel, { status: channelStatus.autoDisabled, reason });
    },
  };
}

function sampleNamed(name: string): SampleChannel {
  const found = sampleChannels.find((channel) => channel.name === name);
  if (!found) throw new Error(`the sample site has no channel ${name}`);
  return found;
}

async function dataOf<Data>(reply: Response): Promise<Data> {
  const { success, message, data } = (await reply.json()) as {
    success: boolean;
    message: string;
    data: Data;
  };
  if (!success) throw new Error(`the sample data was refused: ${message}`);
  return data;
}
