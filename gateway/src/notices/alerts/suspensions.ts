/**
 * Channels that nodes have suspended for a model. Breakers are in the memory of each node, and
 * alerts are of the site: a node tells what it has suspended for a while, and one of them looks at
 * what all have told. Pure.
 */

export interface Suspension {
  channel: number;
  model: string;
  /** Since when the breaker has not been closed. */
  since: number;
  /** Open before this time; from then on a call may try. */
  openUntil: number;
  reason: string;
}

export interface BreakerState {
  channelId: number;
  model: string;
  since: number;
  openUntil: number;
  reason: string;
}

/**
 * `toldFromMs` are one failure suspends a channel for a minute at most: a longer suspension is that
 * of a trial that failed too.
 */
const toldFromMs = 60_000;
/** `toldMax` is that of one node: more are told by the failures of their calls. */
const toldMax = 1_000;
/**
 * A breaker that opened again within this time has calls that fail; one without may only wait for a
 * call.
 */
const idleMs = 60_000;

export const listToldSuspensions = (breakers: readonly BreakerState[], now: number): Suspension[] =>
  breakers
    .filter(({ since, openUntil }) => now - since >= toldFromMs && openUntil - since > toldFromMs)
    .sort((one, other) => one.since - other.since)
    .slice(0, toldMax)
    .map(({ channelId: channel, model, since, openUntil, reason }) => ({
      channel,
      model,
      since,
      openUntil,
      reason,
    }));

export const hasFailingCalls = ({ openUntil }: Suspension, now: number): boolean =>
  now - openUntil < idleMs;

/**
 * `listLongestSuspensions` gives, of each channel, the suspension that has lasted longest on any
 * node, one with failing calls before one without.
 */
export function listLongestSuspensions(
  nodes: readonly (readonly Suspension[])[],
  now: number,
): Suspension[] {
  const rank = (one: Suspension) => (hasFailingCalls(one, now) ? 0 : 1);
  const all = nodes.flat().sort((one, other) => rank(one) - rank(other) || one.since - other.since);
  return [...new Map(all.toReversed().map((one) => [one.channel, one])).values()];
}
