/**
 * How much a model is to think: one scale, and which of its words each family of models accepts. A word that a model refuses becomes the
 * nearest that it takes: downwards from the upper half of the scale, upwards from the lower. Pure.
 */

export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export const isEffort = (value: unknown): value is Effort => efforts.some((effort) => effort === value);

interface EffortFamily {
  models: RegExp;
  accepted: readonly Effort[];
}

const between = (first: Effort, last: Effort): readonly Effort[] =>
  efforts.slice(efforts.indexOf(first), efforts.indexOf(last) + 1);

/** Models of OpenAI, the first that matches: https://developers.openai.com/api/docs/guides/reasoning and the pages of the models. */
const openAiFamilies: readonly EffortFamily[] = [
  { models: /^o\d/, accepted: between("low", "high") },
  { models: /^gpt-5-pro/, accepted: ["high"] },
  { models: /^gpt-5(?:\.\d+)?-chat/, accepted: ["medium"] },
  { models: /^gpt-5(?:-(?:mini|nano|codex))?(?:-\d|$)/, accepted: between("minimal", "high") },
  { models: /^gpt-5\.1-codex-max/, accepted: between("low", "xhigh") },
  { models: /^gpt-5(?:\.\d+)?-codex/, accepted: between("low", "high") },
  { models: /^gpt-5\.\d+-pro/, accepted: between("medium", "xhigh") },
  { models: /^gpt-5\.1/, accepted: ["none", ...between("low", "high")] },
  { models: /^gpt-5\.\d/, accepted: ["none", ...between("low", "xhigh")] },
  { models: /^gpt-6-astra|^gpt-6\.\d+-sol/, accepted: between("low", "max") },
];

/** Models of Anthropic that take an effort: https://platform.claude.com/docs/en/build-with-claude/effort */
const anthropicFamilies: readonly EffortFamily[] = [
  { models: /claude-opus-4[-.]5/, accepted: between("low", "high") },
  { models: /claude-(?:opus|sonnet)-4[-.]6/, accepted: [...between("low", "high"), "max"] },
  { models: /claude-/, accepted: between("low", "max") },
];

/** Levels of Gemini 3: https://ai.google.dev/gemini-api/docs/thinking */
const googleFamilies: readonly EffortFamily[] = [
  { models: /gemini-3-pro/, accepted: ["low", "high"] },
  { models: /gemini-\d+(?:\.\d+)?-flash/, accepted: between("minimal", "high") },
  { models: /gemini-/, accepted: between("low", "high") },
];

/** The accepted word that is nearest to what was asked. */
function fitTo(effort: Effort, accepted: readonly Effort[]): Effort {
  const asked = efforts.indexOf(effort);
  const below = accepted.findLast((one) => efforts.indexOf(one) <= asked);
  const above = accepted.find((one) => efforts.indexOf(one) >= asked);
  return (asked <= efforts.indexOf("medium") ? (above ?? below) : (below ?? above)) ?? effort;
}

const fitIn = (families: readonly EffortFamily[], effort: Effort, model: string): Effort => {
  const family = families.find(({ models }) => models.test(model));
  return family ? fitTo(effort, family.accepted) : effort;
};

/** The effort in OpenAI's words; a model that is not known keeps what the client said. */
export const fitOpenAiEffort = (effort: unknown, model: string): unknown =>
  isEffort(effort) ? fitIn(openAiFamilies, effort, model) : effort;

export const fitAnthropicEffort = (effort: Effort, model: string): Effort => fitIn(anthropicFamilies, effort, model);

export const fitGoogleLevel = (effort: Effort, model: string): Effort => fitIn(googleFamilies, effort, model);
