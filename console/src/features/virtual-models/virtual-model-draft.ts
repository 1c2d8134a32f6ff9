/** The draft of a virtual model that its form holds, and the consequences of it. Pure. */
import {
  type StickyKind,
  type TierStrategy,
  tierStrategies,
  type VirtualModel,
  type VirtualModelAccess,
  type VirtualModelInput,
  weightMax,
} from "@tollgate/contract/catalogue/virtual-models.ts";

export interface DraftTarget {
  /** Tells rows apart while they are typed. */
  key: number;
  model: string;
  /** `weight` is as typed. */
  weight: string;
}

export interface DraftTier {
  key: number;
  strategy: TierStrategy;
  targets: readonly DraftTarget[];
}

export interface VirtualModelDraft {
  name: string;
  isEnabled: boolean;
  replacesModel: boolean;
  tiers: readonly DraftTier[];
  sticky: StickyKind;
  access: VirtualModelAccess;
  retriesRefusedContent: boolean;
}

let lastKey = 0;
const computeNextKey = (): number => {
  lastKey += 1;
  return lastKey;
};

export const buildTarget = (): DraftTarget => ({ key: computeNextKey(), model: "", weight: "1" });
export const buildTier = (): DraftTier => ({
  key: computeNextKey(),
  strategy: "weights",
  targets: [buildTarget()],
});

export const buildDraft = (): VirtualModelDraft => ({
  name: "",
  isEnabled: true,
  replacesModel: false,
  tiers: [buildTier()],
  sticky: "conversation",
  access: "name",
  retriesRefusedContent: false,
});

export const readDraft = (stored: VirtualModel): VirtualModelDraft => ({
  name: stored.name,
  isEnabled: stored.enabled,
  replacesModel: stored.replaces_model,
  tiers: stored.tiers.map(({ strategy, targets }) => ({
    key: computeNextKey(),
    // A newer server may have strategies that this form does not know.
    strategy: tierStrategies.includes(strategy) ? strategy : "weights",
    targets: targets.map(({ model, weight }) => ({
      key: computeNextKey(),
      model,
      weight: Number.isInteger(weight) ? String(weight) : "1",
    })),
  })),
  sticky: stored.sticky,
  access: stored.access,
  retriesRefusedContent: stored.retries_refused_content,
});

/** NaN for what is no weight. */
export const computeWeight = ({ weight }: DraftTarget): number =>
  /^\d{1,7}$/.test(weight.trim()) && Number(weight) <= weightMax ? Number(weight) : Number.NaN;

/** The whole virtual model as the server takes it; undefined while a weight is not a number. */
export function buildInput(draft: VirtualModelDraft): VirtualModelInput | undefined {
  const tiers = draft.tiers.map(({ strategy, targets }) => ({
    strategy,
    targets: targets.map((target) => ({
      model: target.model.trim(),
      weight: computeWeight(target),
    })),
  }));
  if (tiers.some(({ targets }) => targets.some(({ weight }) => Number.isNaN(weight))))
    return undefined;
  return {
    name: draft.name.trim(),
    enabled: draft.isEnabled,
    replaces_model: draft.replacesModel,
    tiers,
    sticky: draft.sticky,
    access: draft.access,
    retries_refused_content: draft.retriesRefusedContent,
  };
}

/** Two drafts that the server would take as the same. */
export const isSameDraft = (one: VirtualModelDraft, other: VirtualModelDraft): boolean =>
  JSON.stringify(buildInput(one)) === JSON.stringify(buildInput(other)) &&
  buildInput(one) !== undefined;

/**
 * The share of the calls of a tier for each target, from 0 to 1. Where all weights are 0, the
 * targets share alike, as the router draws.
 */
export function listTargetShares(targets: readonly DraftTarget[]): number[] {
  const weights = targets.map((target) => computeWeight(target) || 0);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  return weights.map((weight) => (total === 0 ? 1 / targets.length : weight / total));
}

/**
 * A canary is a tier that draws between two targets: the second one is the newcomer. Its
 * percentage, or undefined for another tier.
 */
export function findCanaryPercent({ strategy, targets }: DraftTier): number | undefined {
  if (strategy !== "weights" || targets.length !== 2) return undefined;
  const [, share = 0] = listTargetShares(targets);
  return Math.round(share * 100);
}

export const addCanary = (tier: DraftTier, percent: number): DraftTier => ({
  ...tier,
  targets: tier.targets.map((target, index) => ({
    ...target,
    weight: String(index === 0 ? 100 - percent : percent),
  })),
});

/** Each about twice the one before, so that a fault shows before it concerns many calls. */
const canarySteps = [1, 2, 5, 10, 25, 50, 100] as const;

export const computeNextCanaryStep = (percent: number): number =>
  canarySteps.find((step) => step > percent) ?? 100;
