/**
 * Issues of a channel's JSON fields as data: a code and its parameters, worded by gateway and
 * console.
 */

const sentences = {
  model_pattern_invalid:
    "{name}: a pattern has one *, at its end, after at least two other characters, as in gpt-*",
  headers_not_object: "Custom headers must be an object of names and values",
  headers_too_many: "There can be at most {max} custom headers",
  header_name_invalid: 'Header "{name}" is not a valid name',
  header_fixed: "Header {name} cannot be set",
  header_not_text: "Header {name} must hold text",
  header_not_plain: "Header {name} must hold one line of plain characters",
  parameters_not_object: "Overridden parameters must be an object",
  parameter_fixed: "Parameter {name} cannot be overridden",
  setting_not_boolean: "Setting {name} must be true or false",
  setting_not_factor: "Setting {name} must be 0 or a number from 0.000001 to {max}",
  setting_not_region_factor:
    "Setting {name} must be a number from {min} to {max} with at most 6 decimals",
  setting_not_ids: "Setting {name} must be a list of at most {max} ids",
  configs_not_object: "Model configs must be a JSON object",
  config_name_empty: "Model name cannot be empty",
  config_not_object: 'Configuration for model "{model}" must be an object',
  config_not_number: 'Invalid {field} for model "{model}": must be a non-negative number',
  config_not_integer: 'Invalid {field} for model "{model}": must be a non-negative integer',
  config_prices:
    'Invalid {field} for model "{model}": prices are dollars by the names in the documentation',
  config_empty: 'Configuration for model "{model}" must have ratio, completion_ratio or max_tokens',
  coze_key_not_json: "The key must be valid JSON for OAuth JWT",
  coze_field_missing: "Missing required field: {field}",
} as const;

export type ChannelIssueCode = keyof typeof sentences;

export interface ChannelIssue {
  code: ChannelIssueCode;
  params: Readonly<Record<string, string>>;
}

/**
 * English sentences with their parameters in braces: used in API replies and translated by the
 * console's catalogue.
 */
export const channelIssueSentences: Readonly<Record<ChannelIssueCode, string>> = sentences;

export const buildChannelIssue = (
  code: ChannelIssueCode,
  params: ChannelIssue["params"] = {},
): ChannelIssue => ({
  code,
  params,
});

export const formatChannelIssueMessage = ({ code, params }: ChannelIssue): string =>
  sentences[code].replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
