/**
 * Names of models without a built-in price, for the model picker. Collected manually on
 * 2026-11-21 from Baidu's page and the lists of models.dev, LobeHub and factory.ai; many older names are omitted.
 * Ollama, Coze, FastGPT and knowledge bases use names that their operators choose.
 */
const qwen = [
  "qwen-flash",
  "qwen-max",
  "qwen-mt-flash",
  "qwen-mt-plus",
  "qwen-plus",
  "qwen-plus-latest",
  "qwen-vl-ocr",
  "qwen3-coder-flash",
  "qwen3-coder-next",
  "qwen3-omni-flash",
  "qwen3-vl-flash",
  "qwen3-vl-plus",
  "qwen3.5-flash",
  "qwen3.5-plus",
  "qwen3.6-flash",
  "qwen3.6-plus",
  "qwen3.7-flash",
  "qwen3.7-max",
  "qwen3.7-plus",
  "qwen3.8-flash",
  "qwen3.8-max",
];

const spark = ["4.0Ultra", "generalv3", "generalv3.5", "lite", "max-32k", "pro-128k"];

export const namedModels: Readonly<Record<number, readonly string[]>> = {
  // Baidu Wenxin, the older API, in its own spelling.
  15: ["ERNIE-3.5-8K", "ERNIE-3.5-8K-Preview", "ERNIE-4.0-8K", "ERNIE-4.0-8K-Preview", "ERNIE-4.0-Turbo-8K"],
  17: qwen,
  18: spark,
  // 360
  19: ["360gpt-pro", "360gpt-pro-trans", "360gpt-turbo", "360gpt2-o1", "360gpt2-pro", "360zhinao2-o1"],
  // Tencent Hunyuan
  23: ["hunyuan-2.0-instruct-20251111", "hunyuan-2.0-thinking-20251109", "hunyuan-role-latest"],
  // Baichuan
  26: [
    "Baichuan-M2",
    "Baichuan-M2-Plus",
    "Baichuan-M3",
    "Baichuan-M3-Plus",
    "Baichuan3-Turbo",
    "Baichuan3-Turbo-128k",
    "Baichuan4",
    "Baichuan4-Air",
    "Baichuan4-Turbo",
  ],
  // 01.AI
  31: ["yi-large", "yi-large-fc", "yi-large-turbo", "yi-lightning", "yi-medium", "yi-spark", "yi-vision-v2"],
  // StepFun
  32: [
    "step-1-32k",
    "step-1o-turbo-vision",
    "step-2-16k",
    "step-2-mini",
    "step-3",
    "step-3.5-flash",
    "step-3.5-flash-2603",
    "step-3.7-flash",
  ],
  // ByteDance Volcano
  40: [
    "deepseek-v4-flash-ga-260731",
    "deepseek-v4-pro-ga-260813",
    "doubao-seed-1-6-250615",
    "doubao-seed-1-8-251228",
    "doubao-seed-2-0-lite-260428",
    "doubao-seed-2-0-mini-260428",
    "doubao-seed-2-1-pro-260628",
    "doubao-seed-2-1-turbo-260628",
    "doubao-seed-character-260628",
    "doubao-seed-evolving",
    "glm-5-2-260617",
    "glm-5-3-flash-260828",
  ],
  // SiliconFlow
  44: [
    "Pro/deepseek-ai/DeepSeek-V3.1",
    "Pro/moonshotai/Kimi-K2-Instruct-0905",
    "Qwen/Qwen3-Coder-30B-A3B-Instruct",
    "Qwen/Qwen3-Coder-480B-A35B-Instruct",
    "Qwen/Qwen3-Next-80B-A3B-Instruct",
    "Qwen/Qwen3-Next-80B-A3B-Thinking",
    "deepseek-ai/DeepSeek-V3.1",
    "inclusionAI/Ling-flash-2.0",
    "moonshotai/Kimi-K2-Instruct-0905",
    "stepfun-ai/step3",
    "zai-org/GLM-4.5",
    "zai-org/GLM-4.5-Air",
    "zai-org/GLM-4.5V",
  ],
  // Baidu Wenxin V2
  47: [
    "ernie-4.5-21b-a3b",
    "ernie-4.5-turbo-128k",
    "ernie-4.5-turbo-32k",
    "ernie-4.5-turbo-latest",
    "ernie-4.5-turbo-vl",
    "ernie-4.5-turbo-vl-latest",
    "ernie-5.0-thinking-preview",
    "ernie-lite-pro-128k",
    "ernie-speed-128k",
    "ernie-speed-pro-128k",
    "qianfan-70b",
    "qianfan-8b",
  ],
  48: [...spark, "spark-x"],
  49: qwen,
  // NVIDIA
  55: [
    "deepseek-ai/deepseek-r1",
    "deepseek-ai/deepseek-v3.1",
    "deepseek-ai/deepseek-v3.1-terminus",
    "meta/llama-3.1-405b-instruct",
    "meta/llama-3.1-70b-instruct",
    "meta/llama-3.1-8b-instruct",
    "meta/llama-3.2-11b-vision-instruct",
    "meta/llama-3.2-90b-vision-instruct",
    "meta/llama-3.3-70b-instruct",
    "minimaxai/minimax-m2",
    "nvidia/llama-3.1-nemotron-70b-instruct",
    "qwen/qwen2.5-coder-32b-instruct",
  ],
  // DeepInfra
  57: [
    "Qwen/Qwen3-Coder-480B-A35B-Instruct",
    "Qwen/Qwen3-Coder-480B-A35B-Instruct-Turbo",
    "deepseek-ai/DeepSeek-V3.1-Terminus",
    "meta-llama/Llama-3.3-70B-Instruct",
    "meta-llama/Llama-3.3-70B-Instruct-Turbo",
    "moonshotai/Kimi-K2-Instruct-0905",
    "zai-org/GLM-4.5",
    "zai-org/GLM-4.7",
  ],
};
