import { useLingui } from "@lingui/react/macro";
import type { ChannelFormWords } from "./channel-form-schema.ts";

export function useChannelFormWords(): ChannelFormWords {
  const { t } = useLingui();
  return {
    name: t`Channel name is required`,
    type: t`Channel type is required`,
    key: t`API key is required`,
    keyAgain: t`The address of the channel changed. Please enter the API key again`,
    required: t`This is required for this channel type`,
    mapping: t`Invalid JSON format in model mapping`,
    other: t`Invalid JSON format in other configuration`,
    config: t`Invalid JSON format in configuration`,
    arnMap: t`Invalid JSON format in inference profile ARN map`,
    priority: t`Priority must be a whole number`,
    weight: t`Weight must be non-negative`,
    ratelimit: t`Rate limit must be non-negative`,
    configs: useConfigsWords(),
    coze: (trouble) => {
      const field = /^Missing required field: (\w+)$/.exec(trouble)?.[1];
      return field === undefined ? t`The key must be valid JSON for OAuth JWT` : t`Missing required field: ${field}`;
    },
  };
}

/** The contract tells in English what is wrong with the configs; the model's name is part of the sentence. */
function useConfigsWords(): (trouble: string) => string {
  const { t } = useLingui();
  return (trouble) => {
    const [, subject, quoted = ""] = /^(\w+) (?:\w+ )?for model "(.*)"/.exec(trouble) ?? [];
    const model = quoted;
    const field = /^Invalid (\w+)/.exec(trouble)?.[1] ?? "";
    if (trouble === "Model name cannot be empty") return t`Model name cannot be empty`;
    if (trouble.endsWith("must be an object")) return t`Configuration for model "${model}" must be an object`;
    if (trouble.endsWith("non-negative integer")) {
      return t`Invalid ${field} for model "${model}": must be a non-negative integer`;
    }
    if (trouble.endsWith("non-negative number")) {
      return t`Invalid ${field} for model "${model}": must be a non-negative number`;
    }
    if (subject === "Configuration") {
      return t`Configuration for model "${model}" must have ratio, completion_ratio or max_tokens`;
    }
    return t`Model configs must be a JSON object`;
  };
}
