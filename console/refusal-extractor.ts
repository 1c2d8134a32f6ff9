/**
 * Puts the sentences of the contract into the catalogues under their codes: refusals and issues of
 * channels.
 */
import type { ExtractorType } from "@lingui/conf";
import { errorTable } from "@tollgate/contract/api/errors.ts";
import { channelIssueSentences } from "@tollgate/contract/catalogue/channel-issues.ts";

/**
 * Not translated by code: the message holds a reason that the code does not, or is not a sentence.
 */
const untranslatedCodes = new Set([
  "invalid_request",
  "option_incomplete",
  "option_fixed",
  "channel_test_failed",
  "channel_balance_failed",
  "totp_required",
]);

export const refusalExtractor: ExtractorType = {
  match: (file) => file.endsWith("contract/src/api/errors.ts"),
  extract(file, _source, onMessage) {
    for (const [code, [, message]] of Object.entries(errorTable)) {
      if (!untranslatedCodes.has(code))
        onMessage({ id: `refusal.${code}`, comment: message, origin: [file, 0] });
    }
  },
};

export const channelIssueExtractor: ExtractorType = {
  match: (file) => file.endsWith("contract/src/catalogue/channel-issues.ts"),
  extract(file, _source, onMessage) {
    for (const [code, sentence] of Object.entries(channelIssueSentences))
      onMessage({ id: `channel.${code}`, comment: sentence, origin: [file, 0] });
  },
};
