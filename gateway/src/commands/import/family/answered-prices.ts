/**
 * Prices as a running server of the family answers them: those that are compiled into its program
 * are in no database. Pure.
 */
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";
import { parseJsonObject } from "../sources/source-fields.ts";

/** Options that hold prices by model, and what new-api's list of prices calls each. */
const members = {
  ModelRatio: "model_ratio",
  CompletionRatio: "completion_ratio",
  CacheRatio: "cache_ratio",
  CreateCacheRatio: "create_cache_ratio",
  AudioRatio: "audio_ratio",
  AudioCompletionRatio: "audio_completion_ratio",
  ModelPrice: "model_price",
} as const;
type PriceOption = keyof typeof members;
const priceOptions = Object.keys(members) as PriceOption[];

/**
 * `perCall` says how new-api marks a price for each call; it states ratios of such a model too,
 * which do not count.
 */
const perCall = 1;

type AnsweredRatios = Readonly<Record<string, unknown>>;
export interface AnsweredPrices {
  /** `ratios` go by option, then by model. */
  ratios: Readonly<Partial<Record<PriceOption, AnsweredRatios>>>;
  /** Models of which the answer says everything: what is stored of them does not count. */
  whole: ReadonlySet<string>;
}

/** The answer to `GET /api/option/` or `GET /api/pricing`; undefined for anything else. */
export function findAnsweredPrices(answer: unknown): AnsweredPrices | undefined {
  const rows =
    isJsonRecord(answer) && Array.isArray(answer.data) ? answer.data.filter(isJsonRecord) : [];
  const [first] = rows;
  if (!first) return undefined;
  if (typeof first.model_name === "string") return readListPrices(rows);
  return typeof first.key === "string" ? readOptionPrices(rows) : undefined;
}

function readOptionPrices(rows: readonly AnsweredRatios[]): AnsweredPrices | undefined {
  const texts = new Map(rows.map(({ key, value }) => [key, value]));
  const found = priceOptions.flatMap((option) => {
    const text = texts.get(option);
    const ratios = typeof text === "string" ? parseJsonObject(text) : undefined;
    return ratios ? [[option, ratios] as const] : [];
  });
  return found.length === 0 ? undefined : { ratios: Object.fromEntries(found), whole: new Set() };
}

function readListPrices(rows: readonly AnsweredRatios[]): AnsweredPrices {
  const named = rows.flatMap((row) =>
    typeof row.model_name === "string" ? [[row.model_name, row] as const] : [],
  );
  const ratiosOf = (option: PriceOption): AnsweredRatios =>
    Object.fromEntries(
      named.flatMap(([model, row]) => {
        const value = row[members[option]];
        const counts = (row.quota_type === perCall) === (option === "ModelPrice");
        return counts && typeof value === "number" ? [[model, value]] : [];
      }),
    );
  return {
    ratios: Object.fromEntries(priceOptions.map((option) => [option, ratiosOf(option)])),
    whole: new Set(named.map(([model]) => model)),
  };
}

/** The options with the answered prices above the stored ones. */
export function addAnsweredPrices(
  options: ReadonlyMap<string, string>,
  { ratios, whole }: AnsweredPrices,
): ReadonlyMap<string, string> {
  const merged = priceOptions.map((option): [string, string] => {
    const stored = Object.entries(parseJsonObject(options.get(option) ?? "") ?? {}).filter(
      ([model]) => !whole.has(model),
    );
    return [option, JSON.stringify({ ...Object.fromEntries(stored), ...ratios[option] })];
  });
  return new Map([...options, ...merged]);
}
