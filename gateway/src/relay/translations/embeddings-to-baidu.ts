/** Callers of embeddings, served by Baidu's first interface. */

import { baiduEmbeddings } from "../formats/baidu-chat.ts";
import { tokenCount } from "../formats/reported-usage.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { embeddingList, replyOnly, supportedEmbeddingFields, textsIn } from "./embedding-list.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

export const embeddingsToBaidu: Translation = {
  target: baiduEmbeddings,
  translateRequest: ({ input, user }: JsonRecord) => ({
    input: textsIn(input),
    ...(user !== undefined && { user_id: user }),
  }),
  createReplyTranslator: (call) =>
    replyOnly(({ data, usage }) => {
      const vectors = records(data).map(({ embedding }) => embedding);
      return embeddingList(call, vectors, tokenCount(record(usage).prompt_tokens));
    }),
  droppedFields: (json) => droppedFieldsOf(json, { ...supportedEmbeddingFields, user: true }),
};
