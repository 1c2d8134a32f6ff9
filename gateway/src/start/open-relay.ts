/**
 * Opens the relay: the tables and counters that calls share, the HTTP and WebSocket entries, and
 * the sweeper.
 */

import { channelStatus } from "@tollgate/contract/catalogue/channels.ts";
import type { Logger } from "pino";
import type { BudgetPauses } from "../accounts/budgets/budget-pauses.ts";
import { createBudgetStore } from "../accounts/budgets/budget-store.ts";
import { openLiveBudgets } from "../accounts/budgets/live-budgets.ts";
import { createKeyNetworks } from "../accounts/tokens/key-networks.ts";
import { createBodyStore } from "../call-bodies/body-store.ts";
import type { CheckCall } from "../catalogue/call-checks/call-check-routes.ts";
import type { AutomaticStatus } from "../catalogue/channels/automatic-status.ts";
import { openHeaders } from "../catalogue/channels/channel-headers.ts";
import { createChannelKeyStore } from "../catalogue/channels/channel-key-store.ts";
import { openProxy } from "../catalogue/channels/channel-proxy.ts";
import type { ChannelRow } from "../catalogue/channels/channel-store.ts";
import type { ChannelRuntime } from "../catalogue/channels/channel-view.ts";
import type { ProviderProbe } from "../catalogue/channels/check-provider.ts";
import { openChannelKeys } from "../catalogue/channels/open-channel-keys.ts";
import type { TestChannel } from "../catalogue/channels/test-channel.ts";
import { createMcpServerStore } from "../catalogue/mcp-servers/mcp-server-store.ts";
import type { ListChannelModels } from "../catalogue/models/channel-model-lists.ts";
import {
  endsOf,
  readModelEnds,
  type StatedModelEnds,
} from "../catalogue/models/known-model-ends.ts";
import { createModelFactStore } from "../catalogue/models/model-fact-store.ts";
import type { Config } from "../config/config.ts";
import type { Egress } from "../egress/egress.ts";
import { createRunReader } from "../figures/runs/read-run.ts";
import { createRunStore } from "../figures/runs/run-store.ts";
import { createBodyMemoryBudget } from "../http/body-memory-budget.ts";
import type { Counters } from "../limits/counters.ts";
import { readFunds } from "../money/holds/hold-forecast.ts";
import { startLiveHolds } from "../money/holds/live-holds.ts";
import { sweep } from "../money/holds/sweep.ts";
import { buildPriceBook, type PriceLists } from "../money/prices/price-lists.ts";
import { planAlertEvent } from "../notices/alerts/alert-events.ts";
import {
  createApiKeys,
  findCallerOfToken,
  findCallerOfUser,
  type OpenGroups,
} from "../relay/admission/api-keys.ts";
import { readCredential } from "../relay/admission/authenticate.ts";
import { openTagReader } from "../relay/admission/call-tags.ts";
import { createEmptyWallets } from "../relay/admission/empty-wallets.ts";
import { createCachedAnswers } from "../relay/cached-answers/cached-answers.ts";
import { createBodyKeeper } from "../relay/call-bodies/body-keeper.ts";
import { forecastCall } from "../relay/call-forecast.ts";
import { createCallRows } from "../relay/call-rows.ts";
import { createTokenCounting } from "../relay/counting/token-counting.ts";
import { askChannel } from "../relay/endpoints/ask-channel.ts";
import { listProviderModels } from "../relay/endpoints/list-provider-models.ts";
import { buildBalanceReader } from "../relay/endpoints/read-balance.ts";
import { buildKeyLogReader } from "../relay/endpoints/read-key-logs.ts";
import type { EntryAddress } from "../relay/entry-address.ts";
import type { Exchange } from "../relay/exchange.ts";
import type { KnownCall, ReplyToClient } from "../relay/exchange-parts.ts";
import { createFailedTries, type FailedTries } from "../relay/failed-tries.ts";
import { createGuards } from "../relay/guards/guards.ts";
import { type McpServers, openMcpServers } from "../relay/mcp/live-mcp-servers.ts";
import { createRealtimeRelay, type RealtimeRelay } from "../relay/realtime/realtime-relay.ts";
import { createRefusedCalls } from "../relay/refused-calls.ts";
import { type RouteDeps, routeRelay } from "../relay/relay-routes.ts";
import { relaySettings } from "../relay/relay-settings.ts";
import {
  createResponseSocketRelay,
  type ResponseSocketRelay,
} from "../relay/response-socket/response-socket-relay.ts";
import { createBreakers } from "../relay/routing/breakers.ts";
import { createChannelLimits } from "../relay/routing/channel-limits.ts";
import { createChannelTable, relayChannel } from "../relay/routing/channel-table.ts";
import { buildDraftChannel } from "../relay/routing/draft-channel.ts";
import { createKeyCooldowns } from "../relay/routing/key-cooldowns.ts";
import { addModelEnds } from "../relay/routing/model-end-headers.ts";
import { createModelPace } from "../relay/routing/model-pace.ts";
import { createSessionAffinity } from "../relay/routing/session-affinity.ts";
import { createToldLimits } from "../relay/routing/told-limits.ts";
import { openCallRuns } from "../relay/runs/call-runs.ts";
import { createProviderTokens } from "../relay/upstream/provider-tokens.ts";
import type { SendDeps } from "../relay/upstream/send.ts";
import { createUsageAlerts } from "../relay/usage-alerts.ts";
import type { Sealer } from "../secrets/seal.ts";
import { openGroups } from "../settings/group-rules.ts";
import type { OptionReader } from "../settings/live-options.ts";
import type { Database } from "../storage/database.ts";
import type { ChannelKeyRow } from "../storage/tables/channel-tables.ts";
import type { AgentTelemetry } from "../telemetry/agent-telemetry.ts";
import { createCallMetrics } from "../telemetry/call-metrics.ts";
import type { CallTracing } from "../telemetry/call-tracing.ts";
import { sampleChannels } from "../telemetry/channel-metrics.ts";
import type { GatewayMetrics } from "../telemetry/gateway-metrics.ts";
import { openRelayObjects } from "./open-relay-objects.ts";

export interface RelayServiceDeps {
  config: Pick<
    Config,
    | "tokenKeyPrefix"
    | "publicUrl"
    | "logsCalls"
    | "clientStallTimeoutMs"
    | "bodyStore"
    | "countsGenAi"
  >;
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
  /** Missing where the environment names no collector. */
  agentTelemetry: AgentTelemetry | undefined;
  budgetPauses: Pick<BudgetPauses, "afterRefusal">;
  /** `isShort` says whether the process lacks a resource, so that new calls are refused. */
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
  /** `refreshVideos` does the same for videos. */
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
  const onShortfall = (channelId: number): void =>
    void automatic.onShortfall(channelId).catch(onError);
  const breakers = createBreakers(now);
  const keyCooldowns = createKeyCooldowns(now);
  const toldLimits = createToldLimits(now);
  const usageAlerts = createUsageAlerts({
    now,
    warn: (event, message) => log.warn(event, message),
    raise: (event) => void db.write([planAlertEvent(db, event, now())]).catch(onError),
  });
  const tokenCounting = createTokenCounting(() => !settings.isEstimateRough());
  const modelEnds = readModelEnds();
  const openChannel = (row: ChannelRow, states: readonly ChannelKeyRow[]) =>
    relayChannel(openHeaders(seal, row), openChannelKeys(seal, row, states), openProxy(seal, row));
  const openWithEnds = (
    row: ChannelRow,
    states: readonly ChannelKeyRow[],
    stated: StatedModelEnds,
  ) => addModelEnds(openChannel(row, states), endsOf(modelEnds, stated));
  const { stated: statedEnds } = createModelFactStore(db);
  const channels = await createChannelTable(
    db,
    buildPriceBook(deps.priceLists),
    openWithEnds,
    onError,
    statedEnds,
  );
  // Clients choose the names that a pattern covers, and no label is of their choice.
  const isServed = (model: string): boolean =>
    channels.snapshot
      .channelsBehind(model)
      .some(
        ({ status, models, coveredModels }) =>
          status === channelStatus.enabled &&
          (models.has(model) ||
            coveredModels.includes(model) ||
            channels.snapshot.routed(model) !== undefined),
      );
  const findType = (id: number): number | undefined =>
    channels.snapshot.channels.find((one) => one.id === id)?.type;
  const typed = config.countsGenAi ? findType : undefined;
  const callMetrics = createCallMetrics(deps.metrics, isServed, typed);
  const holds = startLiveHolds(db, now, onError, onShortfall, callMetrics.settleRetried);
  const { refreshBatches, refreshVideos, purgeStored, ...objects } = await openRelayObjects({
    db,
    seal,
    sending,
    settings,
    channels,
    metrics: callMetrics,
    callerOfToken: (id) => findCallerOfToken(db, id, openToOwner),
    onShortfall,
    onError,
  });
  const mcp = await openMcpServers({
    db,
    store: createMcpServerStore(db),
    seal,
    exit: deps.mcpEgress,
    now,
    onError,
  });
  const refusedCalls = createRefusedCalls({ db, now, isOn: settings.logsContent, onError });
  const bodyMemoryBudget = createBodyMemoryBudget();
  deps.metrics.bodyRoomBytes.readFrom(() => [[[], bodyMemoryBudget.room()]]);
  sampleChannels(deps.metrics, {
    channels: () => channels.snapshot.channels,
    breakers,
    keyCooldowns,
  });
  const bodyKeeper =
    config.bodyStore &&
    createBodyKeeper({
      settings: config.bodyStore,
      keyPrefix: settings.keyPrefix,
      db,
      store: createBodyStore(db),
      seal,
      metrics: deps.metrics,
      now,
      onFailure: (reason) =>
        log.warn({ event: "call_bodies", reason }, "contents of a call were lost"),
    });
  const relay: RouteDeps = {
    ...sending,
    apiKeys: createApiKeys(db, now, openToOwner),
    tags: await openTagReader(db, options, now),
    runs: await openCallRuns({ db, seal }),
    readRun: createRunReader(
      { db, store: createRunStore(db), counters: createBudgetStore(db).counters },
      now,
    ),
    channels,
    holds,
    budgets: await openLiveBudgets(db),
    readCounters: createBudgetStore(db).counters,
    budgetPauses: deps.budgetPauses,
    breakers,
    channelLimits: createChannelLimits(counters),
    keyCooldowns,
    toldLimits,
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
    readBalance: buildBalanceReader(db),
    readFunds: (walletId, tokenId) => readFunds(db, walletId, tokenId),
    readKeyLogs: buildKeyLogReader(db),
    random: Math.random,
    onError,
    onUpstreamError: (channelId, place, refusal) =>
      void automatic.onRefusal(channelId, place, refusal).catch(onError),
    usageAlerts,
    refusedCalls,
    callRows: createCallRows(db),
    callMetrics,
    tracing: deps.tracing,
    agentTelemetry: deps.agentTelemetry,
    onCallEnd: config.logsCalls ? (ended) => log.info({ event: "call", ...ended }) : undefined,
  };
  const realtime = createRealtimeRelay(relay);
  const channelKeys = createChannelKeyStore(db);
  let running = 0;

  const failedTries = createFailedTries(now);
  const noteRefusal = (exchange: KnownCall & ReplyToClient, path: string): void => {
    const { refusal, request, facts, address } = exchange;
    if (refusal === undefined) return;
    const { headers, url = "" } = request;
    const hasCredential = readCredential(headers, settings.keyPrefix, url) !== undefined;
    const query = url.split("?", 2)[1] ?? "";
    failedTries.record(address, {
      path,
      query,
      headers,
      refusal,
      hasCredential,
      caller: facts.caller,
      model: facts.model,
    });
  };

  const keyNetworks = createKeyNetworks({ db, options, now, onError });
  /**
   * `noteNetwork` is about a call that has ended. What was refused tells nothing of who uses the
   * key.
   */
  const noteNetwork = ({ refusal, facts, address }: KnownCall & ReplyToClient): void => {
    if (facts.caller && refusal === undefined) keyNetworks.note(facts.caller.tokenId, address);
  };

  async function watchCall(
    exchange: KnownCall & ReplyToClient,
    path: string,
    call: () => Promise<void>,
  ): Promise<void> {
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
    answer: (exchange, entry) =>
      watchCall(exchange, entry.path, () => routeRelay(exchange, entry, relay)),
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
        "tokenId" in by
          ? await findCallerOfToken(db, by.tokenId, openToOwner)
          : await findCallerOfUser(db, by.userId);
      return (
        caller &&
        forecastCall(caller, { model, endpoint, maxTokens, promptTokens }, { ...relay, db })
      );
    },
    runningCalls: () => running,
    health: {
      breakers: breakers.list,
      usageMarks: usageAlerts.list,
      keyCooldowns: keyCooldowns.list,
      toldLimits: toldLimits.list,
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
      listModels: (draft) => listProviderModels(egress, buildDraftChannel(draft)),
      ask: (draft, model) => askChannel(sending, buildDraftChannel(draft), model),
    },
    channelIds: () => new Set(channels.snapshot.channels.map(({ id }) => String(id))),
    sweep: () =>
      sweep(db, {
        now: now(),
        isLive: holds.isLive,
        startedAtId,
        onShortfall,
        onEnd: callMetrics.swept,
      }),
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
