// Answers of Gemini and Converse as real providers give them: the members and their order are those of recordings, words
// and figures are our own.
import type { RecordedAnswer, WireObject } from "./recorded-answer.ts";

interface GeminiCounts {
  prompt: number;
  answer: number;
  thoughts: number;
  traffic?: string;
}

function googles(
  after: readonly string[],
  content: readonly string[],
  { prompt, answer, thoughts, traffic }: GeminiCounts,
): Omit<RecordedAnswer, "speaks"> {
  return {
    after,
    content,
    usage: {
      promptTokenCount: prompt,
      candidatesTokenCount: answer,
      totalTokenCount: prompt + answer + thoughts,
      promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
      ...(traffic && {
        trafficType: traffic,
        candidatesTokensDetails: [{ modality: "TEXT", tokenCount: answer }],
      }),
      thoughtsTokenCount: thoughts,
    },
    billed: { input: prompt, output: answer + thoughts },
  };
}

/** Arguments that stream in parts: the last event of a call is empty, where there is one. */
const callInParts = ["begun call", "partial call", "last part of a call", "end of a call"];

export const gemini: readonly Omit<RecordedAnswer, "speaks">[] = [
  googles(["google-reasoning-gemini3"], ["text", "signed text"], {
    prompt: 10,
    answer: 30,
    thoughts: 260,
  }),
  googles(["google-tool-call"], ["call", "text"], { prompt: 31, answer: 17, thoughts: 90 }),
  googles(["google-stream-no-args-tool-call"], ["thought", "empty call", ...callInParts, "text"], {
    prompt: 250,
    answer: 60,
    thoughts: 190,
    traffic: "PROVISIONED_THROUGHPUT",
  }),
  googles(
    ["google-stream-tool-call-array-arguments-missing-terminal-function-call"],
    [...callInParts.slice(0, -1), "text"],
    {
      prompt: 57,
      answer: 71,
      thoughts: 125,
      traffic: "PROVISIONED_THROUGHPUT",
    },
  ),
  googles(["google-vertex-stream-tool-call-arguments-nested.1"], callInParts, {
    prompt: 33,
    answer: 690,
    thoughts: 1_000,
    traffic: "ON_DEMAND",
  }),
];

function converse(
  after: readonly string[],
  content: readonly string[],
  inputTokens: number,
  outputTokens: number,
  { more = {}, stream }: { more?: WireObject; stream?: "counted_before_end" | "not_counted" } = {},
): Omit<RecordedAnswer, "speaks"> {
  return {
    after,
    content,
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens, ...more },
    ...(stream && { stream }),
    billed: { input: inputTokens, output: outputTokens },
  };
}

const noCacheAtBedrock = {
  cacheReadInputTokenCount: 0,
  cacheReadInputTokens: 0,
  cacheWriteInputTokenCount: 0,
  cacheWriteInputTokens: 0,
  serverToolUsage: {},
};

export const bedrock: readonly Omit<RecordedAnswer, "speaks">[] = [
  converse(["amazon-bedrock-text"], ["text"], 24, 57, { more: noCacheAtBedrock }),
  converse(["amazon-bedrock-reasoning"], ["reasoning", "text"], 55, 90, { more: noCacheAtBedrock }),
  converse(["amazon-bedrock-json-other-tool.1"], ["tool"], 850, 31, {
    stream: "counted_before_end",
  }),
  converse(
    ["amazon-bedrock-json-tool-text-then-weather-then-json.1"],
    ["text", "tool", "text", "tool", "text"],
    510,
    104,
    { stream: "counted_before_end" },
  ),
  converse(["amazon-bedrock-json-with-tool.1"], ["text", "tool", "text", "tool"], 26, 45, {
    stream: "not_counted",
  }),
  converse(["amazon-bedrock-tool-no-args"], ["text", "empty tool"], 110, 27, {
    stream: "counted_before_end",
  }),
];
