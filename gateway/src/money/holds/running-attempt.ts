/**
 * The part of a reply that a running attempt has delivered so far, and the part of it that is
 * written down for the sweeper.
 */
import { addCallFee, type FrozenPrice, isUsed, thawPrice, type Usage } from "../prices/price.ts";

/**
 * `RunningAttempt` is what a running attempt has delivered, and its price: enough for the sweeper
 * to settle it.
 */
export interface RunningAttempt {
  channelId: number;
  channelName: string;
  model: string;
  /** `target` is the model of a virtual one that serves. */
  target?: string | undefined;
  price: FrozenPrice;
  usage(): Usage;
  /**
   * `hasDelivered` says whether the client has got anything that costs something: until then a call
   * that breaks off is free. Without it, it has.
   */
  hasDelivered?(): boolean;
  stop(): void;
}

/** The progress column of a reservation, as JSON. */
export interface ProgressRecord {
  channel_id: number;
  channel_name: string;
  model: string;
  target?: string | undefined;
  price: FrozenPrice;
  usage: Usage;
}

/**
 * `readDeliveredUsage` gives what the sweeper charges if the process ends now: nothing as long as
 * nothing was delivered.
 */
function readDeliveredUsage({ price, usage }: RunningAttempt): Usage {
  const delivered = usage();
  return isUsed(delivered) ? addCallFee(delivered, thawPrice(price)) : delivered;
}

export const readProgress = (running: RunningAttempt): ProgressRecord => ({
  channel_id: running.channelId,
  channel_name: running.channelName,
  model: running.model,
  target: running.target,
  price: running.price,
  usage: readDeliveredUsage(running),
});
