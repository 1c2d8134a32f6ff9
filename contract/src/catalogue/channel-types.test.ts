import { expect, test } from "vitest";
import { channelTypeIds, channelTypes } from "./channel-types.ts";

test("each id of a provider type has one row", () => {
  const named = Object.values(channelTypeIds).toSorted((one, other) => one - other);
  expect(channelTypes.map(({ id }) => id)).toEqual(named);
});

/** `specified` is the list of the specification of the console, and the legacy proxies of its form. */
const specified = `1 OpenAI, 50 OpenAI Compatible, 14 Anthropic, 33 AWS Bedrock, 3 Azure, 11 PaLM2,
24 Gemini, 51 Gemini (OpenAI format), 28 Mistral, 41 Novita, 40 ByteDance Volcano, 15 Baidu Wenxin,
47 Baidu Wenxin V2, 17 Alibaba Qianwen, 49 Alibaba Bailian, 18 iFlytek Spark, 48 Spark V2, 16 Zhipu,
19 360, 25 Moonshot, 23 Tencent Hunyuan, 26 Baichuan, 27 MiniMax, 29 Groq, 30 Ollama, 31 01.AI,
32 StepFun, 34 Coze, 35 Cohere, 36 DeepSeek, 37 Cloudflare, 38 DeepL, 39 together.ai, 42 VertexAI,
43 Proxy, 44 SiliconFlow, 45 xAI, 46 Replicate, 8 Custom (deprecated), 22 FastGPT,
21 AI Proxy knowledge base, 20 OpenRouter, 2 API2D, 5 OpenAI-SB, 7 OhMyGPT, 10 AI Proxy, 4 CloseAI,
6 OpenAI Max, 9 AI.LS, 12 API2GPT, 13 AIGC2D`.split(/,\s+/);

test("the types of the specification have its numbers and names", () => {
  const names = channelTypes.map(({ id, name }) => `${id} ${name}`);
  expect(specified.filter((one) => !names.includes(one))).toEqual([]);
});
