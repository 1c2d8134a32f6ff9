/**
 * Generates a month of calls: the same for the same time and seed, busy in working hours, quiet at
 * weekends. Pure.
 */
import { noUsage, type Usage } from "@tollgate/gateway/money/prices/price.ts";
import { type SampleToken, sampleTokens } from "./sample-site.ts";

export interface SampleHistoryCall {
  at: number;
  token: SampleToken;
  model: string;
  channel: string;
  /** A channel that was tried before and answered with this status. */
  before: { channel: string; status: number } | undefined;
  outcome: "success" | "failed" | "client_left" | "cut" | "quota_ran_out" | "interrupted";
  usage: Usage;
  isStream: boolean;
  ttftMs: number;
  elapsedMs: number;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
export const historyDays = 30;

/** The weight of each hour of the day (UTC). */
const hours = [1, 1, 1, 1, 1, 2, 4, 8, 12, 14, 14, 12, 10, 13, 14, 13, 11, 8, 5, 4, 3, 3, 2, 1];
const weekendShare = 0.3;
const callsADay = 110;

interface SampleModelUsage {
  model: string;
  share: number;
  promptMedian: number;
  outputMedian: number;
  /** Median milliseconds to the first token, and per token after it. */
  ttftMs: number;
  tokenMs: number;
  channels: readonly [name: string, share: number][];
}

const twoAccounts: SampleModelUsage["channels"] = [
  ["OpenAI production", 3],
  ["OpenAI second account", 1],
];
const modelUsages: readonly SampleModelUsage[] = [
  modelUsage("gpt-5.4-mini", 34, 2_400, 260, 420, 7, [
    ...twoAccounts,
    ["Regional proxy (slow)", 0.3],
  ]),
  modelUsage("gpt-5.2", 17, 21_000, 700, 900, 12, twoAccounts),
  modelUsage("gpt-5.6-luna", 16, 700, 180, 340, 6, [
    ...twoAccounts,
    ["Regional proxy (slow)", 0.4],
  ]),
  modelUsage("gpt-5.6-terra", 11, 3_200, 340, 560, 10, twoAccounts),
  modelUsage("gpt-oss-120b", 8, 600, 300, 180, 9, [["Own GPU server", 1]]),
  modelUsage("gpt-5.5", 7, 1_100, 620, 1_400, 9, [
    ["OpenAI production", 2],
    ["Spot capacity", 1],
  ]),
  modelUsage("gpt-5.4", 5, 26_000, 900, 1_100, 14, [["OpenAI production", 1]]),
  modelUsage("llama-3.3-70b", 2, 500, 220, 160, 12, [["Own GPU server", 1]]),
  modelUsage("qwen3-32b", 3, 500, 240, 170, 9, [["Own GPU server", 1]]),
  modelUsage("claude-sonnet-5", 9, 17_000, 620, 880, 13, [["Anthropic team account", 1]]),
  modelUsage("claude-opus-5", 3, 12_000, 700, 1_300, 18, [["Anthropic team account", 1]]),
  modelUsage("claude-haiku-4-5", 4, 900, 240, 420, 7, [["Anthropic team account", 1]]),
  modelUsage("gemini-2.5-pro", 5, 9_000, 520, 1_100, 10, [["OpenRouter", 1]]),
  modelUsage("gemini-2.5-flash-lite", 5, 800, 160, 300, 5, [["OpenRouter", 1]]),
  modelUsage("deepseek-v3.2", 4, 900, 320, 620, 14, [["OpenRouter", 1]]),
  modelUsage("grok-4", 1.5, 1_200, 420, 1_500, 14, [["OpenRouter", 1]]),
  modelUsage("mistral-large", 1.5, 700, 260, 480, 11, [["OpenRouter", 1]]),
  modelUsage("gpt-5.4-nano", 5, 400, 110, 280, 4, [["OpenAI production", 1]]),
  modelUsage("gpt-5.2-pro", 2, 1_400, 800, 2_100, 11, [["OpenAI production", 1]]),
];

function modelUsage(
  model: string,
  share: number,
  promptMedian: number,
  outputMedian: number,
  ttftMs: number,
  tokenMs: number,
  channels: SampleModelUsage["channels"],
): SampleModelUsage {
  return { model, share, promptMedian, outputMedian, ttftMs, tokenMs, channels };
}

/** Oldest first; none after `now`. */
export function sampleMonth(now: number, seed = 20_240_501): SampleHistoryCall[] {
  const random = randomFrom(seed);
  const firstDay = Math.floor(now / dayMs) - (historyDays - 1);
  const calls: SampleHistoryCall[] = [];
  for (let day = firstDay; day < firstDay + historyDays; day += 1) {
    const isWeekend = [0, 6].includes(new Date(day * dayMs).getUTCDay());
    const growth = 0.7 + (0.6 * (day - firstDay)) / historyDays;
    const count = Math.round(
      callsADay * growth * (isWeekend ? weekendShare : 1) * (0.85 + 0.3 * random()),
    );
    const moments = Array.from({ length: count }, () => day * dayMs + momentOfDay(random)).sort(
      (a, b) => a - b,
    );
    for (const at of moments) {
      const call = callAt(at, (at - firstDay * dayMs) / (historyDays * dayMs), random);
      if (at < now - 60_000) calls.push(call);
    }
  }
  return calls;
}

const momentOfDay = (random: () => number): number =>
  picked(hours.entries(), ([, share]) => share, random)[0] * hourMs + Math.floor(random() * hourMs);

function callAt(at: number, age: number, random: () => number): SampleHistoryCall {
  const usable = sampleTokens.filter(({ share, name }) => share > 0 && isUsed(name, age));
  const token = picked(usable, ({ share }) => share, random);
  const allowed = token.models?.split(",");
  const habit = picked(
    modelUsages.filter(({ model }) => !allowed || allowed.includes(model)),
    ({ share }) => share,
    random,
  );
  const [channel] = picked(habit.channels, ([, share]) => share, random);
  const outcome = picked(outcomes, ([, share]) => share, random)[0];
  const slowness = channel.includes("slow") ? 2.6 : 1;
  const output = Math.max(
    1,
    Math.round(around(habit.outputMedian, 0.7, random) * (outcome === "success" ? 1 : 0.4)),
  );
  const prompt = Math.round(around(habit.promptMedian, 0.8, random));
  const cache_read =
    random() < 0.35 ? Math.floor((prompt * (0.3 + 0.5 * random())) / 128) * 128 : 0;
  const cache_write_5m =
    habit.model.startsWith("claude") && random() < 0.3 ? Math.floor(prompt * 0.2) : 0;
  const isStream = !["success", "failed"].includes(outcome) || random() < 0.6;
  const ttftMs = Math.round(around(habit.ttftMs, 0.35, random) * slowness);
  const streamedMs = Math.round(output * around(habit.tokenMs, 0.25, random));
  const before = triedFirst[habit.model];
  const isCharged = outcome !== "failed";
  return {
    at,
    token,
    model: habit.model,
    channel,
    before: before && before.channel !== channel && random() < 0.05 ? before : undefined,
    outcome,
    usage: isCharged
      ? {
          ...noUsage,
          input: prompt - cache_read - cache_write_5m,
          cache_read,
          cache_write_5m,
          output,
        }
      : noUsage,
    isStream,
    ttftMs: isCharged ? ttftMs : 0,
    elapsedMs: isCharged ? ttftMs + streamedMs : Math.round(around(700, 0.5, random)),
  };
}

const outcomes: readonly [SampleHistoryCall["outcome"], number][] = [
  ["success", 965],
  ["failed", 15],
  ["client_left", 14],
  ["cut", 6],
  ["quota_ran_out", 3],
  ["interrupted", 2],
];

/** Some keys were used for a part of the month only. */
function isUsed(name: string, age: number): boolean {
  if (name === "Workshop") return age > 0.3 && age < 0.5;
  if (name === "Summer intern") return age < 0.65;
  if (name === "Partner trial") return age > 0.5;
  return name !== "First try" || age < 0.35;
}

/** Channels of high priority that sometimes failed. */
const triedFirst: Readonly<Record<string, SampleHistoryCall["before"]>> = {
  "gpt-5.2": { channel: "Reseller", status: 401 },
  "gpt-5.4-mini": { channel: "Reseller", status: 401 },
  "gpt-5.5": { channel: "Spot capacity", status: 503 },
};

function picked<Item>(
  items: Iterable<Item>,
  shareOf: (item: Item) => number,
  random: () => number,
): Item {
  const all = [...items];
  let point = random() * all.reduce((sum, item) => sum + shareOf(item), 0);
  for (const item of all) {
    point -= shareOf(item);
    if (point < 0) return item;
  }
  const last = all.at(-1);
  if (last === undefined) throw new Error("nothing to pick from");
  return last;
}

/**
 * A log-normal value, as lengths and times have: `spread` is the standard deviation of the
 * logarithm.
 */
function around(median: number, spread: number, random: () => number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  return median * Math.exp(spread * normal);
}

/** The mulberry32 generator: small, and good enough for generated calls. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
