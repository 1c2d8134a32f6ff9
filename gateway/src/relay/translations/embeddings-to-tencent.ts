/** Callers of embeddings, served by Tencent's Hunyuan. */

import { tokenCount } from "../formats/reported-usage.ts";
import { tencentEmbeddings } from "../formats/tencent-chat.ts";
import { type JsonRecord, record, records } from "../wire/json-parts.ts";
import { embeddingList, replyOnly, supportedEmbeddingFields, textsIn } from "./embedding-list.ts";
import { droppedFieldsOf } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

export const embeddingsToTencent: Translation = {
  target: tencentEmbeddings,
  // There is one model, which nobody names.
  translateRequest: ({ input }: JsonRecord) => ({ InputList: textsIn(input) }),
  createReplyTranslator: (call) =>
    replyOnly((json) => {
      const { Data, Usage } = record(json.Response);
      const vectors = records(Data).map(({ Embedding }) => Embedding);
      return embeddingList(call, vectors, tokenCount(record(Usage).PromptTokens));
    }),
  droppedFields: (json) => droppedFieldsOf(json, supportedEmbeddingFields),
};
