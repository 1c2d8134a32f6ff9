/**
 * The effort with which a model is to think: one scale, and its words that each family of models
 * accepts. A word that a model refuses becomes the nearest that it takes: downwards from the upper
 * half of the scale, upwards from the lower. Pure.
 */

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export const isEffort = (value: unknown): value is Effort =>
  efforts.some((effort) => effort === value);

interface EffortFamily {
  models: RegExp;
  accepted: readonly Effort[];
}

const listEffortRange = (first: Effort, last: Effort): readonly Effort[] =>
  efforts.slice(efforts.indexOf(first), efforts.indexOf(last) + 1);

/**
 * Models of OpenAI, the first that matches: https://developers.openai.com/api/docs/guides/reasoning
 * and the pages of the models.
 */
const openAiFamilies: readonly EffortFamily[] = [
  { models: /^o\d/, accepted: listEffortRange("low", "high") },
  { models: /^gpt-5-pro/, accepted: ["high"] },
  { models: /^gpt-5(?:\.\d+)?-chat/, accepted: ["medium"] },
  {
    models: /^gpt-5(?:-(?:mini|nano|codex))?(?:-\d|$)/,
    accepted: listEffortRange("minimal", "high"),
  },
  { models: /^gpt-5\.1-codex-max/, accepted: listEffortRange("low", "xhigh") },
  { models: /^gpt-5(?:\.\d+)?-codex/, accepted: listEffortRange("low", "high") },
  { models: /^gpt-5\.\d+-pro/, accepted: listEffortRange("medium", "xhigh") },
  { models: /^gpt-5\.1/, accepted: ["none", ...listEffortRange("low", "high")] },
  { models: /^gpt-5\.\d/, accepted: ["none", ...listEffortRange("low", "xhigh")] },
  { models: /^gpt-6-astra|^gpt-6\.\d+-sol/, accepted: listEffortRange("low", "max") },
  { models: /^gpt-[6-9]/, accepted: ["none", ...listEffortRange("low", "max")] },
];

/**
 * Models of Anthropic that take an effort:
 * https://platform.claude.com/docs/en/build-with-claude/effort
 */
const anthropicFamilies: readonly EffortFamily[] = [
  { models: /claude-opus-4[-.]5/, accepted: listEffortRange("low", "high") },
  { models: /claude-(?:opus|sonnet)-4[-.]6/, accepted: [...listEffortRange("low", "high"), "max"] },
  { models: /claude-/, accepted: listEffortRange("low", "max") },
];

/** Levels of Gemini 3: https://ai.google.dev/gemini-api/docs/thinking */
const googleFamilies: readonly EffortFamily[] = [
  { models: /gemini-3-pro/, accepted: ["low", "high"] },
  { models: /gemini-3\.[78]-flash/, accepted: listEffortRange("low", "high") },
  { models: /gemini-\d+(?:\.\d+)?-flash/, accepted: listEffortRange("minimal", "high") },
  { models: /gemini-/, accepted: listEffortRange("low", "high") },
];

/** The words of Google's API for chat completions: https://ai.google.dev/gemini-api/docs/openai */
const googleChatFamilies: readonly EffortFamily[] = [
  { models: /gemini-2\.5-flash/, accepted: listEffortRange("none", "high") },
  { models: /gemini-/, accepted: listEffortRange("minimal", "high") },
];

/** `vendorFamilies` are those of other makers. Groq's word for Qwen's thinking is `default`. */
const vendorFamilies: readonly EffortFamily[] = [
  { models: /^deepseek-v[4-9]/, accepted: ["low", "high", "max"] },
  { models: /^(?:kimi-k3|glm-5\.3)/, accepted: ["low", "high", "max"] },
  { models: /^glm-5/, accepted: efforts },
  { models: /^(?:mistral-(?:small|medium|large)|magistral)/, accepted: ["none", "high"] },
  { models: /^gpt-oss/, accepted: listEffortRange("low", "high") },
  { models: /^grok-3-mini/, accepted: ["low", "high"] },
  { models: /^grok-(?:4\.[3-9]|[5-9])|multi-agent/, accepted: listEffortRange("low", "high") },
];

const mediumFrom = 2_048;
const highFrom = 8_192;

/** readBudgetEffort tells the effort that a budget of thinking tokens of Messages stands for. */
export const readBudgetEffort = (budget: number): Effort =>
  budget >= highFrom ? "high" : budget >= mediumFrom ? "medium" : "low";

/** The accepted word that is nearest to what was asked. */
function fitEffort(effort: Effort, accepted: readonly Effort[]): Effort {
  const asked = efforts.indexOf(effort);
  const below = accepted.findLast((one) => efforts.indexOf(one) <= asked);
  const above = accepted.find((one) => efforts.indexOf(one) >= asked);
  return (asked <= efforts.indexOf("medium") ? (above ?? below) : (below ?? above)) ?? effort;
}

const fitFamilyEffort = (
  families: readonly EffortFamily[],
  effort: Effort,
  model: string,
): Effort => {
  const family = families.find(({ models }) => models.test(model));
  return family ? fitEffort(effort, family.accepted) : effort;
};

/**
 * The words that a model is known to accept; none for a model that is not known to think by them.
 */
export const listAcceptedEfforts = (model: string): readonly Effort[] =>
  [...openAiFamilies, ...anthropicFamilies, ...googleFamilies].find(({ models }) =>
    models.test(model),
  )?.accepted ?? [];

/** The effort in OpenAI's words; a model that is not known keeps what the client said. */
export const fitOpenAiEffort = (effort: unknown, model: string): unknown =>
  isEffort(effort) ? fitFamilyEffort(openAiFamilies, effort, model) : effort;

export const fitAnthropicEffort = (effort: Effort, model: string): Effort =>
  fitFamilyEffort(anthropicFamilies, effort, model);

export const fitGoogleLevel = (effort: Effort, model: string): Effort =>
  fitFamilyEffort(googleFamilies, effort, model);

/** The effort in the words of Google's API for chat completions. */
export const fitGoogleChatEffort = (effort: unknown, model: string): unknown =>
  isEffort(effort) ? fitFamilyEffort(googleChatFamilies, effort, model) : effort;

/** Undefined for a model that takes no effort. */
export function fitVendorEffort(effort: Effort, model: string): string | undefined {
  if (/^qwen/.test(model)) return effort === "none" ? "none" : "default";
  const family = vendorFamilies.find(({ models }) => models.test(model));
  return family && fitEffort(effort, family.accepted);
}

/** Models of other makers that think or not as they are told, by an effort or a switch. */
const switched =
  /^(?:deepseek-(?:v[4-9]|chat|reasoner)|kimi-k(?:2\.[5-9]|[3-9])|glm-[45]|minimax-m3|qwen)/;

/** `model` as `plainModel` writes it. */
export const isToldToThink = (model: string): boolean =>
  switched.test(model) || vendorFamilies.some(({ models }) => models.test(model));
