/**
 * The order in which a call tries the targets of a virtual model: tier by tier, within a tier by
 * its strategy. Pure.
 */
import { hash } from "node:crypto";
import type {
  VirtualModelTarget,
  VirtualModelTier,
} from "@tollgate/contract/catalogue/virtual-models.ts";

/**
 * Calls of a tier by speed that try its targets by weight: a model that was slow once is measured
 * again.
 */
const exploredShare = 0.1;

/** `TargetMeasures` are what the strategies compare, at this moment on this node. */
export interface TargetMeasures {
  /** The smoothed time to the first content; undefined before the first measurement. */
  firstContentMs(model: string): number | undefined;
  runningCalls(model: string): number;
  /** Units that the call is estimated to cost; undefined where no channel can be tried. */
  estimatedCost(model: string): number | undefined;
}

/** `TargetReason` says why a target stands where it does, as data. */
export type TargetReason =
  | { by: "weights"; weight: number; total: number; isSticky: boolean }
  | { by: "cheapest"; cost: number | undefined }
  | { by: "fastest"; ms: number | undefined; isExplored: boolean }
  | { by: "least_busy"; running: number; weight: number };

export interface OrderedTarget {
  model: string;
  /** `tier` comes from 1. */
  tier: number;
  why: TargetReason;
}

export interface TargetDraw {
  random(): number;
  /** Calls with the same id stay with one target; undefined where each call is drawn anew. */
  stickyId: string | undefined;
}

export const orderTargets = (
  tiers: readonly VirtualModelTier[],
  measures: TargetMeasures,
  draw: TargetDraw,
): OrderedTarget[] =>
  tiers.flatMap((tier, index) =>
    orderTier(tier, measures, draw).map(({ model, why }) => ({ model, tier: index + 1, why })),
  );

type RankedTarget = Omit<OrderedTarget, "tier">;

function orderTier(
  { strategy, targets }: VirtualModelTier,
  measures: TargetMeasures,
  draw: TargetDraw,
): RankedTarget[] {
  switch (strategy) {
    case "weights": {
      const total = targets.reduce((sum, { weight }) => sum + weight, 0);
      const isSticky = draw.stickyId !== undefined;
      return orderByWeight(targets, draw).map(({ model, weight }) => ({
        model,
        why: { by: "weights", weight, total, isSticky },
      }));
    }
    case "cheapest":
      return orderLowestFirst(targets, ({ model }) => measures.estimatedCost(model), draw).map(
        ({ target, value }) => ({
          model: target.model,
          why: { by: "cheapest", cost: value },
        }),
      );
    case "fastest": {
      const isExplored = draw.random() < exploredShare;
      const msOf = ({ model }: VirtualModelTarget) =>
        isExplored ? undefined : measures.firstContentMs(model);
      return orderLowestFirst(targets, msOf, draw).map(({ target: { model } }) => ({
        model,
        why: { by: "fastest", ms: measures.firstContentMs(model), isExplored },
      }));
    }
    case "least_busy": {
      const load = ({ model, weight }: VirtualModelTarget) =>
        weight === 0 ? undefined : measures.runningCalls(model) / weight;
      return orderLowestFirst(targets, load, draw).map(({ target: { model, weight } }) => ({
        model,
        why: { by: "least_busy", running: measures.runningCalls(model), weight },
      }));
    }
  }
}

/** Lowest value first, targets without a value last, equals drawn by weight. */
function orderLowestFirst(
  targets: readonly VirtualModelTarget[],
  measure: (target: VirtualModelTarget) => number | undefined,
  draw: TargetDraw,
): { target: VirtualModelTarget; value: number | undefined }[] {
  const all = orderByWeight(targets, { ...draw, stickyId: undefined }).map((target) => ({
    target,
    value: measure(target),
  }));
  // Sorting is stable, so that the drawn order decides among equals.
  return all.sort(
    (a, b) => (a.value ?? Number.POSITIVE_INFINITY) - (b.value ?? Number.POSITIVE_INFINITY) || 0,
  );
}

/**
 * Drawn by weight without replacement: each target gets an arrival time with the weight as its
 * rate, and the earliest comes first (Efraimidis and Spirakis, "Weighted random sampling with a
 * reservoir", 2006). With a hash in place of chance, a changed weight moves no more sticky ids than
 * it must: a canary that grows keeps those that it has. Targets of weight 0 come last.
 */
function orderByWeight(
  targets: readonly VirtualModelTarget[],
  draw: TargetDraw,
): VirtualModelTarget[] {
  if (targets.length === 1) return [...targets];
  const arrivals = targets.map((target) => {
    const { stickyId } = draw;
    const point =
      stickyId === undefined ? 1 - draw.random() : computePoint(`${stickyId} ${target.model}`);
    return { target, at: -Math.log(point) / (target.weight || 1), isLast: target.weight === 0 };
  });
  arrivals.sort((a, b) => Number(a.isLast) - Number(b.isLast) || a.at - b.at);
  return arrivals.map(({ target }) => target);
}

/** Characters of a hexadecimal hash that a number holds exactly: 48 bits. */
const pointDigits = 12;

/** Above 0 and at most 1, always the same for a text. */
const computePoint = (text: string): number =>
  (Number.parseInt(hash("sha256", text).slice(0, pointDigits), 16) + 1) / 16 ** pointDigits;

/** The reason of a channel, and before it that of its target. */
export const readReasonWithTarget = (target: OrderedTarget | undefined, reason: string): string =>
  target ? `${target.model}: tier ${target.tier}, ${describeWhy(target.why)}; ${reason}` : reason;

function describeWhy(why: TargetReason): string {
  switch (why.by) {
    case "weights":
      return why.isSticky
        ? `weight ${why.weight} of ${why.total}, sticky`
        : `weight ${why.weight} of ${why.total}`;
    case "cheapest":
      return why.cost === undefined ? "no price to compare" : `estimated at ${why.cost} units`;
    case "fastest": {
      const speed =
        why.ms === undefined ? "not measured yet" : `first content after ${Math.round(why.ms)} ms`;
      return why.isExplored ? `${speed}, measured again` : speed;
    }
    case "least_busy":
      return `${why.running} running calls, weight ${why.weight}`;
  }
}
