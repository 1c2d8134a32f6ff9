/** A prediction on Replicate: created, polled, and complete when it has succeeded. */
import { type JsonRecord, record, text } from "../wire/json-parts.ts";
import type { ErrorInBody } from "./api-format.ts";
import { imagesUsage } from "./media-usage.ts";
import { type NativeProtocol, nativeProtocol, type ReplyDelta } from "./native-protocol.ts";
import { parseOpenAiUsage } from "./openai-usage.ts";
import { wholeReply } from "./reply-facts.ts";

/** Text models return a list of pieces, some one text. */
export function outputIn(output: unknown): string[] | undefined {
  const outputs: unknown[] = Array.isArray(output) ? output : [output];
  const texts = outputs.filter((value): value is string => typeof value === "string");
  return texts.length === outputs.length ? texts : undefined;
}

function readDelta({ id, output, metrics }: JsonRecord): ReplyDelta | undefined {
  const { input_token_count: prompt_tokens, output_token_count: completion_tokens } = record(metrics);
  const texts = outputIn(output);
  const usage = parseOpenAiUsage({ prompt_tokens, completion_tokens });
  return texts && { id: text(id), content: texts.join(""), finishReason: "stop", usage };
}

/** Undefined for a succeeded prediction. One that is still running could not be polled to its end. */
export function predictionError({ status, error }: JsonRecord): ErrorInBody | undefined {
  if (status === "succeeded") return undefined;
  const hasEnded = status === "failed" || status === "canceled" || status === "aborted";
  if (hasEnded) return { status: 500, message: text(error) || `the prediction was ${status}`, code: status };
  return { status: 502, message: `the prediction cannot be followed; its status is ${text(status) || "missing"}` };
}

/** The same for image models, which return URLs. */
export const replicateImages: NativeProtocol = {
  ...nativeProtocol({ endpoint: "replicate_pictures", createReader: () => readDelta, errorIn: predictionError }),
  readReply({ output }) {
    const images = outputIn(output)?.length;
    return images === undefined ? undefined : { usage: undefined, text: "", images };
  },
  usageFor: imagesUsage,
  replies: wholeReply,
};

export const replicatePrediction = nativeProtocol({
  endpoint: "replicate_prediction",
  createReader: () => readDelta,
  errorIn: predictionError,
  replies: wholeReply,
  withSystemPrompt: (body, system_prompt) => ({ ...body, input: { ...record(body.input), system_prompt } }),
});
