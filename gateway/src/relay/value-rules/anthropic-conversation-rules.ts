/** Ids of calls and names of tools that Anthropic refuses in Messages. */

import { moveMessagesFiles, moveMessagesSystemFiles } from "./picture-places.ts";
import { hasRepeatedNames, removeRepeatedNames } from "./schema-fits.ts";
import { numberMessagesCalls } from "./unique-call-ids.ts";
import type { ValueRule } from "./value-rule.ts";

const api = "claude_messages";

export const anthropicConversationRules: readonly ValueRule[] = [
  ...[moveMessagesSystemFiles, moveMessagesFiles].map(
    (row): ValueRule => ({
      id: "OC22",
      api,
      ...row,
      certainty: "certain",
      source: "epam/ai-dial-adapter-bedrock#306, SEMOSS/Semoss#2323",
    }),
  ),
  ...[
    "messages[].content[type=tool_use].id",
    "messages[].content[type=tool_result].tool_use_id",
  ].map(
    (member): ValueRule => ({
      id: "AN1",
      api,
      member,
      refused: "any but letters, digits, `_` and `-`",
      fit: { do: "hash", max: 256, pattern: /^[\w-]+$/, prefix: "call_" },
      certainty: "certain",
      source: "maximhq/bifrost#5097",
    }),
  ),
  {
    id: "AN1",
    api,
    member: "messages",
    refused: "one id for several calls",
    fit: { do: "convert_body", words: "a number behind it", by: numberMessagesCalls },
    certainty: "certain",
    source: "screenpipe/screenpipe#3252",
  },
  {
    id: "AN3",
    api,
    member: "tools",
    refuses: hasRepeatedNames,
    refused: "one name for two tools",
    fit: { do: "convert", words: "the first of them", by: removeRepeatedNames },
    certainty: "certain",
    source: "anthropics/claude-code#10687",
  },
  ...["tools[].name", "tool_choice.name", "messages[].content[type=tool_use].name"].map(
    (member): ValueRule => ({
      id: "AN3",
      api,
      member,
      refused: "more than 128 characters, or any but letters, digits, `_` and `-`",
      fit: { do: "rename", max: 128, pattern: /^[\w-]{1,128}$/ },
      certainty: "certain",
      source: "anthropics/claude-code#96152",
    }),
  ),
];
