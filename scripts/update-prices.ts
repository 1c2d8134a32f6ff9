/**
 * Writes gateway/src/money/prices/price-data.json from the npm package `@pydantic/genai-prices`:
 * run it after an update of the package, review the difference, commit both. It takes only prices
 * that the package states for the provider itself.
 */
import { readFileSync, writeFileSync } from "node:fs";
import {
  calcPrice,
  findProvider,
  type MatchLogic,
  type ModelInfo,
  type ModelPrice,
} from "@pydantic/genai-prices";
import type {
  PriceData,
  PriceEntry,
  StatedRates,
} from "@tollgate/gateway/money/prices/price-lists.ts";

interface PriceSource {
  name: string;
  provider: string;
  /** Matches the names that the provider really uses. */
  names: RegExp;
  /**
   * The package states an approximation: converted from another currency, or the cheapest of
   * several.
   */
  isRough?: boolean;
  /** The provider's names of models that the package matches only by a prefix or a pattern. */
  snapshots?: string[];
}

/** OpenRouter's variants such as `:free` change often and have no price. */
const plain = /^[^:]+$/;

/**
 * Makers of models come before hosts: the price book takes the first price of a name, so a maker's
 * own price wins. The order of the hosts is our choice.
 */
const sellers: PriceSource[] = [
  {
    name: "openai",
    provider: "openai",
    names: plain,
    snapshots: ["gpt-5-nano-2025-08-07", "computer-use-preview"],
  },
  {
    name: "anthropic",
    provider: "anthropic",
    names: plain,
    snapshots: [
      "claude-3-haiku-20240307",
      "claude-3-opus-20240229",
      "claude-3-5-haiku-20241022",
      "claude-3-5-sonnet-20240620",
      "claude-3-5-sonnet-20241022",
      "claude-3-5-sonnet-latest",
      "claude-3-7-sonnet-20250219",
      "claude-sonnet-4-20250514",
      "claude-sonnet-4-5-20250929",
      "claude-haiku-4-5-20251001",
      "claude-opus-4-1-20250805",
      "claude-opus-4-5-20251101",
    ],
  },
  {
    name: "google",
    provider: "google",
    names: /^ge(?:mini|mma)-[^:]+$/,
    snapshots: ["gemini-2.0-flash-001", "gemini-2.0-flash-lite-001"],
  },
  {
    name: "mistral",
    provider: "mistral",
    names: plain,
    snapshots: [
      "magistral-medium-latest",
      "magistral-medium-2509",
      "magistral-small-latest",
      "magistral-small-2509",
    ],
  },
  { name: "deepseek", provider: "deepseek", names: plain },
  { name: "xai", provider: "x-ai", names: /^grok-/ },
  { name: "cohere", provider: "cohere", names: plain },
  { name: "moonshot", provider: "moonshotai", names: plain },
  { name: "perplexity", provider: "perplexity", names: plain },
  { name: "minimax", provider: "minimax", names: plain },
  { name: "zhipu", provider: "zhipuai", names: plain, isRough: true },
  { name: "azure", provider: "azure", names: plain },
  {
    name: "bedrock",
    provider: "aws",
    names: /^[a-z-]+\.[a-z]/,
    snapshots: ["", "us.", "eu.", "global."].map(
      (region) => `${region}anthropic.claude-opus-4-5-20251101-v1:0`,
    ),
  },
  {
    name: "vertex",
    provider: "google",
    names: /^claude-/,
    snapshots: [
      "claude-3-haiku@20240307",
      "claude-3-5-haiku@20241022",
      "claude-3-5-sonnet-v2@20241022",
      "claude-3-7-sonnet@20250219",
      "claude-sonnet-4@20250514",
      "claude-sonnet-4-5@20250929",
      "claude-opus-4@20250514",
      "claude-opus-4-1@20250805",
    ],
  },
  { name: "cloudflare", provider: "cloudflare", names: plain },
  { name: "groq", provider: "groq", names: plain },
  { name: "cerebras", provider: "cerebras", names: plain },
  { name: "together", provider: "together", names: plain },
  { name: "fireworks", provider: "fireworks", names: plain },
  { name: "novita", provider: "novita", names: plain },
  { name: "copilot", provider: "github-copilot", names: plain },
  { name: "openrouter", provider: "openrouter", names: /^[^~:]+\/[^:]+$/ },
];

/** Our usage bucket → the package's name for its price in dollars per million tokens. */
const buckets = {
  input: "input_mtok",
  cached_input: "cache_read_mtok",
  cache_write_5m: "cache_write_mtok",
  cache_write_1h: "cache_write_1h_mtok",
  output: "output_mtok",
  input_audio: "input_audio_mtok",
  cache_read_audio: "cache_audio_read_mtok",
  output_audio: "output_audio_mtok",
  input_image: "input_image_mtok",
  cache_read_image: "cache_image_read_mtok",
  output_image: "output_image_mtok",
} as const;

/**
 * `pieces` are the same for counted items, and the number of our items per price of the package.
 */
const pieces = {
  seconds: ["audio_hours", 3_600],
  web_searches: ["web_searches_kcount", 1_000],
  file_searches: ["storage_searches_kcount", 1_000],
  pages: ["input_document_kpages", 1_000],
  annotated_pages: ["input_annotated_document_kpages", 1_000],
} as const;

/** Marks a price that the package copied from another seller. */
const borrowed = /imported from openrouter|trusting/i;

const root = new URL("..", import.meta.url);
const { version } = JSON.parse(
  readFileSync(new URL("node_modules/@pydantic/genai-prices/package.json", root), "utf8"),
) as { version: string };
const today = new Date().toISOString().slice(0, 10);

/** Every text of a match rule, and those that it compares exactly. */
function textsOf(rule: MatchLogic): { texts: string[]; exact: string[] } {
  if ("equals" in rule) return { texts: [rule.equals], exact: [rule.equals] };
  if ("starts_with" in rule) return { texts: [rule.starts_with], exact: [] };
  if ("contains" in rule) return { texts: [rule.contains], exact: [] };
  const parts = "or" in rule ? rule.or.map(textsOf) : [];
  return { texts: parts.flatMap(({ texts }) => texts), exact: parts.flatMap(({ exact }) => exact) };
}

/** The names of an id; the package writes `regional.` for every region in its rule. */
function namesOfId(id: string, texts: readonly string[]): string[] {
  if (!id.startsWith("regional.")) return [id];
  const name = id.slice("regional.".length);
  const regions = texts.flatMap(
    (text) => /^([a-z-]+\.)(?:amazon|anthropic|openai)\./.exec(text)?.[1] ?? [],
  );
  return ["", ...regions].map((region) => region + name);
}

/** Exact names, and the candidates that the package itself matches to this model. */
function namesOf(
  model: ModelInfo,
  { provider, names, snapshots = [] }: PriceSource,
  isPriced: boolean,
): string[] {
  const { texts, exact } = textsOf(model.match);
  // Without a price only exact names are safe: an id that no rule repeats may not be a name.
  const candidates = isPriced ? [...namesOfId(model.id, texts), ...snapshots] : [];
  const meant = candidates.filter(
    (name) => calcPrice({}, name, { providerId: provider })?.model === model,
  );
  return [...new Set([...exact, ...meant])]
    .filter((name) => names.test(name) && !name.endsWith("-"))
    .sort();
}

type ConditionalPrice = {
  constraint?: { start_date?: string; start_time?: string; end_time?: string };
  prices: ModelPrice;
};

/**
 * The price for all hours since the last change, and prices for some hours; the last matching one
 * counts.
 */
function currentPrices({ prices, price_comments: comment = "" }: ModelInfo): {
  price: ModelPrice;
  hours: NonNullable<PriceEntry["hours"]>;
} {
  if (!Array.isArray(prices)) return { price: prices, hours: [] };
  const all = prices as ConditionalPrice[];
  const started = all.filter(
    ({ constraint: when }) => !when?.start_time && (when?.start_date ?? "") <= today,
  );
  // The package states days of the week only in its comments.
  const exceptWeekends = /off-peak all day at weekends/i.test(comment) && {
    except_weekends: true as const,
  };
  const hours = all.flatMap(({ constraint, prices: then }) => {
    const { start_time = "", end_time = "" } = constraint ?? {};
    if (start_time === "") return [];
    if (tiersOf(then).length > 0)
      throw new Error("a price that depends on the hour and on the length of the prompt");
    return [{ from: clock(start_time), to: clock(end_time), ...exceptWeekends, ...ratesOf(then) }];
  });
  return { price: started.at(-1)?.prices ?? {}, hours };
}

function clock(time: string): string {
  const [, published] = /^(\d\d:\d\d):00Z$/.exec(time) ?? [];
  if (!published) throw new Error(`${time} is no whole minute of UTC`);
  return published;
}

type SourcePrice = ModelPrice[string];

const baseOf = (price: SourcePrice): number | undefined =>
  typeof price === "object" ? price.base : price;

/** Leaves out buckets without a price. */
const stated = (rates: readonly (readonly [string, number | undefined])[]): StatedRates =>
  Object.fromEntries(
    rates.flatMap(([bucket, rate]) => (rate === undefined ? [] : [[bucket, plainText(rate)]])),
  );

/** Decimal text with at most twelve places: a picodollar. */
const plainText = (rate: number): string => String(Number(rate.toFixed(12)));

function ratesOf(price: ModelPrice): StatedRates {
  const tokens = Object.entries(buckets).map(
    ([bucket, key]) => [bucket, baseOf(price[key])] as const,
  );
  const items = Object.entries(pieces).map(([bucket, [key, many]]) => {
    const rate = baseOf(price[key]);
    return [bucket, rate === undefined ? undefined : rate / many] as const;
  });
  return stated([...tokens, ...items]);
}

/** Prices of longer prompts, by the size that a prompt must exceed. */
function tiersOf(price: ModelPrice): NonNullable<PriceEntry["tiers"]> {
  const tiers = new Map<number, [string, number][]>();
  for (const [bucket, key] of Object.entries(buckets)) {
    const published = price[key];
    for (const { start, price: rate } of typeof published === "object" ? published.tiers : []) {
      tiers.set(start, [...(tiers.get(start) ?? []), [bucket, rate]]);
    }
  }
  return [...tiers]
    .sort(([a], [b]) => a - b)
    .map(([above, rates]) => ({ above, ...stated(rates) }));
}

const claude = /(?:^|[./])claude-/;

/**
 * The package leaves out what most hosts of Claude take for a cache of an hour. Where it states
 * that, as at Anthropic and for one model at Amazon, it is twice the input:
 * https://platform.claude.com/docs/en/build-with-claude/prompt-caching names that factor for all
 * models.
 */
const withHourlyWrites = <Stated extends StatedRates>(rates: Stated): Stated =>
  rates.input === undefined ||
  rates.cache_write_5m === undefined ||
  rates.cache_write_1h !== undefined
    ? rates
    : { ...rates, cache_write_1h: plainText(2 * Number(rates.input)) };

function entryOf(model: ModelInfo, seller: PriceSource): PriceEntry[] {
  if (model.deprecated || borrowed.test(model.price_comments ?? "")) return [];
  const { price, hours } = currentPrices(model);
  const rates = ratesOf(price);
  // Embeddings have no output; any other model without an output price has no price by tokens.
  const { texts } = textsOf(model.match);
  if (rates.output === undefined && texts.some((text) => /embed|\/bge-/.test(text)))
    rates.output = "0";
  const { input, output, ...others } = rates;
  const isPriced = input === undefined ? Object.keys(others).length > 0 : output !== undefined;
  const models = namesOf(model, seller, isPriced);
  if (models.length === 0) return [];
  if (!isPriced) return [{ models }];
  const isClaude = models.some((name) => claude.test(name));
  const tiers = tiersOf(price).map((tier) => (isClaude ? withHourlyWrites(tier) : tier));
  return [
    {
      models,
      ...(isClaude ? withHourlyWrites(rates) : rates),
      ...(tiers.length > 0 && { tiers }),
      ...(hours.length > 0 && { hours }),
      ...(model.context_window !== undefined && { context_window: model.context_window }),
      ...(seller.isRough && { unverified: true as const }),
    },
  ];
}

const lists = sellers.map((seller) => {
  const provider = findProvider({ providerId: seller.provider });
  if (!provider) throw new Error(`the package does not know the provider ${seller.provider}`);
  const entries = provider.models.flatMap((model) => entryOf(model, seller));
  const known = new Set(entries.flatMap(({ models }) => models));
  const missing = seller.snapshots?.filter((name) => !known.has(name)) ?? [];
  if (missing.length > 0)
    throw new Error(`the package has no price at ${seller.name} for ${missing.join(", ")}`);
  return [
    seller.name,
    entries.sort((a, b) => ((a.models[0] ?? "") < (b.models[0] ?? "") ? -1 : 1)),
  ] as const;
});

const data: PriceData = {
  source: `npm package @pydantic/genai-prices ${version}`,
  read_on: today,
  unit: "US dollars per million tokens; seconds and searches each",
  sellers: Object.fromEntries(lists),
};
/** `text` is one line per entry: small, and a diff shows what changed. */
const text = JSON.stringify(data, null, 1)
  .replaceAll(/\n {4,}/g, " ")
  .replaceAll(/\n {3}\}/g, " }");
writeFileSync(new URL("gateway/src/money/prices/price-data.json", root), `${text}\n`);
for (const [name, entries] of lists)
  console.log(
    `${name}: ${entries.length} entries, ${entries.flatMap(({ models }) => models).length} names`,
  );
