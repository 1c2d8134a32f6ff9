/** A prediction on Replicate: created, polled, and complete when it has succeeded. */
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import type { ErrorInBody } from "./api-format.ts";
import { buildNativeProtocol, type NativeProtocol, type ReplyDelta } from "./native-protocol.ts";
import { wholeReply } from "./reply-facts.ts";
import { buildImagesUsage } from "./usage/media-usage.ts";
import { parseOpenAiUsage } from "./usage/openai-usage.ts";

/** Text models return a list of pieces, some one text. */
export function findOutput(output: unknown): string[] | undefined {
  const outputs: unknown[] = Array.isArray(output) ? output : [output];
  const texts = outputs.filter((value): value is string => typeof value === "string");
  return texts.length === outputs.length ? texts : undefined;
}

function readDelta({ id, output, metrics }: JsonRecord): ReplyDelta | undefined {
  const { input_token_count: prompt_tokens, output_token_count: completion_tokens } =
    record(metrics);
  const texts = findOutput(output);
  const usage = parseOpenAiUsage({ prompt_tokens, completion_tokens });
  return texts && { id: text(id), content: texts.join(""), finishReason: "stop", usage };
}

/**
 * Undefined for a succeeded prediction. One that is still running could not be polled to its end.
 */
export function findPredictionError({ status, error }: JsonRecord): ErrorInBody | undefined {
  if (status === "succeeded") return undefined;
  const hasEnded = status === "failed" || status === "canceled" || status === "aborted";
  if (hasEnded)
    return { status: 500, message: text(error) || `the prediction was ${status}`, code: status };
  return {
    status: 502,
    message: `the prediction cannot be followed; its status is ${text(status) || "missing"}`,
  };
}

/** `replicateImages` are the same for image models, which return URLs. */
export const replicateImages: NativeProtocol = {
  ...buildNativeProtocol({
    endpoint: "replicate_pictures",
    createReader: () => readDelta,
    errorIn: findPredictionError,
  }),
  readReply({ output }) {
    const images = findOutput(output)?.length;
    return images === undefined ? undefined : { usage: undefined, text: "", images };
  },
  usageFor: buildImagesUsage,
  replies: wholeReply,
};

export const replicatePrediction = buildNativeProtocol({
  endpoint: "replicate_prediction",
  createReader: () => readDelta,
  errorIn: findPredictionError,
  replies: wholeReply,
  withSystemPrompt: (body, system_prompt) => ({
    ...body,
    input: { ...record(body.input), system_prompt },
  }),
});
