/**
 * Log probabilities: chat completions and Responses share a form, Gemini has one of its own. Pure.
 */
import { type JsonRecord, present, record, records, text } from "../wire/json-parts.ts";

const openAiToken = ({ token, logProbability }: JsonRecord): JsonRecord => ({
  token: text(token),
  logprob: logProbability,
  bytes: [...Buffer.from(text(token))],
});

/** The `logprobs` of a choice of chat completions for a candidate of Gemini; null without any. */
export function buildChatLogprobs({ logprobsResult }: JsonRecord): JsonRecord | null {
  const { chosenCandidates, topCandidates } = record(logprobsResult);
  const likeliest = records(topCandidates);
  const content = records(chosenCandidates).map((chosen, at) => ({
    ...openAiToken(chosen),
    top_logprobs: records(likeliest[at]?.candidates).map(openAiToken),
  }));
  return content.length === 0 ? null : { content, refusal: null };
}

const buildGeminiToken = ({ token, logprob }: JsonRecord): JsonRecord =>
  present({ token: text(token), logProbability: logprob });

/** The reverse; undefined without any. */
export function findGeminiLogprobs(tokens: readonly JsonRecord[]): JsonRecord | undefined {
  if (tokens.length === 0) return undefined;
  return {
    chosenCandidates: tokens.map(buildGeminiToken),
    topCandidates: tokens.map(({ top_logprobs }) => ({
      candidates: records(top_logprobs).map(buildGeminiToken),
    })),
  };
}

/** The tokens of a choice of chat completions. */
export const listChoiceTokens = ({ logprobs }: JsonRecord): JsonRecord[] =>
  records(record(logprobs).content);
