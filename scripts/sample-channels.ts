/**
 * The channels of the sample site: several types, every state, own prices for models that the price
 * data may not know.
 */
export interface SampleChannel {
  name: string;
  /**
   * `type` is that of contract/src/catalogue/channel-types.ts: 1 OpenAI, 14 Anthropic, 20
   * OpenRouter, 50 any OpenAI-compatible provider.
   */
  type: 1 | 14 | 20 | 50;
  /** The key contains the simulator's directives (simulator/README.md). */
  key: string;
  models: string;
  priority: number;
  weight: number;
  group?: string;
  model_configs?: string;
  config?: string;
  status?: 2;
  /** The reason for which the gateway disabled the channel. */
  autoDisabled?: string;
  /** The balance that the provider reports, in dollars. */
  balance?: number;
  /**
   * Milliseconds of an earlier test, for channels whose API format the simulator does not support.
   */
  testedMs?: number;
  isNeverTested?: true;
}

export const bothGroups = "default,vip";

/**
 * Input and output in dollars per million tokens, and parts of the input price for reading and
 * writing the cache.
 */
function priced(input: number, timesForOutput: number, cache?: { read: number; write?: number }) {
  const ratio = input / 2;
  return {
    ratio,
    completion_ratio: timesForOutput,
    ...(cache && { cached_input_ratio: Number((ratio * cache.read).toFixed(6)) }),
    ...(cache?.write && { cache_write_5m_ratio: Number((ratio * cache.write).toFixed(6)) }),
  };
}

const claude = { read: 0.1, write: 1.25 };

export const channels: readonly SampleChannel[] = [
  {
    name: "OpenAI production",
    type: 1,
    key: "sim-slow-120-900+pace-8+tokens-70+cached-20",
    // OpenAI ends gpt-5.4-nano in April 2027: it shows what the console says of such models.
    models:
      "gpt-5.4,gpt-5.2,gpt-5.4-mini,gpt-5.4-nano,gpt-5.6-terra,gpt-5.6-luna,gpt-5.2-pro,gpt-5.5",
    priority: 10,
    weight: 3,
    balance: 1_284.61,
  },
  {
    name: "OpenAI second account",
    type: 1,
    key: "sim-slow-150-1100+pace-8+tokens-70+as-second",
    models: "gpt-5.2,gpt-5.4-mini,gpt-5.6-terra,gpt-5.6-luna",
    priority: 10,
    weight: 1,
    balance: 3.2,
  },
  {
    name: "Anthropic team account",
    type: 14,
    key: "sim-ok+as-anthropic",
    models: "claude-opus-5,claude-sonnet-5,claude-haiku-4-5",
    priority: 10,
    weight: 0,
    model_configs: JSON.stringify({
      "claude-opus-5": { ...priced(5, 5, claude), max_tokens: 64_000 },
      "claude-sonnet-5": { ...priced(2, 5, claude), max_tokens: 64_000 },
      "claude-haiku-4-5": { ...priced(1, 5, claude), max_tokens: 64_000 },
    }),
    testedMs: 1_140,
  },
  {
    name: "OpenRouter",
    type: 20,
    // Two valid keys and a revoked one.
    key: ["", "+as-second-key", "+as-former-key+fail-401"]
      .map((more) => `sim-slow-200-1500+pace-6+tokens-90${more}`)
      .join("\n"),
    config: JSON.stringify({ multi_key: true }),
    models: "gemini-2.5-pro,gemini-2.5-flash-lite,deepseek-v3.2,grok-4,mistral-large",
    priority: 5,
    weight: 0,
    balance: 47.92,
    model_configs: JSON.stringify({
      "gemini-2.5-pro": priced(1.25, 8, { read: 0.25 }),
      "gemini-2.5-flash-lite": priced(0.1, 4),
      "deepseek-v3.2": priced(0.28, 1.5, { read: 0.1 }),
      "grok-4": priced(3, 5),
      "mistral-large": priced(0.5, 3),
    }),
  },
  {
    name: "Regional proxy (slow)",
    type: 50,
    key: "sim-slow-1200-2600+pace-15+tokens-40",
    models: "gpt-5.4-mini,gpt-5.6-terra,gpt-5.6-luna",
    priority: 5,
    weight: 0,
  },
  {
    name: "Own GPU server",
    type: 50,
    key: "sim-slow-60-200+pace-10+tokens-80",
    models: "gpt-oss-120b,llama-3.3-70b,qwen3-32b",
    priority: 0,
    weight: 0,
    model_configs: JSON.stringify({
      "llama-3.3-70b": { ...priced(0.2, 1.5), max_tokens: 8_192 },
      "qwen3-32b": { ...priced(0.1, 3), max_tokens: 16_384 },
    }),
  },
  {
    name: "Spot capacity",
    type: 50,
    key: "sim-fail-503-every-2+tokens-40",
    models: "gpt-5.5",
    priority: 20,
    weight: 0,
  },
  {
    name: "Trial account",
    type: 1,
    key: "sim-slow-90+fail-429-retry-45",
    models: "gpt-5.6-luna",
    priority: 20,
    weight: 0,
    group: "default",
    balance: 0,
  },
  {
    name: "Experimental mirror",
    type: 50,
    key: "sim-cut-24+pace-5+tokens-60",
    models: "gpt-oss-20b",
    priority: 0,
    weight: 0,
    model_configs: JSON.stringify({ "gpt-oss-20b": priced(0.1, 4) }),
  },
  {
    name: "Failing mirror",
    type: 50,
    key: "sim-fail-500",
    models: "gpt-5.6-sol",
    priority: 0,
    weight: 0,
  },
  {
    name: "Last resort",
    type: 50,
    key: "sim-slow-900+pace-20+tokens-40",
    models: "gpt-5.4-mini,gpt-oss-120b",
    priority: -10,
    weight: 0,
    group: "vip",
    isNeverTested: true,
  },
  {
    name: "Contract of last year",
    type: 1,
    key: "sim-ok+as-last-year",
    models: "gpt-5.6-luna,gpt-5.6-terra",
    priority: 0,
    weight: 0,
    status: 2,
    balance: 12.5,
  },
  {
    name: "Reseller",
    type: 50,
    key: "sim-fail-401",
    models: "gpt-5.2,gpt-5.4-mini",
    priority: 15,
    weight: 0,
    autoDisabled: "The provider refused the key: invalid_api_key",
  },
];
