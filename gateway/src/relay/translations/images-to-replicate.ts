/** Requests for images, for an image model on Replicate; replies hold the URLs of the images. */

import { findOutput, replicateImages } from "../formats/replicate-prediction.ts";
import { type JsonRecord, present } from "../wire/json-parts.ts";
import { buildImageList, buildImageReplies, findNearestAspectRatio } from "./image-list.ts";
import type { FieldReader } from "./request-reader.ts";
import type { Translation } from "./translation.ts";

/** The aspect ratios that Replicate's models support. */
const ratios = ["1:1", "16:9", "21:9", "3:2", "2:3", "4:5", "5:4", "3:4", "4:3", "9:16", "9:21"];

function translateRequest(request: FieldReader): JsonRecord {
  // The reply always holds the URLs of the images.
  request.allow("response_format", "url");
  const { prompt, n, size, output_format, seed } = request.read(
    "model",
    "stream",
    "prompt",
    "n",
    "size",
    "output_format",
    "seed",
  );
  const num_outputs = typeof n === "number" && n > 1 ? n : undefined;
  // Replicate's models use the short name of JPEG.
  const format = output_format === "jpeg" ? "jpg" : output_format;
  const aspect_ratio = findNearestAspectRatio(size, ratios);
  return { input: present({ prompt, num_outputs, aspect_ratio, output_format: format, seed }) };
}

export const imagesToReplicate: Translation = {
  target: replicateImages,
  translateRequest,
  createReplyTranslator: () =>
    buildImageReplies(({ output }) =>
      buildImageList((findOutput(output) ?? []).map((url) => ({ url }))),
    ),
};
