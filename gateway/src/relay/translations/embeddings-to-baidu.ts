/** Callers of embeddings, served by Baidu's first interface. */
import { type Json, record, records } from "../json-parts.ts";
import { baiduEmbeddings } from "../shapes/baidu-chat.ts";
import { tokenCount } from "../usage.ts";
import { embeddingList, keptOfEmbeddings, textsIn, wholeOnly } from "./embedding-list.ts";
import { lostOf } from "./kept.ts";
import type { Translation } from "./translation.ts";

export const embeddingsToBaidu: Translation = {
  to: baiduEmbeddings,
  body: ({ input, user }: Json) => ({ input: textsIn(input), ...(user !== undefined && { user_id: user }) }),
  answers: (call) =>
    wholeOnly(({ data, usage }) => {
      const vectors = records(data).map(({ embedding }) => embedding);
      return embeddingList(call, vectors, tokenCount(record(usage).prompt_tokens));
    }),
  lost: (json) => lostOf(json, { ...keptOfEmbeddings, user: true }),
};
