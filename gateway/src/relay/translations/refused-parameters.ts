/** Parameters that families of models refuse, by the names of models: a translation leaves them out, and names them as dropped. Pure. */
import { isReasoningModel } from "../formats/output-limit.ts";

/** "Unsupported parameter: 'stop' is not supported with this model." o3 and GPT-5 answer so in chat completions. */
export const refusesStop = (model: string): boolean => isReasoningModel(model) && !/^o1/.test(model);

/** "`temperature` and `top_p` cannot both be specified for this model." Claude Opus 4.1, and 4.5 and 4.6 of every size. */
export const takesOneSampling = (model: string): boolean =>
  /claude-(?:opus-4[-.]1|(?:opus|sonnet|haiku)-4[-.][56])(?!\d)/.test(model);

/** "Budget 0 is invalid. This model only works in thinking mode." The least that Gemini 2.5 Pro takes. */
export const thinkingBudgetMin = (model: string): number => (/gemini-2\.5-pro/.test(model) ? 128 : 0);
