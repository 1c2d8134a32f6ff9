/** Prices of LiteLLM, in dollars per token, as an entry of `model_configs`. Pure. */
import { computeProduct } from "../family/family-prices.ts";

export interface LitellmModelConfig {
  ratio: number;
  completion_ratio?: number;
  cached_input_ratio?: number;
  cache_write_5m_ratio?: number;
  cache_write_1h_ratio?: number;
  tiers?: { input_token_threshold: number; ratio?: number; completion_ratio?: number }[];
}

export interface LitellmPriceReading {
  config: LitellmModelConfig | undefined;
  /** Members with prices that no field here expresses. */
  unread: readonly string[];
}

const unitsPerDollar = 500_000;
/**
 * A quotient that does not end keeps this many digits: an error below a picodollar for each token.
 */
const quotientDigits = 12;
const tierSizes = [128, 200, 256, 272] as const;

/** `members` are those of a deployment and, below them, of its `model_info`. */
export function readLitellmPrice(members: Readonly<Record<string, unknown>>): LitellmPriceReading {
  const stated = Object.entries(members).filter(
    ([name, value]) => /cost_per|_cost/.test(name) && value !== null,
  );
  const read = new Set<string>();
  const cost = (name: string): number | undefined => {
    const value = members[name];
    const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof number !== "number" || !Number.isFinite(number) || number < 0) return undefined;
    read.add(name);
    return number;
  };
  const input = cost("input_cost_per_token");
  const output = cost("output_cost_per_token");
  const config =
    input === undefined ? undefined : { ...buildRatios(input, output), ...buildCacheRatios(cost) };
  // Output for money and input for nothing: output is a multiple of input here.
  const isInexpressible = input === 0 && output !== undefined && output > 0;
  const tiers = tierSizes.flatMap((thousands) => {
    const [higher, outputAbove] = [
      cost(`input_cost_per_token_above_${thousands}k_tokens`),
      cost(`output_cost_per_token_above_${thousands}k_tokens`),
    ];
    if (higher === undefined) return [];
    return [
      {
        input_token_threshold: thousands * 1_000 + 1,
        ...buildRatios(higher, outputAbove ?? output),
      },
    ];
  });
  if (!config || isInexpressible)
    return { config: undefined, unread: stated.map(([name]) => name) };
  const unread = stated.map(([name]) => name).filter((name) => !read.has(name));
  return { config: { ...config, ...(tiers.length > 0 && { tiers }) }, unread };
}

function buildRatios(
  input: number,
  output: number | undefined,
): { ratio: number; completion_ratio?: number } {
  const ratio = computeProduct(input, unitsPerDollar);
  if (output === undefined) return { ratio };
  return {
    ratio,
    completion_ratio: output === 0 ? 0 : Number((output / input).toPrecision(quotientDigits)),
  };
}

/** 0 means "no discount" here, and a negative ratio "free". */
function buildCacheRatios(cost: (name: string) => number | undefined): Partial<LitellmModelConfig> {
  const fields = [
    ["cached_input_ratio", "cache_read_input_token_cost"],
    ["cache_write_5m_ratio", "cache_creation_input_token_cost"],
    ["cache_write_1h_ratio", "cache_creation_input_token_cost_above_1hr"],
  ] as const;
  return Object.fromEntries(
    fields.flatMap(([field, name]) => {
      const price = cost(name);
      return price === undefined
        ? []
        : [[field, price === 0 ? -1 : computeProduct(price, unitsPerDollar)]];
    }),
  );
}
