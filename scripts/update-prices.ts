/**
 * Rewrites gateway/src/money/price-data.json from the npm package `@pydantic/genai-prices`: run it after updating the
 * package, read the difference, commit both. Only prices that the package really states are taken; the rest is left out.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { findProvider, type MatchLogic, type ModelPrice } from "@pydantic/genai-prices";

const providers = ["openai"];
/** Our bucket → the package's name for its price in dollars per million tokens. */
const buckets = { input: "input_mtok", cached_input: "cache_read_mtok", output: "output_mtok" } as const;

const root = new URL("..", import.meta.url);
const { version } = JSON.parse(
  readFileSync(new URL("node_modules/@pydantic/genai-prices/package.json", root), "utf8"),
) as { version: string };
const today = new Date().toISOString().slice(0, 10);

interface Entry {
  /** Every name that the package matches exactly. */
  models: string[];
  provider: string;
  input: string;
  cached_input?: string;
  output: string;
  /** The package states higher prices above a prompt size that this book does not know yet. */
  base_tier_only?: true;
}

/** The exact names in a match rule; rules by prefix or pattern name no model and give none. */
function exactNames(rule: MatchLogic): string[] {
  if ("equals" in rule) return [rule.equals];
  if ("or" in rule) return rule.or.flatMap(exactNames);
  return [];
}

/** The price in force now: the last conditional one whose start date has come. */
function currentPrice(prices: ModelPrice | { constraint?: { start_date?: string }; prices: ModelPrice }[]): ModelPrice {
  if (!Array.isArray(prices)) return prices;
  const started = prices.filter(({ constraint }) => !constraint?.start_date || constraint.start_date <= today);
  return started.at(-1)?.prices ?? {};
}

const dollars = (price: ModelPrice[string]): string | undefined => {
  const base = typeof price === "object" ? price.base : price;
  return base === undefined ? undefined : String(base);
};

const entries = providers.flatMap((id) => {
  const provider = findProvider({ providerId: id });
  if (!provider) throw new Error(`the package does not know the provider ${id}`);
  return provider.models.flatMap((model): Entry[] => {
    const price = currentPrice(model.prices as Parameters<typeof currentPrice>[0]);
    const input = dollars(price[buckets.input]);
    const output = dollars(price[buckets.output]) ?? (model.id.includes("embedding") ? "0" : undefined);
    const cached = dollars(price[buckets.cached_input]);
    const models = [...new Set(exactNames(model.match))].sort();
    if (input === undefined || output === undefined || models.length === 0) return [];
    const tiered = Object.values(buckets).some((bucket) => typeof price[bucket] === "object");
    return [
      {
        models,
        provider: id,
        input,
        ...(cached === undefined ? {} : { cached_input: cached }),
        output,
        ...(tiered ? { base_tier_only: true as const } : {}),
      },
    ];
  });
});

const data = {
  source: `npm package @pydantic/genai-prices ${version}`,
  read_on: today,
  unit: "US dollars per million tokens",
  prices: entries.sort((a, b) => (a.models[0] ?? "").localeCompare(b.models[0] ?? "")),
};
writeFileSync(new URL("gateway/src/money/price-data.json", root), `${JSON.stringify(data, null, 2)}\n`);
console.log(`${entries.length} prices from ${data.source}`);
