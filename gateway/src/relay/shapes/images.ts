/** Pictures: OpenAI's interfaces that draw them from words, and from words and other pictures. */
import type { EndpointName } from "@tollgate/contract/channel-endpoints.ts";
import * as z from "zod/mini";
import { noUsage } from "../../money/price.ts";
import { estimatePromptTokens } from "../estimate.ts";
import { type Json, record, records } from "../json-parts.ts";
import { picturesUsed, pictureTokens, seenPictureTokens, variantOf } from "../media-usage.ts";
import { type Form, fieldOf } from "../multipart.ts";
import { badRequest } from "../relay-refusal.ts";
import { type ReadUsage, tokenCount } from "../usage.ts";
import { bodyWithModel } from "./body-with-model.ts";
import { modelName } from "./fields.ts";
import { openAiWording } from "./open-ai-wording.ts";
import { readAsked } from "./read-asked.ts";
import type { AnswerFacts, Asked, EventFacts, ReadEvent, Shape } from "./shape.ts";
import { damaged, nothing, type TypedEvent, typedEvents } from "./typed-events.ts";

const usualModel = "dall-e-2";
/** More than any provider draws at once. */
const picturesMax = 128;
const word = z.optional(z.nullable(z.string().check(z.maxLength(40))));
const request = z.object({
  model: z.optional(z.nullable(modelName)),
  prompt: z.string().check(z.minLength(1)),
  n: z.optional(z.nullable(z.int().check(z.minimum(1), z.maximum(picturesMax)))),
  size: word,
  quality: word,
  stream: z.optional(z.nullable(z.boolean())),
});

/** Large pictures take minutes. */
const firstByteWithinMs = 10 * 60_000;
/** A whole picture travels in one event: the largest that is drawn, as PNG in base64. */
const eventBytesMax = 64 * 1024 * 1024;

/** `seen` is the number of pictures that the model looks at. */
function asked(sent: unknown, seen: number, isEstimateRough: boolean): Asked {
  const { model, prompt, n, size, quality, stream } = readAsked(request, sent, "invalid_image_request");
  const pictures = n ?? 1;
  return {
    model: model ?? usualModel,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxTokens: 0,
    answers: pictures,
    promptEstimate: estimatePromptTokens([{ content: prompt }], undefined, isEstimateRough),
    extras: {
      images: pictures,
      output_image: pictures * pictureTokens(size ?? "", quality ?? ""),
      ...(seen > 0 && { input_image: seen * seenPictureTokens }),
    },
    ...variantOf(size ?? "", quality ?? ""),
  };
}

const fields = ["model", "prompt", "size", "quality"] as const;
const pictureField = /^image(\[\d*\])?$/;

function askedByForm(form: Form, isEstimateRough: boolean): Asked {
  const seen = form.parts.filter(({ name, filename }) => filename !== undefined && pictureField.test(name)).length;
  if (seen === 0) throw badRequest("invalid_image_request", "image: is required", "image");
  const said = Object.fromEntries(fields.map((name) => [name, fieldOf(form, name)]));
  const n = fieldOf(form, "n");
  return asked(
    {
      ...said,
      n: n !== undefined && /^\d+$/.test(n) ? Number(n) : n,
      stream: fieldOf(form, "stream")?.toLowerCase() === "true",
    },
    seen,
    isEstimateRough,
  );
}

/** Pictures that a JSON body shows the model, by the names that providers give them. */
function picturesIn(json: unknown): number {
  const { images, image } = record(json);
  const shown = images ?? image;
  return Array.isArray(shown) ? shown.length : shown === undefined || shown === null ? 0 : 1;
}

/** The image models count pictures and words apart, on both sides; undefined when they count nothing. */
function usageOfPictures(wire: unknown): ReadUsage | undefined {
  const said = record(wire);
  const prompt = tokenCount(said.input_tokens);
  const answer = tokenCount(said.output_tokens);
  if (prompt === undefined || answer === undefined || prompt + answer === 0) return undefined;
  const shown = record(said.input_tokens_details);
  const drawn = record(said.output_tokens_details);
  const input_image = Math.min(tokenCount(shown.image_tokens) ?? 0, prompt);
  const cached = Math.min(tokenCount(shown.cached_tokens) ?? 0, prompt);
  // Nobody says what of the prompt was cached: words, and pictures when it was more than the words.
  const cache_read = Math.min(cached, prompt - input_image);
  const cache_read_image = cached - cache_read;
  const output = Math.min(tokenCount(drawn.text_tokens) ?? 0, answer);
  const output_image = answer - output;
  return {
    usage: {
      ...noUsage,
      input: prompt - input_image - cache_read,
      cache_read,
      output,
      output_image,
      ...(input_image > cache_read_image && { input_image: input_image - cache_read_image }),
      ...(cache_read_image > 0 && { cache_read_image }),
    },
    hidden: 0,
    isFlagged: false,
  };
}

/** Some providers of the family list their pictures in `images`. */
function answer({ data, images, usage }: Json): AnswerFacts | undefined {
  const pictures = data ?? images;
  if (!Array.isArray(pictures)) return undefined;
  return { usage: usageOfPictures(usage), text: "", pictures: pictures.length };
}

/** The events that finish each picture of a whole answer; the last one tells what all of them used. */
export const finishedPictures =
  (kind: "image_generation" | "image_edit") =>
  ({ created, data, usage, ...form }: Json): string => {
    const type = `${kind}.completed`;
    const pictures = records(data);
    const events = pictures.map((picture, place) => {
      const isLast = place === pictures.length - 1;
      return { type, ...picture, created_at: created, ...form, ...(isLast && usage !== undefined && { usage }) };
    });
    return events.map((event) => `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  };

/** What can be seen of a picture costs like the whole of it. */
function events(): ReadEvent {
  let isPartial = false;
  const begun = (): { pictures?: number } => (isPartial ? {} : { pictures: 1 });
  return typedEvents((event: TypedEvent): EventFacts => {
    if (event.type.endsWith(".partial_image")) {
      const facts: EventFacts = { kind: "content", textBytes: 1, ...begun() };
      isPartial = true;
      return facts;
    }
    if (!event.type.endsWith(".completed")) return nothing;
    const data = event.json();
    if (!data) return damaged;
    const usage = usageOfPictures(data.usage);
    const facts: EventFacts = { kind: "content", textBytes: 1, ...begun(), isLast: true, ...(usage && { usage }) };
    isPartial = false;
    return facts;
  });
}

const pictures = (entry: EndpointName, kind: "image_generation" | "image_edit"): Shape => ({
  entry,
  read: (json, isEstimateRough) => asked(json, 0, isEstimateRough),
  passedHeaders: [],
  bodyFor: bodyWithModel,
  answer,
  eventsOf: finishedPictures(kind),
  used: picturesUsed,
  firstByteWithinMs,
  eventBytesMax,
  events,
  terminator: "",
  wording: openAiWording,
  probe: (model, prompt) => ({ model, prompt, n: 1 }),
});

export const imageGenerations: Shape = pictures("images_generations", "image_generation");

export const imageEdits: Shape = {
  ...pictures("images_edits", "image_edit"),
  read: (json, isEstimateRough) => asked(json, picturesIn(json), isEstimateRough),
  readForm: askedByForm,
  probe: () => undefined,
};
