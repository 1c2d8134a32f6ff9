/**
 * The frame of a request that makes something at a provider: counted, and refused, as a call is.
 */

import type { CallMetrics } from "../../telemetry/call-metrics.ts";
import { buildRefusal, readRefusalReason } from "../call-refusals.ts";
import type { Exchange } from "../exchange.ts";
import type { RefusedCalls } from "../refused-calls.ts";

export interface CreationFrameDeps {
  callMetrics: Pick<CallMetrics, "began" | "refused" | "ended">;
  refusedCalls: RefusedCalls;
  onError(error: unknown): void;
}
type CreationHandler<Deps> = (exchange: Exchange, deps: Deps) => Promise<void>;

/**
 * `entry`: what metrics call the endpoint. A refusal that `run` throws is sent, and leaves a row.
 */
export const runAsCreation =
  <Deps extends CreationFrameDeps>(
    entry: string,
    run: CreationHandler<Deps>,
  ): CreationHandler<Deps> =>
  async (exchange, deps) => {
    const { callMetrics, refusedCalls, onError } = deps;
    callMetrics.began(entry);
    try {
      await run(exchange, deps);
    } catch (error) {
      const refusal = buildRefusal(error, onError);
      exchange.refuse(refusal);
      refusedCalls.record(exchange, error);
      callMetrics.refused(entry, readRefusalReason(refusal), refusal.budget);
    } finally {
      callMetrics.ended(entry);
      exchange.facts.admission?.finish(0);
    }
  };
