/** Requests of embeddings for Tencent's Hunyuan. */

import { tencentEmbeddings } from "../formats/tencent-chat.ts";
import { findTokenCount } from "../formats/usage/reported-usage.ts";
import { record, records } from "../wire/json-parts.ts";
import { buildEmbeddingList, readInputs, replyOnly } from "./embedding-list.ts";
import type { Translation } from "./translation.ts";

export const embeddingsToTencent: Translation = {
  target: tencentEmbeddings,
  // Tencent has a single embedding model, and no field for it.
  translateRequest: (request) => ({ InputList: readInputs(request) }),
  createReplyTranslator: (call) =>
    replyOnly((json) => {
      const { Data, Usage } = record(json.Response);
      const vectors = records(Data).map(({ Embedding }) => Embedding);
      return buildEmbeddingList(call, vectors, findTokenCount(record(Usage).PromptTokens));
    }),
};
