/** Facts that the steps of a call find out, one after the other. */
import type { CallTrace } from "../telemetry/traced-call.ts";
import type { CallerFunds, CallerIdentity, CallerReach } from "./admission/caller-parts.ts";
import type { Admission } from "./admission/token-limits.ts";
import type { CallRun } from "./runs/call-runs.ts";

/**
 * Facts of one call, read by the headers of its answer, its row and its trace. Nothing assigns them
 * from outside: a step hands what it found to `Exchange.learn`, so the places where a fact comes
 * from are the callers of one function.
 */
export interface CallFacts {
  /** The requested model, once the request is read; empty before. */
  readonly model: string;
  /** `caller` says whose key it is, once the key is known. */
  readonly caller?: CallerIdentity & CallerReach & CallerFunds;
  /** The run of an agent that the call belongs to; missing for a call that names none. */
  readonly run?: CallRun;
  /** `admission` is for a key with limits: must be finished when the call ends. */
  readonly admission?: Admission;
  /** While spans are sent. */
  readonly trace?: CallTrace | undefined;
  /** The id that the answering provider gave the request, if it told one. */
  readonly upstreamRequestId?: string | undefined;
  /** The target of a virtual model that answers. */
  readonly servedModel?: string | undefined;
  /** `endHeaders` says that the provider ends the model; missing for nearly every call. */
  readonly endHeaders?: readonly string[] | undefined;
  /** `notes` are what the gateway did to the request or its answer; empty for nearly every call. */
  readonly notes: readonly string[];
  /**
   * `cacheState` says whether the answer comes from the response cache; missing where the client
   * asked for none.
   */
  readonly cacheState?: "hit" | "miss";
  /** `charge` is the cost of the answer in quota units, where that is known before it is sent. */
  readonly charge?: number | undefined;
}
