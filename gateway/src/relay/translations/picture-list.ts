/** Pictures as OpenAI's interface lists them, for providers that draw in other words. */
import { eventJson } from "../event-text.ts";
import type { Json } from "../json-parts.ts";
import { finishedPictures } from "../shapes/images.ts";
import type { AnswerTranslator } from "./translation.ts";

const eventsOf = finishedPictures("image_generation");

/** `pictures` have `url` or `b64_json`. */
export const pictureList = (pictures: readonly Json[], usage?: Json): Json => ({
  created: Math.floor(Date.now() / 1000),
  data: pictures,
  ...(usage && { usage }),
});

/** For providers that never stream: who wanted a stream gets the finished pictures as its events. */
export const pictureAnswers = (read: (json: Json) => Json): AnswerTranslator => ({
  whole: read,
  event: (event) => eventsOf(read(eventJson(event))),
  end: () => "",
});

/** The one of a provider's forms, such as `16:9`, that comes nearest to a size; undefined where none was asked for. */
export function nearestRatio(size: unknown, ratios: readonly string[]): string | undefined {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(String(size)) ?? [];
  const wanted = Math.log(Number(width) / Number(height));
  if (!Number.isFinite(wanted)) return undefined;
  const distance = (ratio: string): number => {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    return Math.abs(Math.log(across / down) - wanted);
  };
  return ratios.toSorted((a, b) => distance(a) - distance(b))[0];
}
