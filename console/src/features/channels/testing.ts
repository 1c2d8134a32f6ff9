import type { ChannelFormWords } from "./channel-form-schema.ts";

/** Short words in place of sentences: a test sees which one was said. */
export const formWords: ChannelFormWords = {
  name: "name",
  type: "type",
  key: "key",
  keyAgain: "key again",
  required: "required",
  mapping: "mapping",
  other: "other",
  config: "config",
  arnMap: "arn",
  priority: "priority",
  weight: "weight",
  ratelimit: "ratelimit",
  configs: (trouble) => trouble,
  coze: (trouble) => trouble,
};
