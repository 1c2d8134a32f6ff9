/** Callers who want pictures, served by a model on Replicate that draws; they get the addresses of what was drawn. */
import { type Json, present } from "../json-parts.ts";
import { outputIn, replicatePictures } from "../shapes/replicate-prediction.ts";
import { type KeptMembers, lostOf, only, whole } from "./kept.ts";
import { nearestRatio, pictureAnswers, pictureList } from "./picture-list.ts";
import type { Translation } from "./translation.ts";

/** What its models call the forms that they can draw in. */
const ratios = ["1:1", "16:9", "21:9", "3:2", "2:3", "4:5", "5:4", "3:4", "4:3", "9:16", "9:21"];

function body({ prompt, n, size, output_format, seed }: Json): Json {
  const num_outputs = typeof n === "number" && n > 1 ? n : undefined;
  // JPEG has its short name there.
  const format = output_format === "jpeg" ? "jpg" : output_format;
  return {
    input: present({ prompt, num_outputs, aspect_ratio: nearestRatio(size, ratios), output_format: format, seed }),
  };
}

const kept: KeptMembers = {
  ...whole("model", "prompt", "n", "size", "output_format", "seed", "stream"),
  // Pictures are not fetched for anybody.
  response_format: only("url"),
};

export const imagesToReplicate: Translation = {
  to: replicatePictures,
  body,
  answers: () => pictureAnswers(({ output }) => pictureList((outputIn(output) ?? []).map((url) => ({ url })))),
  lost: (json) => lostOf(json, kept),
};
