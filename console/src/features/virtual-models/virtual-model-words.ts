import type { MessageDescriptor } from "@lingui/core";
import { msg } from "@lingui/core/macro";
import type {
  StickyKind,
  TierStrategy,
  VirtualModelAccess,
} from "@tollgate/contract/catalogue/virtual-models.ts";

export const strategyWords: Record<TierStrategy, MessageDescriptor> = {
  weights: msg`Weighted`,
  cheapest: msg`Cheapest first`,
  fastest: msg`Fastest first`,
  least_busy: msg`Least busy first`,
};

/** `orderWords` says how a tier orders its targets, where no weights are drawn. */
export const orderWords: Record<Exclude<TierStrategy, "weights">, MessageDescriptor> = {
  cheapest: msg`The model at which the call is estimated to cost least is tried first.`,
  fastest: msg`The gateway first tries the model that was quickest to answer lately. One call in ten measures the others.`,
  least_busy: msg`The model with the fewest running calls for its weight is tried first.`,
};

export const stickyWords: Record<StickyKind, MessageDescriptor> = {
  conversation: msg`One model for each conversation`,
  user: msg`One model for each user`,
  key: msg`One model for each key`,
  none: msg`New choice for every call`,
};

export const accessWords: Record<VirtualModelAccess, MessageDescriptor> = {
  name: msg`This name`,
  targets: msg`Every model behind it`,
};
