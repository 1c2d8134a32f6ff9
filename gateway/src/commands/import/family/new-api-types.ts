/** The channel types of new-api whose numbers mean something else here. Pure. */
import { channelTypeIds as ids } from "@tollgate/contract/catalogue/channel-types.ts";

/** Undefined for what no channel here can be. */
const types: Readonly<Record<number, number | undefined>> = {
  2: undefined,
  4: ids.ollama,
  5: undefined,
  8: ids.compatible,
  26: ids.zhipu,
  27: ids.compatible,
  33: ids.bedrock,
  34: ids.cohere,
  35: ids.miniMax,
  36: undefined,
  37: undefined,
  38: ids.compatible,
  39: ids.cloudflare,
  40: ids.siliconFlow,
  41: ids.vertex,
  42: ids.mistral,
  43: ids.deepSeek,
  44: ids.compatible,
  45: ids.volcano,
  46: ids.baiduV2,
  47: ids.compatible,
  48: ids.xAi,
  49: ids.coze,
  50: undefined,
  51: undefined,
  52: undefined,
  53: ids.compatible,
  54: undefined,
  55: undefined,
  56: ids.replicate,
  57: undefined,
  58: ids.compatible,
  59: ids.compatible,
  60: ids.compatible,
};
/** `same` are the types that have the numbers here that they have there. */
const same: ReadonlySet<number> = new Set([
  1, 3, 6, 7, 9, 10, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 31,
]);

export const findTypeOfNewApi = (type: number): number | undefined =>
  same.has(type) ? type : types[type];

/** Words that stand for addresses inside the program of new-api. */
export const addressWords: ReadonlySet<string> = new Set([
  "glm-coding-plan",
  "glm-coding-plan-international",
  "kimi-coding-plan",
  "doubao-coding-plan",
]);
