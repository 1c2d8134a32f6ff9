/**
 * The amount of output that a request allows, whichever members say so, and the limit that the
 * gateway writes into it.
 */
import { isRecord, type JsonRecord, record } from "../../wire/json-parts.ts";
import { addMembers } from "../../wire/json-spans.ts";

/** More than any model writes; a larger number is a mistake or an attack on the arithmetic. */
const tokensMax = 10_000_000;
/** More answers than any provider gives to one prompt. */
const answersMax = 10_000;

/**
 * A provider may know another of these members than the one that the API documents, so the largest
 * counts, wherever it stands: at the top, in Gemini's configuration, or as the budget of the
 * model's reasoning.
 */
export const limitMembers = [
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "max_new_tokens",
  "max_tokens_to_sample",
  "maxOutputTokens",
  "maxTokens",
  "budget_tokens",
  "thinking_budget",
  "thinkingBudget",
];
export const answersMembers = ["n", "best_of", "candidateCount", "candidate_count"];
export const nestedMembers = [
  "generationConfig",
  "generation_config",
  "thinking",
  "thinkingConfig",
  "thinking_config",
  "reasoning",
];

/**
 * Output tokens of one answer: the largest limit in the body. Undefined without any; 0 is no limit
 * for some providers.
 */
export const parseOutputLimit = (json: unknown): number | undefined =>
  parseLargest(json, limitMembers, tokensMax);

/** Answers that the request asks for: those to one prompt, times its prompts. */
export const parseAnswers = (json: unknown, prompts = 1): number =>
  Math.min((parseLargest(json, answersMembers, answersMax) ?? 1) * prompts, answersMax);

function parseLargest(json: unknown, names: readonly string[], max: number): number | undefined {
  if (!isRecord(json)) return undefined;
  let largest = 0;
  for (const name of names) largest = Math.max(largest, readNumber(json[name]));
  for (const name of nestedMembers)
    largest = Math.max(largest, parseLargest(json[name], names, max) ?? 0);
  return largest >= 1 ? Math.min(Math.ceil(largest), max) : undefined;
}

/** `readNumber` takes text too, as some providers do. */
function readNumber(value: unknown): number {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof number === "number" && !Number.isNaN(number) ? number : 0;
}

/**
 * OpenAI's reasoning models: they take their limit under its newer name, and an effort in place of
 * a budget.
 */
export const isReasoningModel = (model: string): boolean => /^(o\d|gpt-[5-9])/.test(model);

export const readTokenLimitField = (model: string): string =>
  isReasoningModel(model) ? "max_completion_tokens" : "max_tokens";

/** Writes a limit into the client's body, in the member of its API; `json` is the parsed body. */
export type OutputLimitWriter = (
  body: Buffer,
  json: JsonRecord,
  model: string,
  tokens: number,
) => Buffer;

/** Chat completions: both members may be there with 0, and a provider reads one of them. */
export const writeChatLimit: OutputLimitWriter = (body, json, model, tokens) => {
  const given = ["max_tokens", "max_completion_tokens"].filter(
    (name) => typeof json[name] === "number",
  );
  const members = given.length > 0 ? given : [readTokenLimitField(model)];
  return addMembers(body, Object.fromEntries(members.map((name) => [name, String(tokens)])));
};

export const createLimitWriter =
  (member: string): OutputLimitWriter =>
  (body, _json, _model, tokens) =>
    addMembers(body, { [member]: String(tokens) });

/** Gemini: the limit stands in a configuration that has two spellings, as has the limit itself. */
export const writeGeminiLimit: OutputLimitWriter = (body, json, _model, tokens) => {
  const member = json.generation_config === undefined ? "generationConfig" : "generation_config";
  const { max_output_tokens: _, ...config } = record(json[member]);
  return addMembers(body, { [member]: JSON.stringify({ ...config, maxOutputTokens: tokens }) });
};
