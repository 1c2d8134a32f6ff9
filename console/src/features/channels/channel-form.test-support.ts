import { formatChannelIssueMessage } from "@tollgate/contract/catalogue/channel-issues.ts";
import type { ChannelFormMessages } from "./channel-form-schema.ts";

/** Short keys in place of messages, so that a test sees which one was used. */
export const formMessages: ChannelFormMessages = {
  name: "name",
  type: "type",
  key: "key",
  keyRequiredAgain: "key again",
  keysRequiredAgain: "keys again",
  remainingKey: "key that stays",
  headerRequired: "header value",
  headerRequiredAgain: "header value again",
  headerRepeated: "header twice",
  required: "required",
  mapping: "mapping",
  other: "other",
  config: "config",
  arnMap: "arn",
  priority: "priority",
  weight: "weight",
  ratelimit: "ratelimit",
  buyingFactor: "buying factor",
  issue: formatChannelIssueMessage,
};
