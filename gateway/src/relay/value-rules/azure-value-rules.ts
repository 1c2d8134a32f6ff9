/** Values that Azure refuses of OpenAI's models, beside those that OpenAI refuses. */
import type { ValueRule } from "./value-rule.ts";

const inBothEfforts = (row: Omit<ValueRule, "api" | "member">): ValueRule[] => [
  { ...row, api: "chat_completions", member: "reasoning_effort" },
  { ...row, api: "response_api", member: "reasoning.effort" },
];

/** `azureValueRules` know deployments by the name of their model; any other name tells nothing. */
export const azureValueRules: readonly ValueRule[] = [
  {
    id: "AZ2",
    api: "chat_completions",
    at: ["azure"],
    models: /^gpt-[5-9].*-chat/,
    member: "max_tokens",
    refused: "by models of the chat program, too",
    fit: { do: "move", to: "max_completion_tokens" },
    certainty: "certain",
    source: "litellm",
  },
  ...inBothEfforts({
    id: "AZ3",
    at: ["azure"],
    models: /^gpt-6-astra/,
    refuses: (value) => value === "max",
    refused: "`max`",
    fit: { do: "set", value: "xhigh" },
    certainty: "certain",
    source: "BerriAI/litellm#16704; litellm's table of models",
  }),
  ...inBothEfforts({
    id: "AZ3",
    at: ["azure"],
    models: /^gpt-6\.1-terra/,
    refuses: (value) => value === "none",
    refused: "`none`",
    fit: { do: "set", value: "low" },
    certainty: "certain",
    source: "BerriAI/litellm#16704; litellm's table of models",
  }),
  ...["logprobs", "top_logprobs"].map(
    (member): ValueRule => ({
      id: "AZ4",
      api: "chat_completions",
      at: ["azure"],
      models: /^gpt-5(?:\.1)?(?![.\d])/,
      member,
      refuses: (value) => value !== false,
      refused: "by models before GPT-5.2",
      fit: { do: "drop" },
      certainty: "certain",
      source: "litellm",
    }),
  ),
];
