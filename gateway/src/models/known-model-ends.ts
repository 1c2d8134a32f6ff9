/** The days on which providers end their models, as far as they are known; scripts/update-model-ends.ts writes the file. */
import { readFileSync } from "node:fs";
import { sellersOfType } from "../channels/built-in-models.ts";

export interface ModelEndData {
  source: string;
  read_on: string;
  /** By seller and model: the day as `2026-12-11`. */
  sellers: Record<string, Record<string, string>>;
}

/** These host models of makers and end them on days of their own. */
const hostsOfType: Readonly<Record<number, readonly string[]>> = { 3: ["azure"], 42: ["vertex"] };

export interface ModelEnds {
  source: string;
  readOn: string;
  /** The day on which a channel type's provider ends a model, by the provider's name of it; undefined where none is known. */
  endOf(type: number, model: string): string | undefined;
}

export const readModelEnds = (): ModelEnds =>
  modelEndsIn(JSON.parse(readFileSync(new URL("./model-ends.json", import.meta.url), "utf8")) as ModelEndData);

export const modelEndsIn = ({ source, read_on, sellers }: ModelEndData): ModelEnds => ({
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
