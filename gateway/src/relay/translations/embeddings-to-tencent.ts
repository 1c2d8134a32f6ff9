/** Callers of embeddings, served by Tencent's Hunyuan. */
import { type Json, record, records } from "../json-parts.ts";
import { tencentEmbeddings } from "../shapes/tencent-chat.ts";
import { tokenCount } from "../usage.ts";
import { embeddingList, keptOfEmbeddings, textsIn, wholeOnly } from "./embedding-list.ts";
import { lostOf } from "./kept.ts";
import type { Translation } from "./translation.ts";

export const embeddingsToTencent: Translation = {
  to: tencentEmbeddings,
  // There is one model, which nobody names.
  body: ({ input }: Json) => ({ InputList: textsIn(input) }),
  answers: (call) =>
    wholeOnly((json) => {
      const { Data, Usage } = record(json.Response);
      const vectors = records(Data).map(({ Embedding }) => Embedding);
      return embeddingList(call, vectors, tokenCount(record(Usage).PromptTokens));
    }),
  lost: (json) => lostOf(json, keptOfEmbeddings),
};
