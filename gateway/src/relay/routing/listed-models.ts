/** The models that a channel lists, by name or by pattern. Pure. */
import { findListing } from "@tollgate/contract/catalogue/model-patterns.ts";
import type { ServedModels } from "./channel-parts.ts";

type Listing = Pick<ServedModels, "models" | "modelPatterns">;

export const servesName = ({ models, modelPatterns }: Listing, model: string): boolean =>
  models.has(model) ||
  (modelPatterns.length > 0 && findListing(modelPatterns, model) !== undefined);

/**
 * Channels that list the name itself first, then those with a pattern, the longest beginning first.
 * `order` is that of equals. What is no model, such as a file, is listed nowhere, and all are
 * equal.
 */
export function orderByListing<Channel extends Listing>(
  channels: readonly Channel[],
  model: string,
  order: (channels: readonly Channel[]) => Channel[],
): Channel[] {
  if (channels.every(({ modelPatterns }) => modelPatterns.length === 0)) return order(channels);
  const ranks = Map.groupBy(channels, (channel) => rankListing(channel, model));
  return [...ranks.keys()].sort((a, b) => b - a).flatMap((rank) => order(ranks.get(rank) ?? []));
}

function rankListing({ models, modelPatterns }: Listing, model: string): number {
  if (models.has(model)) return Number.POSITIVE_INFINITY;
  const listing = findListing(modelPatterns, model);
  return typeof listing === "number" ? listing : Number.POSITIVE_INFINITY;
}

/**
 * Names with which a channel is asked how it speaks: one for each pattern, as no one else's name is
 * known.
 */
export const namesOf = ({
  models,
  modelPatterns,
  coveredModels,
}: Listing & Pick<ServedModels, "coveredModels">): string[] => [
  ...models,
  ...(coveredModels.length > 0
    ? coveredModels
    : modelPatterns.map((pattern) => `${pattern.slice(0, -1)}1`)),
];
