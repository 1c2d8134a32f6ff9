/** Models that end, the channels that offer them and their other dependants. Pure. */
import {
  type ModelEnd,
  modelEndsToldDays,
  type OwnModelEnd,
} from "@tollgate/contract/catalogue/model-ends.ts";
import type { EndOf } from "./known-model-ends.ts";

const dayMs = 86_400_000;

export interface OfferingChannel {
  id: number;
  uuid: string;
  name: string;
  type: number;
  /** The names that clients use, without hidden ones. */
  models: readonly string[];
  /** `mapping` comes from names that clients use to those of the provider. */
  mapping: Readonly<Record<string, string>>;
}

export interface VirtualTargets {
  name: string;
  targets: readonly string[];
}

/** Days until a day begins in UTC, in whole days; 0 on that day. */
export const countDays = (day: string, now: number): number =>
  Math.round(Date.parse(day) / dayMs) - Math.floor(now / dayMs);

/** The first to end first. One model may end on several days, at several providers. */
export function findEndingModels(
  endOf: EndOf,
  channels: readonly OfferingChannel[],
  virtual: readonly VirtualTargets[],
  now: number,
): Omit<ModelEnd, "calls" | "users">[] {
  const found = new Map<string, Omit<ModelEnd, "calls" | "users">>();
  const namesOf = new Map<string, Set<string>>();
  for (const { id, uuid, name, type, models, mapping } of channels) {
    for (const offered of models) {
      const model = Object.hasOwn(mapping, offered) ? (mapping[offered] ?? offered) : offered;
      const end = endOf({ uuid, type }, model);
      if (end === undefined || countDays(end.endsOn, now) > modelEndsToldDays) continue;
      const { endsOn, source, replacement } = end;
      const key = `${endsOn} ${model}`;
      const row = found.get(key) ?? {
        ...{ model, ends_on: endsOn, source, replacement, days_left: countDays(endsOn, now) },
        ...{ channels: [], virtual_models: [] },
      };
      found.set(key, row);
      if (!row.channels.some((one) => one.id === id)) row.channels.push({ id, uuid, name });
      namesOf.set(key, (namesOf.get(key) ?? new Set()).add(offered));
    }
  }
  for (const [key, row] of found) {
    const names = namesOf.get(key);
    row.virtual_models = virtual
      .filter(({ targets }) => targets.some((one) => names?.has(one)))
      .map(({ name }) => name);
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/**
 * `formatEndingNames` goes by the names that clients use: of a name on several channels, the last
 * day on which one of them answers; none where one has no end.
 */
export function formatEndingNames(
  endOf: EndOf,
  channels: readonly OfferingChannel[],
  now: number,
): OwnModelEnd[] {
  const ends = new Map<string, OwnModelEnd | undefined>();
  for (const { uuid, type, models, mapping } of channels) {
    for (const name of models) {
      const end = endOf(
        { uuid, type },
        Object.hasOwn(mapping, name) ? (mapping[name] ?? name) : name,
      );
      const own = end && { model: name, ends_on: end.endsOn, replacement: end.replacement };
      const before = ends.get(name);
      const isLater = own === undefined || (before !== undefined && own.ends_on > before.ends_on);
      if (!ends.has(name) || isLater) ends.set(name, own);
    }
  }
  return [...ends.values()].flatMap((end) =>
    end !== undefined && countDays(end.ends_on, now) <= modelEndsToldDays ? [end] : [],
  );
}
