/** Callers who want pictures, served by a model on Replicate that draws; they get the addresses of what was drawn. */

import { outputIn, replicateImages } from "../formats/replicate-prediction.ts";
import { type JsonRecord, present } from "../wire/json-parts.ts";
import { imageList, imageReplies, nearestAspectRatio } from "./image-list.ts";
import { droppedFieldsOf, onlyValues, type SupportedFields, wholeFields } from "./supported-fields.ts";
import type { Translation } from "./translation.ts";

/** What its models call the forms that they can draw in. */
const ratios = ["1:1", "16:9", "21:9", "3:2", "2:3", "4:5", "5:4", "3:4", "4:3", "9:16", "9:21"];

function body({ prompt, n, size, output_format, seed }: JsonRecord): JsonRecord {
  const num_outputs = typeof n === "number" && n > 1 ? n : undefined;
  // JPEG has its short name there.
  const format = output_format === "jpeg" ? "jpg" : output_format;
  return {
    input: present({
      prompt,
      num_outputs,
      aspect_ratio: nearestAspectRatio(size, ratios),
      output_format: format,
      seed,
    }),
  };
}

const supportedFields: SupportedFields = {
  ...wholeFields("model", "prompt", "n", "size", "output_format", "seed", "stream"),
  // Pictures are not fetched for anybody.
  response_format: onlyValues("url"),
};

export const imagesToReplicate: Translation = {
  target: replicateImages,
  translateRequest: body,
  createReplyTranslator: () =>
    imageReplies(({ output }) => imageList((outputIn(output) ?? []).map((url) => ({ url })))),
  droppedFields: (json) => droppedFieldsOf(json, supportedFields),
};
