/** Requests of embeddings for Baidu's first API. */

import { baiduEmbeddings } from "../formats/baidu-chat.ts";
import { findTokenCount } from "../formats/usage/reported-usage.ts";
import { record, records } from "../wire/json-parts.ts";
import { buildEmbeddingList, readInputs, replyOnly } from "./embedding-list.ts";
import type { Translation } from "./translation.ts";

export const embeddingsToBaidu: Translation = {
  target: baiduEmbeddings,
  translateRequest(request) {
    const user = request.get("user");
    return { input: readInputs(request), ...(user !== undefined && { user_id: user }) };
  },
  createReplyTranslator: (call) =>
    replyOnly(({ data, usage }) => {
      const vectors = records(data).map(({ embedding }) => embedding);
      return buildEmbeddingList(call, vectors, findTokenCount(record(usage).prompt_tokens));
    }),
};
