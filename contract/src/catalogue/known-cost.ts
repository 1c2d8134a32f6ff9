/**
 * The costs of calls to the operator, beside their charges: of those alone whose channel had a
 * buying price.
 */
import * as z from "zod/mini";

export const knownCost = z.object({
  /** Calls whose cost is known. */
  requests: z.int(),
  /** `quota` is what these calls were charged, in quota units. */
  quota: z.int(),
  /** `cost_micros` are what the operator pays for them, in millionths of a dollar, rounded once. */
  cost_micros: z.int(),
});
export type KnownCost = z.output<typeof knownCost>;

const microsPerUnit = 2;

/** Quota units and halves of them. */
export const computeCostUnits = ({ cost_micros }: KnownCost): number => cost_micros / microsPerUnit;
/** Below 0 where the calls cost more than they were charged. */
export const computeMarginUnits = (cost: KnownCost): number => cost.quota - computeCostUnits(cost);
/** `findMarginShare` is about what was charged; undefined where nothing was. */
export const findMarginShare = (cost: KnownCost): number | undefined =>
  cost.quota === 0 ? undefined : computeMarginUnits(cost) / cost.quota;
