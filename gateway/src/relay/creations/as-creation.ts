/**
 * The frame of a request that makes something at a provider: counted, and refused, as a call is.
 */
import { buildRefusal, readRefusalReason } from "../admit-call.ts";
import type { Exchange } from "../exchange.ts";
import type { RelayDeps } from "../relay-deps.ts";

type CreationHandler = (exchange: Exchange, deps: RelayDeps) => Promise<void>;

/**
 * `entry`: what metrics call the endpoint. A refusal that `run` throws is sent, and leaves a row.
 */
export const runAsCreation =
  (entry: string, run: CreationHandler): CreationHandler =>
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
