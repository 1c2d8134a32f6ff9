import { i18n } from "@lingui/core";
import { useLingui } from "@lingui/react/macro";
import {
  type ChannelIssue,
  formatChannelIssueMessage,
} from "@tollgate/contract/catalogue/channel-issues.ts";
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
    headerRequired: t`Please enter the value of the header`,
    headerRequiredAgain: t`The address of the channel changed. Please enter the value of this header again`,
    headerRepeated: t`This header is already in the list`,
    required: t`This is required for this channel type`,
    mapping: t`Invalid JSON format in model mapping`,
    other: t`Invalid JSON format in other configuration`,
    config: t`Invalid JSON format in configuration`,
    arnMap: t`Invalid JSON format in inference profile ARN map`,
    priority: t`Priority must be a whole number`,
    weight: t`Weight must be non-negative`,
    ratelimit: t`Rate limit must be non-negative`,
    buyingFactor: t`The buying factor must be 0 or a number from 0.000001 to 1000`,
    issue: formatChannelIssueText,
  };
}

/**
 * The catalogue translates an issue by its code; without a translation the contract's English
 * sentence stands.
 */
function formatChannelIssueText(issue: ChannelIssue): string {
  const id = `channel.${issue.code}`;
  const translated = i18n._(id, issue.params);
  return translated === id ? formatChannelIssueMessage(issue) : translated;
}
