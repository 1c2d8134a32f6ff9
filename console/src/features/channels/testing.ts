import type { ChannelFormWords } from "./channel-form-schema.ts";

/** Short words in place of sentences: a test sees which one was said. */
export const formWords: ChannelFormWords = {
  name: "name",
  type: "type",
  key: "key",
  keyAgain: "key again",
  keysAgain: "keys again",
  keyThatStays: "key that stays",
  required: "required",
  mapping: "mapping",
  other: "other",
  config: "config",
  arnMap: "arn",
  priority: "priority",
  weight: "weight",
  ratelimit: "ratelimit",
  overrides: (trouble) => trouble,
  configs: (trouble) => trouble,
  coze: (trouble) => trouble,
};
