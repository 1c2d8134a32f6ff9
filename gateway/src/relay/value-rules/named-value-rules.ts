/**
 * Members that some provider of an API refuses, which one only its refusal tells: they are left out
 * of a second try.
 */
import type { ApiEndpoint } from "../formats/api-format.ts";
import type { ValueRule } from "./value-rule.ts";

/** Wishes alone: the answer is of use without them. */
const wishes: Readonly<Partial<Record<ApiEndpoint, readonly string[]>>> = {
  chat_completions: [
    "temperature",
    "top_p",
    "top_k",
    "min_p",
    "presence_penalty",
    "frequency_penalty",
    "repetition_penalty",
    "seed",
    "stop",
    "logit_bias",
    "logprobs",
    "top_logprobs",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "metadata",
    "store",
    "reasoning_effort",
    "verbosity",
    "parallel_tool_calls",
    "stream_options",
    "prediction",
  ],
  response_api: [
    "temperature",
    "top_p",
    "top_logprobs",
    "user",
    "safety_identifier",
    "prompt_cache_key",
    "prompt_cache_retention",
    "metadata",
    "include",
    "truncation",
    "parallel_tool_calls",
    "stream_options",
    "reasoning.effort",
    "reasoning.summary",
    "text.verbosity",
  ],
  claude_messages: [
    "temperature",
    "top_p",
    "top_k",
    "stop_sequences",
    "metadata",
    "thinking",
    "context_management",
    "output_config.effort",
  ],
  gemini: [
    "generationConfig.temperature",
    "generationConfig.topP",
    "generationConfig.topK",
    "generationConfig.seed",
    "generationConfig.presencePenalty",
    "generationConfig.frequencyPenalty",
    "generationConfig.stopSequences",
    "generationConfig.responseLogprobs",
    "generationConfig.logprobs",
    "generationConfig.thinkingConfig.thinkingLevel",
    "generationConfig.thinkingConfig.thinkingBudget",
    "generationConfig.thinkingConfig.includeThoughts",
    "labels",
  ],
  bedrock_converse: [
    "inferenceConfig.temperature",
    "inferenceConfig.topP",
    "inferenceConfig.stopSequences",
    "additionalModelRequestFields.reasoning_effort",
    "requestMetadata",
  ],
};

export const namedValueRules: readonly ValueRule[] = Object.entries(wishes).flatMap(
  ([api, members]) =>
    members.map(
      (member): ValueRule => ({
        id: "N1",
        api: api as ApiEndpoint,
        member,
        refused: "by some server",
        fit: { do: "drop" },
        certainty: "named",
        source: "the provider's own refusal",
      }),
    ),
);
