/** What of a body of Gemini's interface chat completions keep, and what it is called there. */
import { record } from "../json-parts.ts";
import { type KeptMembers, only, whole } from "./kept.ts";
import { isThinker } from "./wire-parts.ts";

const words: KeptMembers = {
  // A thought of the model says so beside its text, which goes with it.
  text: true,
  inlineData: whole("mimeType", "data"),
  inline_data: whole("mime_type", "data"),
  fileData: whole("fileUri", "mimeType"),
};
const part: KeptMembers = {
  ...words,
  thought: only(false),
  functionCall: whole("id", "name", "args"),
  functionResponse: whole("id", "name", "response"),
};
const parts = (value: unknown): KeptMembers | string => (record(value).thought === true ? "thought" : part);

const system: KeptMembers = { role: true, parts: words };

export function keptByChat(model: string): KeptMembers {
  const thinks = isThinker(model);
  const config: KeptMembers = {
    ...whole("maxOutputTokens", "candidateCount", "seed", "presencePenalty", "frequencyPenalty", "stopSequences"),
    ...whole("responseJsonSchema", "responseSchema"),
    responseMimeType: only("application/json", "text/plain"),
    temperature: !thinks,
    topP: !thinks,
    thinkingConfig: thinks && whole("thinkingLevel", "thinkingBudget", "includeThoughts"),
  };
  return {
    model: true,
    contents: { role: true, parts },
    systemInstruction: system,
    system_instruction: system,
    generationConfig: config,
    generation_config: config,
    tools: { functionDeclarations: whole("name", "description", "parameters", "parametersJsonSchema") },
    toolConfig: { functionCallingConfig: calling },
  };
}

/** One function can be demanded, or any; not one of several. */
const calling = (value: unknown): KeptMembers => {
  const { allowedFunctionNames: names } = record(value);
  return { mode: only("AUTO", "ANY", "NONE"), allowedFunctionNames: !Array.isArray(names) || names.length < 2 };
};

/** Where a member of the chat comes from; what is ours alone comes from nowhere. */
export const writtenInGemini: Readonly<Record<string, string | null>> = {
  messages: "contents.parts",
  max_tokens: "generationConfig.maxOutputTokens",
  max_completion_tokens: "generationConfig.maxOutputTokens",
  stream: null,
  stream_options: null,
  "messages.tool_calls.extra_content": "contents.parts.thoughtSignature",
  "tools.function": "tools.functionDeclarations",
  "tools.function.strict": null,
  reasoning_effort: "generationConfig.thinkingConfig",
  n: "generationConfig.candidateCount",
  seed: "generationConfig.seed",
  temperature: "generationConfig.temperature",
  top_p: "generationConfig.topP",
  presence_penalty: "generationConfig.presencePenalty",
  frequency_penalty: "generationConfig.frequencyPenalty",
  stop: "generationConfig.stopSequences",
  response_format: "generationConfig.responseMimeType",
  "response_format.json_schema": "generationConfig.responseJsonSchema",
  "response_format.json_schema.name": null,
};
