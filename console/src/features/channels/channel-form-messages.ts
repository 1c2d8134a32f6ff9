import { useLingui } from "@lingui/react/macro";
import type { ChannelFormMessages } from "./channel-form-schema.ts";

export function useChannelFormMessages(): ChannelFormMessages {
  const { t } = useLingui();
  return {
    name: t`Channel name is required`,
    type: t`Channel type is required`,
    key: t`API key is required`,
    keyRequiredAgain: t`The address of the channel changed. Please enter the API key again`,
    keysRequiredAgain: t`The address of the channel changed. Please enter all API keys again`,
    remainingKey: t`Please enter the API key that stays`,
    required: t`This is required for this channel type`,
    mapping: t`Invalid JSON format in model mapping`,
    other: t`Invalid JSON format in other configuration`,
    config: t`Invalid JSON format in configuration`,
    arnMap: t`Invalid JSON format in inference profile ARN map`,
    priority: t`Priority must be a whole number`,
    weight: t`Weight must be non-negative`,
    ratelimit: t`Rate limit must be non-negative`,
    overrides: useOverrideMessages(),
    configs: useModelConfigMessages(),
    coze: (problem) => {
      const field = /^Missing required field: (\w+)$/.exec(problem)?.[1];
      return field === undefined ? t`The key must be valid JSON for OAuth JWT` : t`Missing required field: ${field}`;
    },
  };
}

/** The name of the header or parameter is part of the sentence. */
function useOverrideMessages(): (problem: string) => string {
  const { t } = useLingui();
  return (problem) => {
    const [, kind, quoted = ""] = /^(Header|Parameter) "?(.*?)"? (?:is|cannot|must)/.exec(problem) ?? [];
    const name = quoted;
    if (kind === "Parameter") return t`Parameter ${name} cannot be overridden`;
    if (problem.endsWith("is not a valid name")) return t`Header "${name}" is not a valid name`;
    if (problem.endsWith("cannot be set")) return t`Header ${name} cannot be set`;
    if (problem.endsWith("must hold text")) return t`Header ${name} must hold text`;
    if (kind === "Header") return t`Header ${name} must hold one line of plain characters`;
    if (problem.startsWith("There can be")) {
      const most = /\d+/.exec(problem)?.[0] ?? "";
      return t`There can be at most ${most} custom headers`;
    }
    if (problem.startsWith("Custom headers")) return t`Custom headers must be an object of names and values`;
    if (problem.startsWith("Overridden")) return t`Overridden parameters must be an object`;
    return t`Setting multi_key must be true or false`;
  };
}

/** The contract tells in English what is wrong with the configs; the model's name is part of the sentence. */
function useModelConfigMessages(): (problem: string) => string {
  const { t } = useLingui();
  return (problem) => {
    const [, subject, quoted = ""] = /^(\w+) (?:\w+ )?for model "(.*)"/.exec(problem) ?? [];
    const model = quoted;
    const field = /^Invalid (\w+)/.exec(problem)?.[1] ?? "";
    if (problem === "Model name cannot be empty") return t`Model name cannot be empty`;
    if (problem.endsWith("must be an object")) return t`Configuration for model "${model}" must be an object`;
    if (problem.endsWith("non-negative integer")) {
      return t`Invalid ${field} for model "${model}": must be a non-negative integer`;
    }
    if (problem.endsWith("non-negative number")) {
      return t`Invalid ${field} for model "${model}": must be a non-negative number`;
    }
    if (subject === "Configuration") {
      return t`Configuration for model "${model}" must have ratio, completion_ratio or max_tokens`;
    }
    return t`Model configs must be a JSON object`;
  };
}
