/** Requests of embeddings for Tencent's Hunyuan. */

import { tokenCount } from "../formats/reported-usage.ts";
import { tencentEmbeddings } from "../formats/tencent-chat.ts";
import { record, records } from "../wire/json-parts.ts";
import { embeddingList, readInputs, replyOnly } from "./embedding-list.ts";
import type { Translation } from "./translation.ts";

export const embeddingsToTencent: Translation = {
  target: tencentEmbeddings,
  // Tencent has a single embedding model, and no field for it.
  translateRequest: (request) => ({ InputList: readInputs(request) }),
  createReplyTranslator: (call) =>
    replyOnly((json) => {
      const { Data, Usage } = record(json.Response);
      const vectors = records(Data).map(({ Embedding }) => Embedding);
      return embeddingList(call, vectors, tokenCount(record(Usage).PromptTokens));
    }),
};
