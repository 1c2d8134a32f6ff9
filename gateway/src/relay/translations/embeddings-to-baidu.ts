/** Requests of embeddings for Baidu's first API. */

import { baiduEmbeddings } from "../formats/baidu-chat.ts";
import { tokenCount } from "../formats/reported-usage.ts";
import { record, records } from "../wire/json-parts.ts";
import { embeddingList, readInputs, replyOnly } from "./embedding-list.ts";
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
      return embeddingList(call, vectors, tokenCount(record(usage).prompt_tokens));
    }),
};
