/**
 * The days on which providers end their models, as far as they are known;
 * scripts/update-model-ends.ts writes the file.
 */

import { readFileSync } from "node:fs";
import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";
import type { ModelEndSource } from "@tollgate/contract/catalogue/model-ends.ts";
import { sellersOfType } from "../channels/built-in-models.ts";
import type { StatedEnds } from "./told-ends.ts";

export interface ModelEndData {
  source: string;
  read_on: string;
  /** `sellers` go by seller and model: the day as `2026-12-11`. */
  sellers: Record<string, Record<string, string>>;
}

/** `hostsOfType` host models of makers and end them on days of their own. */
const hostsOfType: Readonly<Record<number, readonly string[]>> = {
  [ids.azure]: ["azure"],
  [ids.vertex]: ["vertex"],
};

/** The days that come with the program. */
export interface ListedEnds {
  source: string;
  readOn: string;
  /**
   * The day on which a channel type's provider ends a model, by the provider's name of it;
   * undefined where none is known.
   */
  endOf(type: number, model: string): string | undefined;
}

export interface KnownEnd {
  endsOn: string;
  /** Empty for none. */
  replacement: string;
  source: ModelEndSource;
}

/** `EndOf` is when a channel's provider ends a model, by the provider's name of it. */
export type EndOf = (
  channel: { uuid: string; type: number },
  model: string,
) => KnownEnd | undefined;

/** `StatedModelEnds` are what is said of models beside the list. */
export interface StatedModelEnds {
  /** `set` goes by an administrator. */
  set: StatedEnds;
  /** `told` goes by the providers of channels, by the channel's uuid. */
  told: ReadonlyMap<string, StatedEnds>;
}

export const readModelEnds = (): ListedEnds =>
  parseModelEnds(
    JSON.parse(readFileSync(new URL("./model-ends.json", import.meta.url), "utf8")) as ModelEndData,
  );

export const parseModelEnds = ({ source, read_on, sellers }: ModelEndData): ListedEnds => ({
  source,
  readOn: read_on,
  endOf(type, model) {
    const known = hostsOfType[type] ?? sellersOfType[type] ?? [];
    for (const seller of known) {
      const ends = sellers[seller];
      if (ends && Object.hasOwn(ends, model)) return ends[model];
    }
    return undefined;
  },
});

/**
 * `endsOf` takes an administrator's word before that of the channel's own provider, and that before
 * the list. Each of them may say that a model does not end, which ends the search too.
 */
export const endsOf =
  (listed: Pick<ListedEnds, "endOf">, { set, told }: StatedModelEnds): EndOf =>
  ({ uuid, type }, model) => {
    const own = set.get(model);
    if (own) return own.ends_on === "" ? undefined : { ...readEnd(own), source: "operator" };
    const provider = told.get(uuid)?.get(model);
    if (provider)
      return provider.ends_on === "" ? undefined : { ...readEnd(provider), source: "provider" };
    const endsOn = listed.endOf(type, model);
    return endsOn === undefined ? undefined : { endsOn, replacement: "", source: "list" };
  };

const readEnd = ({ ends_on: endsOn, replacement }: { ends_on: string; replacement: string }) => ({
  endsOn,
  replacement,
});
