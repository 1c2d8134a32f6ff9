/**
 * The frame of a request that makes something at a provider: counted, and refused, as a call is.
 */

import { type FrameDeps, refuseCall } from "../call-refusals.ts";
import type { KnownCall, ReplyToClient, SentAnswer } from "../exchange-parts.ts";

type CreationHandler<Deps> = (
  exchange: KnownCall & ReplyToClient & SentAnswer,
  deps: Deps,
) => Promise<void>;

/**
 * `entry`: what metrics call the endpoint. A refusal that `run` throws is sent, and leaves a row.
 */
export const runAsCreation =
  <Deps extends FrameDeps>(entry: string, run: CreationHandler<Deps>): CreationHandler<Deps> =>
  async (exchange, deps) => {
    deps.callMetrics.began(entry);
    try {
      await run(exchange, deps);
    } catch (error) {
      refuseCall(exchange, entry, error, deps);
    } finally {
      deps.callMetrics.ended(entry);
      exchange.facts.admission?.finish(0);
    }
  };
