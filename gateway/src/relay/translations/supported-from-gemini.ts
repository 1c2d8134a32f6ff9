/** What of a body of Gemini's interface chat completions keep, and what it is called there. */
import { record } from "../wire/json-parts.ts";
import { isReasoningModel } from "./chat-parts.ts";
import { onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";

const words: SupportedFields = {
  // A thought of the model says so beside its text, which goes with it.
  text: true,
  inlineData: wholeFields("mimeType", "data"),
  inline_data: wholeFields("mime_type", "data"),
  fileData: wholeFields("fileUri", "mimeType"),
};
const part: SupportedFields = {
  ...words,
  thought: onlyValues(false),
  functionCall: wholeFields("id", "name", "args"),
  functionResponse: wholeFields("id", "name", "response"),
};
const parts = (value: unknown): SupportedFields | string => (record(value).thought === true ? "thought" : part);

const system: SupportedFields = { role: true, parts: words };

export function geminiFieldsSupportedByChat(model: string): SupportedFields {
  const thinks = isReasoningModel(model);
  const config: SupportedFields = {
    ...wholeFields("maxOutputTokens", "candidateCount", "seed", "presencePenalty", "frequencyPenalty", "stopSequences"),
    ...wholeFields("responseJsonSchema", "responseSchema"),
    responseMimeType: onlyValues("application/json", "text/plain"),
    temperature: !thinks,
    topP: !thinks,
    thinkingConfig: thinks && wholeFields("thinkingLevel", "thinkingBudget", "includeThoughts"),
  };
  return {
    model: true,
    contents: { role: true, parts },
    systemInstruction: system,
    system_instruction: system,
    generationConfig: config,
    generation_config: config,
    tools: { functionDeclarations: wholeFields("name", "description", "parameters", "parametersJsonSchema") },
    toolConfig: { functionCallingConfig: calling },
  };
}

/** One function can be demanded, or any; not one of several. */
const calling = (value: unknown): SupportedFields => {
  const { allowedFunctionNames: names } = record(value);
  return { mode: onlyValues("AUTO", "ANY", "NONE"), allowedFunctionNames: !Array.isArray(names) || names.length < 2 };
};

/** Where a member of the chat comes from; what is ours alone comes from nowhere. */
export const geminiSourceFields: Readonly<Record<string, string | null>> = {
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
