/** Images in OpenAI's format, for providers with other APIs. */

import { makeEventsFromImages } from "../formats/images.ts";
import { buildEventJson } from "../wire/event-text.ts";
import { type JsonRecord, text } from "../wire/json-parts.ts";
import type { ReplyTranslator } from "./translation.ts";

const eventsFromReply = makeEventsFromImages("image_generation");

/** `images` have `url` or `b64_json`. */
export const buildImageList = (images: readonly JsonRecord[], usage?: JsonRecord): JsonRecord => ({
  created: Math.floor(Date.now() / 1000),
  data: images,
  ...(usage && { usage }),
});

/**
 * `buildImageReplies` is for providers that never stream: a client that asked for a stream receives
 * the finished images as its events.
 */
export const buildImageReplies = (read: (json: JsonRecord) => JsonRecord): ReplyTranslator => ({
  translateReply: read,
  translateEvent: (event) => eventsFromReply(read(buildEventJson(event))),
  finish: () => "",
});

/**
 * The provider's aspect ratio, such as `16:9`, that is nearest to a size; undefined without a size.
 */
export function findNearestAspectRatio(
  size: unknown,
  ratios: readonly string[],
): string | undefined {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(text(size)) ?? [];
  const wantedLogRatio = Math.log(Number(width) / Number(height));
  if (!Number.isFinite(wantedLogRatio)) return undefined;
  const distance = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(across / down) - wantedLogRatio);
  };
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0];
}
