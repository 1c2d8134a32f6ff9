/** Opens the relay: the tables and counters that calls share, the HTTP and WebSocket entries, and the sweeper. */

import { channelStatus } from "@tollgate/contract/channels.ts";
import type { Logger } from "pino";
import { alertEvent } from "./alerts/alert-events.ts";
import type { BudgetPauses } from "./budgets/budget-pauses.ts";
import { budgetStore } from "./budgets/budget-store.ts";
import { openLiveBudgets } from "./budgets/live-budgets.ts";
import { bodyStore } from "./call-bodies/body-store.ts";
import type { CheckCall } from "./call-checks/call-check-routes.ts";
import type { AutomaticStatus } from "./channels/automatic-status.ts";
import { openHeaders } from "./channels/channel-headers.ts";
import { channelKeyStore } from "./channels/channel-key-store.ts";
import { openProxy } from "./channels/channel-proxy.ts";
import type { ChannelRow } from "./channels/channel-store.ts";
import type { ChannelRuntime } from "./channels/channel-view.ts";
import type { ProviderProbe } from "./channels/check-provider.ts";
import { openChannelKeys } from "./channels/open-channel-keys.ts";
import type { TestChannel } from "./channels/test-channel.ts";
import type { Config } from "./config.ts";
import type { Egress } from "./egress/egress.ts";
import { openGroups } from "./groups/group-rules.ts";
import { createBodyMemoryBudget } from "./http/body-memory-budget.ts";
import type { Counters } from "./limits/counters.ts";
import { mcpServerStore } from "./mcp-servers/mcp-server-store.ts";
import type { ListChannelModels } from "./models/channel-model-lists.ts";
import { endsOf, readModelEnds, type StatedModelEnds } from "./models/known-model-ends.ts";
import { modelFactStore } from "./models/model-fact-store.ts";
import { startLiveHolds } from "./money/live-holds.ts";
import { bookOf, type PriceLists } from "./money/price-lists.ts";
import { sweep } from "./money/sweep.ts";
import { openRelayObjects } from "./open-relay-objects.ts";
import { callerOfToken, callerOfUser, createApiKeys, type OpenGroups } from "./relay/admission/api-keys.ts";
import { credentialOf } from "./relay/admission/authenticate.ts";
import { openTagReader } from "./relay/admission/call-tags.ts";
import { createEmptyWallets } from "./relay/admission/empty-wallets.ts";
import { createCachedAnswers } from "./relay/cached-answers/cached-answers.ts";
import { forecastCall } from "./relay/call-forecast.ts";
import { createTokenCounting } from "./relay/counting/token-counting.ts";
import { askChannel } from "./relay/endpoints/ask-channel.ts";
import { listProviderModels } from "./relay/endpoints/list-provider-models.ts";
import { balanceReader } from "./relay/endpoints/read-balance.ts";
import { keyLogReader } from "./relay/endpoints/read-key-logs.ts";
import type { EntryAddress } from "./relay/entry-address.ts";
import type { Exchange } from "./relay/exchange.ts";
import { createFailedTries, type FailedTries } from "./relay/failed-tries.ts";
import { createGuards } from "./relay/guards/guards.ts";
import { createBodyKeeper } from "./relay/kept-bodies/body-keeper.ts";
import { type McpServers, openMcpServers } from "./relay/mcp/live-mcp-servers.ts";
import { createRealtimeRelay, type RealtimeRelay } from "./relay/realtime/realtime-relay.ts";
import { createRefusedCalls } from "./relay/refused-calls.ts";
import type { RelayDeps } from "./relay/relay-deps.ts";
import { routeRelay } from "./relay/relay-routes.ts";
import { relaySettings } from "./relay/relay-settings.ts";
import { createResponseSocketRelay, type ResponseSocketRelay } from "./relay/response-socket/response-socket-relay.ts";
import { createBreakers } from "./relay/routing/breakers.ts";
import { createChannelLimits } from "./relay/routing/channel-limits.ts";
import { createChannelTable, relayChannel } from "./relay/routing/channel-table.ts";
import { draftChannel } from "./relay/routing/draft-channel.ts";
import { createKeyCooldowns } from "./relay/routing/key-cooldowns.ts";
import { withModelEnds } from "./relay/routing/model-end-headers.ts";
import { createModelPace } from "./relay/routing/model-pace.ts";
import { createSessionAffinity } from "./relay/routing/session-affinity.ts";
import { createProviderTokens } from "./relay/upstream/provider-tokens.ts";
import type { SendDeps } from "./relay/upstream/send.ts";
import { createUsageAlerts } from "./relay/usage-alerts.ts";
import type { Sealer } from "./secrets/seal.ts";
import type { OptionReader } from "./settings/live-options.ts";
import type { Database } from "./storage/database.ts";
import type { ChannelKeyRow } from "./storage/tables/channel-tables.ts";
import { createCallMetrics } from "./telemetry/call-metrics.ts";
import type { CallTracing } from "./telemetry/call-tracing.ts";
import { sampleChannels } from "./telemetry/channel-metrics.ts";
import type { GatewayMetrics } from "./telemetry/gateway-metrics.ts";
import { createKeyNetworks } from "./tokens/key-networks.ts";

export interface RelayServiceDeps {
  config: Pick<Config, "tokenKeyPrefix" | "publicUrl" | "logsCalls" | "clientStallTimeoutMs" | "bodyStore">;
  db: Database;
  log: Logger;
  options: OptionReader;
  seal: Sealer;
  egress: Egress;
  /** The exit to the guard hook. */
  guardEgress: Egress;
  /** The exit to MCP servers. */
  mcpEgress: Egress;
  counters: Counters;
  priceLists: PriceLists;
  automatic: AutomaticStatus;
  metrics: GatewayMetrics;
  /** Missing where no spans are sent. */
  tracing: CallTracing | undefined;
  budgetPauses: Pick<BudgetPauses, "afterRefusal">;
  /** Whether the process lacks a resource, so that new calls are refused. */
  isShort(): boolean;
  now(): number;
  onError(error: unknown): void;
}

export interface RelayService {
  /** Answers one call of the client API; never throws. */
  answer(exchange: Exchange, entry: EntryAddress): Promise<void>;
  realtime: RealtimeRelay;
  responseSockets: ResponseSocketRelay;
  failedTries: FailedTries;
  checkCall: CheckCall;
  /** HTTP calls that have not ended. */
  runningCalls(): number;
  health: ChannelRuntime;
  testChannel: TestChannel;
  /** Asks a provider whose account is not a channel yet. */
  probe: ProviderProbe;
  listChannelModels: ListChannelModels;
  listMcpTools: McpServers["listTools"];
  /** The numbers of all channels, as metrics have them. */
  channelIds(): ReadonlySet<string>;
  /** Ends calls that an earlier process left open; answers how many. */
  sweep(): Promise<number>;
  /** Asks providers about batches that may have ended, and charges those. */
  refreshBatches(): Promise<void>;
  /** The same for videos. */
  refreshVideos(): Promise<void>;
  /** Deletes stored responses and ids of providers whose time is over. */
  purgeStored(): Promise<void>;
  /** Releases the holds first: calls must have ended. */
  close(): Promise<void>;
}

export async function openRelay(deps: RelayServiceDeps): Promise<RelayService> {
  const { config, db, log, options, seal, egress, counters, automatic, now, onError } = deps;
  const startedAtId = db.mintId();
  const settings = relaySettings(config, options);
  const openToOwner: OpenGroups = (own, named) => openGroups(options, own, named);
  const sending: SendDeps = { egress, providerTokens: createProviderTokens(egress, now), now };
  const onShortfall = (channelId: number): void => void automatic.onShortfall(channelId).catch(onError);
  const breakers = createBreakers(now);
  const keyCooldowns = createKeyCooldowns(now);
  const usageAlerts = createUsageAlerts({
    now,
    warn: (event, message) => log.warn(event, message),
    raise: (event) => void db.write([alertEvent(db, event, now())]).catch(onError),
  });
  const tokenCounting = createTokenCounting(() => !settings.isEstimateRough());
  const modelEnds = readModelEnds();
  const openChannel = (row: ChannelRow, states: readonly ChannelKeyRow[]) =>
    relayChannel(openHeaders(seal, row), openChannelKeys(seal, row, states), openProxy(seal, row));
  const openWithEnds = (row: ChannelRow, states: readonly ChannelKeyRow[], stated: StatedModelEnds) =>
    withModelEnds(openChannel(row, states), endsOf(modelEnds, stated));
  const { stated: statedEnds } = modelFactStore(db);
  const channels = await createChannelTable(db, bookOf(deps.priceLists), openWithEnds, onError, statedEnds);
  const isServed = (model: string): boolean =>
    channels.snapshot.channelsBehind(model).some(({ status }) => status === channelStatus.enabled);
  const callMetrics = createCallMetrics(deps.metrics, isServed);
  const holds = startLiveHolds(db, now, onError, onShortfall, callMetrics.settleRetried);
  const { refreshBatches, refreshVideos, purgeStored, ...objects } = await openRelayObjects({
    db,
    seal,
    sending,
    settings,
    channels,
    metrics: callMetrics,
    callerOfToken: (id) => callerOfToken(db, id, openToOwner),
    onShortfall,
    onError,
  });
  const mcp = await openMcpServers({ db, store: mcpServerStore(db), seal, exit: deps.mcpEgress, now, onError });
  const refusedCalls = createRefusedCalls({ db, now, isOn: settings.logsContent, onError });
  const bodyMemoryBudget = createBodyMemoryBudget();
  deps.metrics.bodyRoomBytes.readFrom(() => [[[], bodyMemoryBudget.room()]]);
  sampleChannels(deps.metrics, { channels: () => channels.snapshot.channels, breakers, keyCooldowns });
  const bodyKeeper =
    config.bodyStore &&
    createBodyKeeper({
      settings: config.bodyStore,
      keyPrefix: settings.keyPrefix,
      db,
      store: bodyStore(db),
      seal,
      metrics: deps.metrics,
      now,
      onFailure: (reason) => log.warn({ event: "call_bodies", reason }, "contents of a call were lost"),
    });
  const relay: RelayDeps = {
    ...sending,
    apiKeys: createApiKeys(db, now, openToOwner),
    tags: await openTagReader(db, options, now),
    channels,
    holds,
    budgets: await openLiveBudgets(db),
    readCounters: budgetStore(db).counters,
    budgetPauses: deps.budgetPauses,
    breakers,
    channelLimits: createChannelLimits(counters),
    keyCooldowns,
    modelPace: createModelPace(now),
    sessionAffinity: createSessionAffinity(now),
    cachedAnswers: createCachedAnswers({ options, now }),
    guards: createGuards({
      options,
      seal,
      egress: deps.guardEgress,
      keyPrefix: settings.keyPrefix,
      isEstimateRough: settings.isEstimateRough,
      now,
      onError,
    }),
    bodyKeeper,
    ...objects,
    mcp,
    isOverloaded: deps.isShort,
    bodyMemoryBudget,
    emptyWallets: createEmptyWallets(db, now),
    counters,
    tokenCounting,
    settings,
    readBalance: balanceReader(db),
    readKeyLogs: keyLogReader(db),
    random: Math.random,
    onError,
    onUpstreamError: (channelId, place, refusal) => void automatic.onRefusal(channelId, place, refusal).catch(onError),
    usageAlerts,
    refusedCalls,
    callMetrics,
    tracing: deps.tracing,
    onCallEnd: config.logsCalls ? (ended) => log.info({ event: "call", ...ended }) : undefined,
  };
  const realtime = createRealtimeRelay(relay);
  const channelKeys = channelKeyStore(db);
  let running = 0;

  const failedTries = createFailedTries(now);
  const noteRefusal = (exchange: Exchange, path: string): void => {
    const { refusal, request, caller, model, address } = exchange;
    if (refusal === undefined) return;
    const { headers, url = "" } = request;
    const hasCredential = credentialOf(headers, settings.keyPrefix, url) !== undefined;
    const query = url.split("?", 2)[1] ?? "";
    failedTries.record(address, { path, query, headers, refusal, hasCredential, caller, model });
  };

  const keyNetworks = createKeyNetworks({ db, options, now, onError });
  /** Of a call that has ended. What was refused tells nothing of who uses the key. */
  const noteNetwork = ({ refusal, caller, address }: Exchange): void => {
    if (caller && refusal === undefined) keyNetworks.note(caller.tokenId, address);
  };

  async function watchCall(exchange: Exchange, path: string, call: () => Promise<void>): Promise<void> {
    running += 1;
    try {
      await call();
      noteRefusal(exchange, path);
      noteNetwork(exchange);
    } finally {
      running -= 1;
    }
  }

  return {
    failedTries,
    answer: (exchange, entry) => watchCall(exchange, entry.path, () => routeRelay(exchange, entry, relay)),
    realtime: {
      ...realtime,
      async open(exchange, connection) {
        await realtime.open(exchange, connection);
        noteNetwork(exchange);
      },
    },
    responseSockets: createResponseSocketRelay(relay, {
      mintId: db.mintId,
      clientStallTimeoutMs: config.clientStallTimeoutMs,
      watchCall: (exchange, call) => watchCall(exchange, "/v1/responses", call),
    }),
    async checkCall(by, { model, endpoint, max_tokens: maxTokens, prompt_tokens: promptTokens }) {
      const caller =
        "tokenId" in by ? await callerOfToken(db, by.tokenId, openToOwner) : await callerOfUser(db, by.userId);
      return caller && forecastCall(caller, { model, endpoint, maxTokens, promptTokens }, { ...relay, db });
    },
    runningCalls: () => running,
    health: {
      breakers: breakers.list,
      usageMarks: usageAlerts.list,
      keyCooldowns: keyCooldowns.list,
      addressIssue: egress.violation,
    },
    async testChannel(row, model) {
      const channel = openChannel(row, await channelKeys.ofChannels([row.uuid]));
      const answer = await askChannel(sending, channel, model);
      if (answer.ok) breakers.acquire(row.id, answer.modelName).succeeded();
      return answer;
    },
    async listChannelModels(row) {
      return listProviderModels(egress, openChannel(row, await channelKeys.ofChannels([row.uuid])));
    },
    listMcpTools: mcp.listTools,
    probe: {
      listModels: (draft) => listProviderModels(egress, draftChannel(draft)),
      ask: (draft, model) => askChannel(sending, draftChannel(draft), model),
    },
    channelIds: () => new Set(channels.snapshot.channels.map(({ id }) => String(id))),
    sweep: () => sweep(db, { now: now(), isLive: holds.isLive, startedAtId, onShortfall, onEnd: callMetrics.swept }),
    refreshBatches,
    refreshVideos,
    purgeStored,
    async close() {
      await holds.close();
      await bodyKeeper?.close();
      await refusedCalls.close();
      await keyNetworks.close();
      await objects.shadow.close();
      await tokenCounting.close();
    },
  };
}
