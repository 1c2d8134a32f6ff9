/** Images: OpenAI's APIs that generate them from a prompt, and edit them. */
import type { EndpointName } from "@tollgate/contract/catalogue/channel-endpoints.ts";
import { noUsage } from "../../money/prices/price.ts";
import { isRecord, type JsonRecord, record, records } from "../wire/json-parts.ts";
import { findField, type MultipartForm } from "../wire/multipart.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import type {
  ClientFormat,
  ReplyFacts,
  StreamEventFacts,
  StreamEventReader,
} from "./api-format.ts";
import type { PlainRequest, StatedNeeds } from "./call-parts.ts";
import { refuseReferences } from "./form-references.ts";
import { estimatePromptTokens } from "./hold-size/token-estimate.ts";
import { openAiErrors } from "./openai-errors.ts";
import { streamOrJson } from "./reply-facts.ts";
import {
  integerField,
  modelName,
  objectField,
  optional,
  parseBody,
  patchModel,
  requiredText,
  switchField,
  textField,
} from "./request-fields.ts";
import {
  createTypedEventReader,
  ignoredEvent,
  malformedEvent,
  type TypedEvent,
} from "./typed-events.ts";
import {
  buildImagesUsage,
  buildVariant,
  computeImageTokens,
  inputImageTokens,
} from "./usage/media-usage.ts";
import { findTokenCount, type ReportedUsage } from "./usage/reported-usage.ts";

const defaultModel = "dall-e-2";
/** More than any provider generates per call. */
const imagesMax = 128;
const shortText = optional(textField(0, 40, "must be a text of at most 40 characters"));
const imageRequest = objectField({
  model: optional(modelName),
  prompt: requiredText,
  n: optional(integerField(1, imagesMax)),
  size: shortText,
  quality: shortText,
  stream: switchField,
});

/** Large images take minutes. */
const firstByteTimeoutMs = 10 * 60_000;
/**
 * `eventBytesMax` is one event carries a whole image: at most the largest that is generated, as PNG
 * in base64.
 */
const eventBytesMax = 64 * 1024 * 1024;

/** `inputImages` is the number of images in the request. */
function parsedRequest(
  json: unknown,
  inputImages: number,
  isEstimateRough: boolean,
): PlainRequest & Pick<StatedNeeds, "variant"> {
  const { model, prompt, n, size, quality, stream } = parseBody(
    imageRequest,
    json,
    "invalid_image_request",
  );
  const imageCount = n ?? 1;
  return {
    model: model ?? defaultModel,
    isStream: stream === true,
    wantsUsage: true,
    streamOptions: {},
    maxOutputTokens: 0,
    choiceCount: imageCount,
    promptEstimate: estimatePromptTokens([{ content: prompt }], {}, isEstimateRough),
    extras: {
      images: imageCount,
      output_image: imageCount * computeImageTokens(size ?? "", quality ?? ""),
      ...(inputImages > 0 && { input_image: inputImages * inputImageTokens }),
    },
    ...buildVariant(size ?? "", quality ?? ""),
  };
}

const fields = ["model", "prompt", "size", "quality"] as const;
const imageField = /^image(\[\d*\])?$/;

function parseForm(
  form: MultipartForm,
  isEstimateRough: boolean,
): PlainRequest & Pick<StatedNeeds, "variant"> {
  const inputImages = form.parts.filter(
    ({ name, filename }) => filename !== undefined && imageField.test(name),
  ).length;
  if (inputImages === 0)
    throw refuseBadRequest("invalid_image_request", "image: is required", "image");
  refuseReferences(form, "invalid_image_request");
  const reported = Object.fromEntries(fields.map((name) => [name, findField(form, name)]));
  const n = findField(form, "n");
  return parsedRequest(
    {
      ...reported,
      n: n !== undefined && /^\d+$/.test(n) ? Number(n) : n,
      stream: findField(form, "stream")?.toLowerCase() === "true",
    },
    inputImages,
    isEstimateRough,
  );
}

/** The number of images in a JSON request, by the field names that providers use. */
function parseInputImages(json: unknown): number {
  const { images, image } = record(json);
  const inputDetails = images ?? image;
  return Array.isArray(inputDetails)
    ? inputDetails.length
    : inputDetails === undefined || inputDetails === null
      ? 0
      : 1;
}

/**
 * Image models count image and text tokens separately, for input and output; undefined when every
 * count is 0.
 */
function parseImageUsage(wire: unknown): ReportedUsage | undefined {
  const reported = record(wire);
  const prompt = findTokenCount(reported.input_tokens);
  const answer = findTokenCount(reported.output_tokens);
  if (prompt === undefined || answer === undefined || prompt + answer === 0) return undefined;
  const inputDetails = record(reported.input_tokens_details);
  const outputDetails = record(reported.output_tokens_details);
  const input_image = Math.min(findTokenCount(inputDetails.image_tokens) ?? 0, prompt);
  const cached = Math.min(findTokenCount(inputDetails.cached_tokens) ?? 0, prompt);
  // The provider does not say what was cached: text first, then images where the text is not
  // enough.
  const cache_read = Math.min(cached, prompt - input_image);
  const cache_read_image = cached - cache_read;
  const output = Math.min(findTokenCount(outputDetails.text_tokens) ?? 0, answer);
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
    hiddenOutput: 0,
    isCorrected: false,
    wire: { family: "openai_media", members: reported },
  };
}

/** `readReply` also reads `images`, where some OpenAI-compatible providers list their images. */
function readReply({ data, images, usage, svg_usage }: JsonRecord): ReplyFacts | undefined {
  const list = data ?? images;
  if (!Array.isArray(list)) return undefined;
  return {
    usage: addUnknownAuthor(parseImageUsage(usage), svg_usage),
    text: "",
    images: list.length,
  };
}

/** The model that writes vectors has a price of its own. */
const addUnknownAuthor = (
  reported: ReportedUsage | undefined,
  svgUsage: unknown,
): ReportedUsage | undefined =>
  reported && isRecord(svgUsage) ? { ...reported, hasUnknownFee: true } : reported;

/** The final event of each image of a whole reply; the last one carries the usage of all. */
export const makeEventsFromImages =
  (kind: "image_generation" | "image_edit") =>
  ({ created, data, usage, ...form }: JsonRecord): string => {
    const type = `${kind}.completed`;
    const images = records(data);
    const events = images.map((image, index) => {
      const isLast = index === images.length - 1;
      return {
        type,
        ...image,
        created_at: created,
        ...form,
        ...(isLast && usage !== undefined && { usage }),
      };
    });
    return events.map((event) => `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  };

/** A partial image costs as much as the finished one. */
function createEventReader(): StreamEventReader {
  let isPartial = false;
  const imageStarted = (): { images?: number } => (isPartial ? {} : { images: 1 });
  return createTypedEventReader((event: TypedEvent): StreamEventFacts => {
    if (event.type.endsWith(".partial_image")) {
      const facts: StreamEventFacts = { kind: "content", textBytes: 1, ...imageStarted() };
      isPartial = true;
      return facts;
    }
    if (!event.type.endsWith(".completed")) return ignoredEvent;
    const data = event.json();
    if (!data) return malformedEvent;
    const usage = addUnknownAuthor(parseImageUsage(data.usage), data.svg_usage);
    const facts: StreamEventFacts = {
      kind: "content",
      textBytes: 1,
      ...imageStarted(),
      isLast: true,
      ...(usage && { usage }),
    };
    isPartial = false;
    return facts;
  });
}

const buildImageFormat = (
  endpoint: EndpointName,
  kind: "image_generation" | "image_edit",
): ClientFormat => ({
  endpoint,
  parseRequest: (json, isEstimateRough) => parsedRequest(json, 0, isEstimateRough),
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    endpoint,
    writeBody: patchModel,
    // Some providers ignore `stream`.
    replies: { ...streamOrJson, streamFromReply: makeEventsFromImages(kind) },
    readReply,
    usageFor: buildImagesUsage,
    firstByteTimeoutMs,
    eventBytesMax,
    createEventReader,
    terminator: "",
  },
});

export const imageGenerations: ClientFormat = buildImageFormat(
  "images_generations",
  "image_generation",
);

export const imageEdits: ClientFormat = {
  ...buildImageFormat("images_edits", "image_edit"),
  parseRequest: (json, isEstimateRough) =>
    parsedRequest(json, parseInputImages(json), isEstimateRough),
  parseForm: parseForm,
};
