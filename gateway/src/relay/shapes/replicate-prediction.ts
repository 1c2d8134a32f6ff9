/** A prediction on Replicate: asked for, waited for, and whole when it has succeeded. */
import { type Json, record, text } from "../json-parts.ts";
import { picturesUsed } from "../media-usage.ts";
import { usageFrom } from "./open-ai-usage.ts";
import { type OwnShape, ownShape, type Said } from "./own-shape.ts";
import type { Failure } from "./shape.ts";

/** Models that write give their words one by one, some all at once. */
export function outputIn(output: unknown): string[] | undefined {
  const all: unknown[] = Array.isArray(output) ? output : [output];
  const words = all.filter((one): one is string => typeof one === "string");
  return words.length === all.length ? words : undefined;
}

function said({ id, output, metrics }: Json): Said | undefined {
  const { input_token_count: prompt_tokens, output_token_count: completion_tokens } = record(metrics);
  const words = outputIn(output);
  const usage = usageFrom({ prompt_tokens, completion_tokens });
  return words && { id: text(id), content: words.join(""), finish: "stop", usage };
}

/** Succeeded is none; whatever is not over could not be waited for. */
export function failedPrediction({ status, error }: Json): Failure | undefined {
  if (status === "succeeded") return undefined;
  const isOver = status === "failed" || status === "canceled" || status === "aborted";
  if (isOver) return { status: 500, message: text(error) || `the prediction was ${status}`, code: status };
  return { status: 502, message: `the prediction cannot be followed; its status is ${text(status) || "missing"}` };
}

/** The same for models that draw: what they give are addresses. */
export const replicatePictures: OwnShape = {
  ...ownShape({ entry: "replicate_pictures", reader: () => said, failure: failedPrediction }),
  answer({ output }) {
    const pictures = outputIn(output)?.length;
    return pictures === undefined ? undefined : { usage: undefined, text: "", pictures };
  },
  used: picturesUsed,
  isOneEvent: true,
};

export const replicatePrediction = ownShape({
  entry: "replicate_prediction",
  reader: () => said,
  failure: failedPrediction,
  isOneEvent: true,
  withPrompt: (body, system_prompt) => ({ ...body, input: { ...record(body.input), system_prompt } }),
});
