import { useLingui } from "@lingui/react/macro";
import type { ChannelFormWords } from "./channel-form-schema.ts";

export function useChannelFormWords(): ChannelFormWords {
  const { t } = useLingui();
  return {
    name: t`Channel name is required`,
    type: t`Channel type is required`,
    key: t`API key is required`,
    keyAgain: t`The address of the channel changed. Please enter the API key again`,
    keysAgain: t`The address of the channel changed. Please enter all API keys again`,
    keyThatStays: t`Please enter the API key that stays`,
    required: t`This is required for this channel type`,
    mapping: t`Invalid JSON format in model mapping`,
    other: t`Invalid JSON format in other configuration`,
    config: t`Invalid JSON format in configuration`,
    arnMap: t`Invalid JSON format in inference profile ARN map`,
    priority: t`Priority must be a whole number`,
    weight: t`Weight must be non-negative`,
    ratelimit: t`Rate limit must be non-negative`,
    overrides: useOverridesWords(),
    configs: useConfigsWords(),
    coze: (trouble) => {
      const field = /^Missing required field: (\w+)$/.exec(trouble)?.[1];
      return field === undefined ? t`The key must be valid JSON for OAuth JWT` : t`Missing required field: ${field}`;
    },
  };
}

/** The name of the header or parameter is part of the sentence. */
function useOverridesWords(): (trouble: string) => string {
  const { t } = useLingui();
  return (trouble) => {
    const [, kind, quoted = ""] = /^(Header|Parameter) "?(.*?)"? (?:is|cannot|must)/.exec(trouble) ?? [];
    const name = quoted;
    if (kind === "Parameter") return t`Parameter ${name} cannot be overridden`;
    if (trouble.endsWith("is not a valid name")) return t`Header "${name}" is not a valid name`;
    if (trouble.endsWith("cannot be set")) return t`Header ${name} cannot be set`;
    if (trouble.endsWith("must hold text")) return t`Header ${name} must hold text`;
    if (kind === "Header") return t`Header ${name} must hold one line of plain characters`;
    if (trouble.startsWith("There can be")) {
      const most = /\d+/.exec(trouble)?.[0] ?? "";
      return t`There can be at most ${most} custom headers`;
    }
    if (trouble.startsWith("Custom headers")) return t`Custom headers must be an object of names and values`;
    if (trouble.startsWith("Overridden")) return t`Overridden parameters must be an object`;
    return t`Setting multi_key must be true or false`;
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
