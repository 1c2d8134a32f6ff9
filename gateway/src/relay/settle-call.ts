/** The end of a call: its settlement is stored, and whoever counts and follows calls is told. */
import type { LogRow } from "../storage/tables/call-tables.ts";
import type { CallTrace, TracedCall } from "../telemetry/traced-call.ts";
import { buildSummary, type CallSettlement } from "./call-recorder.ts";
import type { Exchange } from "./exchange.ts";
import type { RelayDeps } from "./relay-deps.ts";

export async function settle(
  exchange: Exchange,
  settlement: CallSettlement,
  deps: RelayDeps,
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
export const buildLoggedRow = (
  { log }: CallSettlement,
  { settings }: Pick<RelayDeps, "settings">,
): LogRow => (settings.logsContent() ? log : { ...log, content: "" });

/** Once the row is stored. */
export function tellEnd(
  exchange: Exchange,
  settlement: CallSettlement,
  log: LogRow,
  deps: RelayDeps,
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
  { requestId, address }: Exchange,
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
