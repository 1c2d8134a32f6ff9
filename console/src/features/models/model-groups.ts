import type { DisplayedModel, DisplayedProvider } from "@tollgate/contract/catalogue/models.ts";
import { buildDecimals, formatDollars } from "../../ui/format.ts";

export type ListedModel = DisplayedModel & { name: string };
/** `FlatModel` is a model at one price, and everything that offers it so. */
export type FlatModel = ListedModel & { offers: string[] };
export type ModelGroup = { key: string; provider: string; channel: string; models: ListedModel[] };

/**
 * Groups the models by provider and channel, sorted by name. The keys of `data` are
 * "provider:channel", and a channel's name may contain colons.
 */
export function groupModels(
  data: Readonly<Record<string, DisplayedProvider>>,
  showChannels: boolean,
): ModelGroup[] {
  const groups = new Map<string, ModelGroup>();
  for (const [wireKey, { models }] of Object.entries(data)) {
    const colon = wireKey.indexOf(":");
    const provider = colon < 0 ? wireKey : wireKey.slice(0, colon);
    const channel = showChannels && colon >= 0 ? wireKey.slice(colon + 1) : "";
    // Without channel names all channels of a provider form one group; the first entry of a model
    // wins.
    const key = channel === "" ? provider : wireKey;
    const group = groups.get(key) ?? { key, provider, channel, models: [] };
    const known = new Set(group.models.map(({ name }) => name));
    for (const [name, model] of Object.entries(models ?? {}))
      if (!known.has(name)) group.models.push({ ...model, name });
    groups.set(key, group);
  }
  const byText = new Intl.Collator("en", { numeric: true }).compare;
  for (const { models } of groups.values()) models.sort((a, b) => byText(a.name, b.name));
  return [...groups.values()].sort(
    (a, b) => byText(a.provider, b.provider) || byText(a.channel, b.channel),
  );
}

export const nameGroup = ({ provider, channel }: ModelGroup): string =>
  channel === "" ? provider : `${provider} · ${channel}`;

/** One list by name. A model has a row for each set of prices, with the groups that ask for it. */
export function flattenGroups(groups: readonly ModelGroup[]): FlatModel[] {
  const flat = new Map<string, FlatModel>();
  for (const group of groups)
    for (const model of group.models) {
      const key = JSON.stringify(model);
      const same = flat.get(key) ?? { ...model, offers: [] };
      same.offers.push(group.channel || group.provider);
      flat.set(key, same);
    }
  const byText = new Intl.Collator("en", { numeric: true }).compare;
  return [...flat.values()].sort((a, b) => byText(a.name, b.name));
}

/** Every word must occur in the name of model, provider or channel. */
export function listMatchingGroups(groups: readonly ModelGroup[], text: string): ModelGroup[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...groups];
  return groups
    .map((group) => {
      const around = `${group.provider} ${group.channel} `;
      const models = group.models.filter(({ name }) => {
        const all = (around + name).toLowerCase();
        return words.every((word) => all.includes(word));
      });
      return { ...group, models };
    })
    .filter(({ models }) => models.length > 0);
}

/** Six decimals: prices are small, and rounding would misstate them. */
export const formatModelPrice = (price: number): string | undefined =>
  price > 0 ? formatDollars(price, 6) : undefined;

/** 4096 becomes 4.1K, 1000000 becomes 1M; undefined without a limit. */
export function formatTokenLimit(tokens: number): string | undefined {
  if (!(tokens > 0)) return undefined;
  if (tokens >= 999_950) return `${buildDecimals(0, 1).format(tokens / 1_000_000)}M`;
  return tokens >= 1_000 ? `${buildDecimals(0, 1).format(tokens / 1_000)}K` : String(tokens);
}
