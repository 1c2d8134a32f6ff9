/** The order in which the status page shows models, and its first day. Pure. */
import type { ModelHealth, ServiceState } from "@tollgate/contract/figures/service-health.ts";

const troubleRank: Readonly<Record<ServiceState, number>> = {
  down: 0,
  degraded: 1,
  ok: 2,
  quiet: 3,
};

/**
 * `sortByTrouble` keeps the order of models in the same state. A state that a newer server knows
 * stands last.
 */
export const sortByTrouble = <Model extends Pick<ModelHealth, "state">>(
  models: readonly Model[],
): Model[] =>
  models.toSorted((one, other) => (troubleRank[one.state] ?? 4) - (troubleRank[other.state] ?? 4));

/** A shorter strip would have blocks instead of days. */
const daysMin = 14;

/**
 * `countQuietDays` is how many days at the beginning had no call of any model: they say nothing,
 * and are left out.
 */
export function countQuietDays(models: readonly Pick<ModelHealth, "days">[]): number {
  const length = Math.max(0, ...models.map(({ days }) => days.length));
  const firsts = models.map(({ days }) =>
    days.findIndex(({ success_rate }) => success_rate !== null),
  );
  const first = Math.min(length, ...firsts.filter((place) => place >= 0));
  return Math.max(0, Math.min(first, length - daysMin));
}
