/** Ids of calls, names of tools, pictures and thoughts that Anthropic refuses in Messages. */
import { type JsonRecord, record, records, text } from "../wire/json-parts.ts";
import { moveMessagesFiles, moveMessagesSystemFiles } from "./picture-places.ts";
import { hasRepeatedNames, removeRepeatedNames } from "./schema-fits.ts";
import { numberMessagesCalls } from "./unique-call-ids.ts";
import type { ValueRule } from "./value-rule.ts";

const api = "claude_messages";

const thoughtTypes = new Set<unknown>(["thinking", "redacted_thinking"]);

/** "Expected `thinking` or `redacted_thinking`, but found `tool_use`". */
function lacksThoughts(body: JsonRecord): boolean {
  const last = records(body.messages).findLast(({ role }) => role === "assistant");
  const blocks = records(last?.content);
  return blocks.some(({ type }) => type === "tool_use") && !thoughtTypes.has(blocks[0]?.type);
}

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
  {
    id: "AN22",
    api,
    member: "messages[].content[type=thinking]",
    refuses: (value) => text(record(value).signature) === "",
    refused: "thoughts without a signature",
    fit: { do: "drop" },
    certainty: "certain",
    source: "litellm; platform.claude.com",
  },
  {
    id: "AN25",
    api,
    member: "messages[].content[type=thinking].cache_control",
    refused: "marks for the cache on thoughts",
    fit: { do: "drop" },
    certainty: "certain",
    source: "Wei-Shaw/sub2api#225",
  },
  {
    id: "AN21",
    api,
    member: "thinking",
    refuses: (value, { body }) => record(value).type === "enabled" && lacksThoughts(body),
    refused: "`enabled` where the latest calls have lost the thoughts before them",
    fit: { do: "drop" },
    certainty: "certain",
    source: "litellm; platform.claude.com",
  },
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
