/**
 * Prices of the family as `model_configs` of a channel. One-api and new-api keep them as options,
 * and only those that an administrator once saved: the rest is compiled into their programs. Pure.
 */
import { multiply, parseDecimal } from "../../../money/decimal.ts";
import { parseJsonObject } from "../sources/source-fields.ts";
import type { FamilyKind } from "./family-kind.ts";

type RatioMap = ReadonlyMap<string, number>;

export interface FamilyPrices {
  model: RatioMap;
  completion: RatioMap;
  /** new-api: multiples of the input price. */
  cacheRead: RatioMap;
  cacheWrite: RatioMap;
  audio: RatioMap;
  audioCompletion: RatioMap;
  /** new-api: dollars for each call. */
  perCall: RatioMap;
}

/** The members of `model_configs` that an import writes. */
export interface ImportedModelConfig {
  ratio: number;
  completion_ratio?: number;
  cached_input_ratio?: number;
  cache_write_5m_ratio?: number;
  cache_write_1h_ratio?: number;
  audio?: { prompt_ratio?: number; completion_ratio?: number };
}

export type PriceReading =
  | { kind: "priced"; config: ImportedModelConfig; isCompletionKnown: boolean }
  | { kind: "per_call"; dollars: number }
  | { kind: "missing" };

/**
 * `usualCacheWrite` is what new-api charges for writing to a cache where nothing is saved, and for
 * keeping it an hour.
 */
const usualCacheWrite = 1.25;
const hourOfCacheWrite = 1.6;

export function buildFamilyPrices(options: ReadonlyMap<string, string>): FamilyPrices {
  const ratios = (key: string): RatioMap => parseRatios(options.get(key) ?? "");
  return {
    model: ratios("ModelRatio"),
    completion: ratios("CompletionRatio"),
    cacheRead: ratios("CacheRatio"),
    cacheWrite: ratios("CreateCacheRatio"),
    audio: ratios("AudioRatio"),
    audioCompletion: ratios("AudioCompletionRatio"),
    perCall: ratios("ModelPrice"),
  };
}

/** The ratios that a JSON object holds by name; negative and unreadable ones are left out. */
export const parseRatios = (text: string): RatioMap =>
  new Map(
    Object.entries(parseJsonObject(text) ?? {}).filter(
      (entry): entry is [string, number] =>
        typeof entry[1] === "number" && Number.isFinite(entry[1]) && entry[1] >= 0,
    ),
  );

/**
 * The price of one model of a channel. One-api asks for `model(type)` first, under the mapped name;
 * new-api asks under the requested name.
 */
export function readPrice(
  kind: FamilyKind,
  prices: FamilyPrices,
  { requested, mapped, type }: { requested: string; mapped: string; type: number },
): PriceReading {
  const names = kind === "new-api" ? [requested] : [`${mapped}(${type})`, mapped];
  const find = (ratios: RatioMap): number | undefined =>
    names.map((name) => ratios.get(name)).find((ratio) => ratio !== undefined);
  const perCall = find(prices.perCall);
  if (kind === "new-api" && perCall !== undefined) return { kind: "per_call", dollars: perCall };
  const ratio = find(prices.model);
  if (ratio === undefined) return { kind: "missing" };
  const completion = find(prices.completion);
  return {
    kind: "priced",
    isCompletionKnown: completion !== undefined,
    config: {
      ratio,
      ...(completion !== undefined && { completion_ratio: completion }),
      ...(kind === "new-api" &&
        buildCacheRatios(ratio, find(prices.cacheRead), find(prices.cacheWrite))),
      ...(kind === "new-api" && buildAudioRatios(find(prices.audio), find(prices.audioCompletion))),
    },
  };
}

function buildCacheRatios(
  ratio: number,
  read: number | undefined,
  write = usualCacheWrite,
): Partial<ImportedModelConfig> {
  return {
    // 0 means "no discount" here, and a negative ratio "free".
    ...(read !== undefined &&
      read !== 1 && { cached_input_ratio: read === 0 ? -1 : computeProduct(ratio, read) }),
    ...(write !== 1 && {
      cache_write_5m_ratio: write === 0 ? -1 : computeProduct(ratio, write),
      cache_write_1h_ratio:
        write === 0 ? -1 : computeProduct(computeProduct(ratio, write), hourOfCacheWrite),
    }),
  };
}

function buildAudioRatios(
  input: number | undefined,
  output: number | undefined,
): Partial<ImportedModelConfig> {
  if (input === undefined && output === undefined) return {};
  return {
    audio: {
      ...(input !== undefined && { prompt_ratio: input }),
      ...(output !== undefined && { completion_ratio: output }),
    },
  };
}

/** `computeProduct` computes in decimals: 0.1 × 3 is 0.3. */
export function computeProduct(a: number, b: number): number {
  const [left, right] = [parseDecimal(a), parseDecimal(b)];
  if (!left || !right) return a * b;
  const { digits, scale } = multiply(left, right);
  return Number(`${digits}e-${scale}`);
}
