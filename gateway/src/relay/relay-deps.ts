/** The things that the relay needs from the rest of the gateway, one object for all calls. */

import type { ReadRun } from "../figures/runs/read-run.ts";
import type { BodyMemoryBudget } from "../http/body-memory-budget.ts";
import type { Counters } from "../limits/counters.ts";
import type { LiveHolds } from "../money/holds/live-holds.ts";
import type { CallMetrics } from "../telemetry/call-metrics.ts";
import type { CallTracing } from "../telemetry/call-tracing.ts";
import type { ApiKeys } from "./admission/api-keys.ts";
import type { BudgetStopDeps } from "./admission/budget-refusals.ts";
import type { TagReader } from "./admission/call-tags.ts";
import type { EmptyWallets } from "./admission/empty-wallets.ts";
import type { FundsDeps } from "./admission/funds-refusals.ts";
import type { Batches } from "./batches/batches.ts";
import type { CachedAnswers } from "./cached-answers/cached-answers.ts";
import type { BodyKeeper } from "./call-bodies/body-keeper.ts";
import type { CallSummary } from "./call-recorder.ts";
import type { CallRows } from "./call-rows.ts";
import type { TokenCounting } from "./counting/token-counting.ts";
import type { ReadBalance } from "./endpoints/read-balance.ts";
import type { ReadKeyLogs } from "./endpoints/read-key-logs.ts";
import type { Guards } from "./guards/guards.ts";
import type { KeptObjectStore } from "./kept-objects/kept-object-store.ts";
import type { UploadSessions } from "./kept-objects/upload-sessions.ts";
import type { McpServers } from "./mcp/live-mcp-servers.ts";
import type { ProviderStates } from "./provider-states/provider-states.ts";
import type { ReasoningHomes } from "./provider-states/reasoning-homes.ts";
import type { RefusedCalls } from "./refused-calls.ts";
import type { RelaySettings } from "./relay-settings.ts";
import type { AttemptDeps } from "./routing/attempts.ts";
import type { RelayChannelTable } from "./routing/channel-table.ts";
import type { SessionAffinity } from "./routing/session-affinity.ts";
import type { CallRuns } from "./runs/call-runs.ts";
import type { ShadowRuns } from "./shadow/shadow-runs.ts";
import type { FileStore } from "./stored-files/file-store.ts";
import type { StoredResponses } from "./stored-responses/stored-responses.ts";
import type { SendDeps } from "./upstream/send.ts";
import type { UsageAlerts } from "./usage-alerts.ts";
import type { KnownRefusals } from "./value-rules/known-refusals.ts";
import type { Videos } from "./videos/video-tasks.ts";

export interface RelayDeps extends SendDeps, AttemptDeps, BudgetStopDeps, FundsDeps {
  apiKeys: ApiKeys;
  tags: TagReader;
  runs: CallRuns;
  readRun: ReadRun;
  channels: RelayChannelTable;
  holds: LiveHolds;
  sessionAffinity: SessionAffinity;
  reasoningHomes: ReasoningHomes;
  knownRefusals: KnownRefusals;
  guards: Guards;
  cachedAnswers: CachedAnswers;
  /** Missing where no contents are kept. */
  bodyKeeper: BodyKeeper | undefined;
  storedResponses: StoredResponses;
  providerStates: ProviderStates;
  shadow: ShadowRuns;
  files: FileStore;
  keptObjects: KeptObjectStore;
  uploads: UploadSessions;
  batches: Batches;
  videos: Videos;
  mcp: McpServers;
  /** `isOverloaded` says whether the process lacks a resource, so that new calls are refused. */
  isOverloaded(): boolean;
  /** Shared by the request bodies and messages of all users. */
  bodyMemoryBudget: BodyMemoryBudget;
  /** Callers who can pay for nothing are refused early. */
  emptyWallets: EmptyWallets;
  counters: Counters;
  tokenCounting: TokenCounting;
  settings: RelaySettings;
  readBalance: ReadBalance;
  readKeyLogs: ReadKeyLogs;
  usageAlerts: UsageAlerts;
  refusedCalls: RefusedCalls;
  callRows: CallRows;
  callMetrics: CallMetrics;
  /** Missing where no spans are sent. */
  tracing: CallTracing | undefined;
  random(): number;
  onError(error: unknown): void;
  /** The upstream answered with an error, which may disable the channel or one of its keys. */
  onUpstreamError(
    channelId: number,
    keyIndex: number,
    error: { status: number; type: string; code: unknown },
  ): void;
  /**
   * Called once for every admitted call, when it has ended; missing where no line per call is
   * wanted.
   */
  onCallEnd: ((summary: CallSummary) => void) | undefined;
}
