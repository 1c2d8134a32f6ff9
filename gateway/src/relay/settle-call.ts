/** The end of a call: its settlement is stored, and whoever counts and follows calls is told. */

import type { LiveHolds } from "../money/holds/live-holds.ts";
import type { LogRow } from "../storage/tables/call-tables.ts";
import type { CallMetrics } from "../telemetry/call-metrics.ts";
import type { CallTracing } from "../telemetry/call-tracing.ts";
import type { CallTrace, TracedCall } from "../telemetry/traced-call.ts";
import { buildSummary, type CallSettlement, type CallSummary } from "./call-recorder.ts";
import type { ArrivedRequest, KnownCall, SentAnswer } from "./exchange-parts.ts";
import type { LogSettings } from "./relay-settings.ts";

/** `EndDeps` are who is told of the end of a call. */
export interface EndDeps {
  callMetrics: Pick<CallMetrics, "settled">;
  /** Missing where no spans are sent. */
  tracing: Pick<CallTracing, "ended"> | undefined;
  now(): number;
  /**
   * Called once for every admitted call, when it has ended; missing where no line per call is
   * wanted.
   */
  onCallEnd: ((summary: CallSummary) => void) | undefined;
}

export interface LoggedRowDeps {
  settings: LogSettings;
}

export type SettleDeps = EndDeps &
  LoggedRowDeps & {
    holds: Pick<LiveHolds, "settle">;
    callMetrics: Pick<CallMetrics, "settleTook">;
  };

export async function settle(
  exchange: KnownCall & SentAnswer,
  settlement: CallSettlement,
  deps: SettleDeps,
): Promise<void> {
  const log = buildLoggedRow(settlement, deps);
  // Before the settlement is written: the client may already send its next call.
  exchange.facts.admission?.finish(log.prompt_tokens + log.completion_tokens);
  const { charge, trace, target } = settlement;
  const beganAt = performance.now();
  await deps.holds.settle({ id: exchange.id, charge, log, trace, target });
  deps.callMetrics.settleTook(performance.now() - beganAt);
  tellEnd(exchange, settlement, log, deps);
}

/** The row as the operator wants it. */
export const buildLoggedRow = ({ log }: CallSettlement, { settings }: LoggedRowDeps): LogRow =>
  settings.logsContent() ? log : { ...log, content: "" };

/** Once the row is stored. */
export function tellEnd(
  exchange: KnownCall & SentAnswer,
  settlement: CallSettlement,
  log: LogRow,
  deps: EndDeps,
): void {
  deps.callMetrics.settled(log, settlement.measures);
  if (exchange.facts.trace)
    deps.tracing?.ended(
      composeTracedEnd(exchange, exchange.facts.trace, settlement, deps.now()),
      log.elapsed_ms,
    );
  deps.onCallEnd?.(buildSummary(log, exchange));
}

/** `composeTracedEnd` gives the facts for the thread that makes spans. */
function composeTracedEnd(
  { requestId, address }: ArrivedRequest,
  trace: CallTrace,
  { log, trace: record, measures }: CallSettlement,
  settledAt: number,
): TracedCall {
  return {
    trace,
    record,
    requestId,
    address,
    entry: measures.entry,
    userId: log.user_id,
    tokenId: log.token_id,
    requestedModel: log.origin_model_name,
    model: log.model_name,
    isStream: log.is_stream === 1,
    outcome: log.outcome,
    charge: log.quota,
    ttftMs: log.ttft_ms,
    usage: measures.usage,
    usageDetails: log.usage_details,
    results: measures.attempts.map(({ result }) => result),
    settledAt,
  };
}
