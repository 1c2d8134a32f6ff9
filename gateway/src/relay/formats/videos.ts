/** Videos: OpenAI's API, by which a provider makes one after its response. */
import { noUsage } from "../../money/prices/price.ts";
import { isRecord, type JsonRecord, parseObject, record } from "../wire/json-parts.ts";
import { findField, type MultipartForm } from "../wire/multipart.ts";
import { refuseBadRequest } from "../wire/relay-refusal.ts";
import type { ClientFormat } from "./api-format.ts";
import type { PlainRequest, SentBody, StatedNeeds } from "./call-parts.ts";
import { openAiErrors } from "./openai-errors.ts";
import {
  field,
  modelName,
  objectField,
  optional,
  parseBody,
  patchModel,
  textField,
} from "./request-fields.ts";

const defaultModel = "sora-2";
/** The longest that OpenAI makes by default: what is held for where a request names no length. */
export const unstatedSeconds = 12;
/** Longer than any provider makes at once. */
export const videoSecondsMax = 600;
/** OpenAI's own limit. */
const promptMax = 32_000;
const sizeMax = 40;
/** Providers store a picture before they answer. */
const firstByteTimeoutMs = 2 * 60_000;

const secondsField = field(
  (value): value is string | number => parseSeconds(value) !== undefined,
  `must be a whole number of seconds from 1 to ${videoSecondsMax}`,
);
const reference = field(
  (value): value is JsonRecord =>
    isRecord(value) && typeof value.image_url === "string" && Object.keys(value).length === 1,
  "must be an object with image_url alone; a stored file is not taken",
);
const promptField = textField(1, promptMax, `must be a text of 1 to ${promptMax} characters`);
const videoRequest = objectField({
  model: optional(modelName),
  prompt: promptField,
  seconds: optional(secondsField),
  size: optional(textField(1, sizeMax, `must be a text of at most ${sizeMax} characters`)),
  input_reference: optional(reference),
});
const remixRequest = objectField({ prompt: promptField });
const listedMembers = ["model", "prompt", "seconds", "size", "input_reference"];
/** `addressInForm` says how forms write `input_reference.image_url`. */
const addressInForm = "input_reference[image_url]";

/**
 * `VideoMeasures` are what the price of a video depends on, as a request states it or a provider's
 * answer.
 */
export interface VideoMeasures {
  /** Undefined where nothing is stated. */
  seconds: number | undefined;
  size: string;
}

/** Clients send `seconds` as a text; some providers answer with a number. */
export function parseSeconds(value: unknown): number | undefined {
  const stated =
    typeof value === "string" && /^\d{1,4}(\.\d{1,6})?$/.test(value) ? Number(value) : value;
  if (
    typeof stated !== "number" ||
    !Number.isFinite(stated) ||
    stated <= 0 ||
    stated > videoSecondsMax
  )
    return undefined;
  return Math.ceil(stated);
}

/** The length and size that a call asks for. */
export function buildMeasuresAsked({ form, body }: Pick<SentBody, "body" | "form">): VideoMeasures {
  const { seconds, size } = form
    ? { seconds: findField(form, "seconds"), size: findField(form, "size") }
    : parseObject(body.toString("utf8"));
  return { seconds: parseSeconds(seconds), size: typeof size === "string" ? size : "" };
}

/**
 * Throws `RelayRefused` for a member that may cost more, or name something of another user, in a
 * way that nothing here knows.
 */
function refuseOthers(names: readonly string[], known: readonly string[]): void {
  const other = names.find((name) => !known.includes(name))?.slice(0, sizeMax);
  if (other !== undefined)
    throw refuseBadRequest(
      "invalid_video_request",
      `${other}: is no member that is taken here; leave it out`,
      other,
    );
}

type VideoRequest = PlainRequest & Pick<StatedNeeds, "variant" | "ownApiFor">;

const parseReply = (model: string, { seconds, size }: VideoMeasures): VideoRequest => ({
  model,
  isStream: false,
  wantsUsage: false,
  streamOptions: {},
  maxOutputTokens: 0,
  choiceCount: 1,
  promptEstimate: 0,
  extras: { seconds: seconds ?? unstatedSeconds },
  ownApiFor: "videos",
  ...(size !== "" && { variant: `${size}/` }),
});

function parseRequest(json: unknown): VideoRequest {
  const { model, seconds, size } = parseBody(videoRequest, json, "invalid_video_request");
  refuseOthers(Object.keys(record(json)), listedMembers);
  return parseReply(model ?? defaultModel, { seconds: parseSeconds(seconds), size: size ?? "" });
}

function parseForm(form: MultipartForm): VideoRequest {
  refuseOthers(
    form.parts.map(({ name }) => name),
    [...listedMembers, addressInForm],
  );
  const references = form.parts.filter(({ name }) => name === "input_reference");
  if (references.length > 1 || references.some(({ filename }) => filename === undefined))
    throw refuseBadRequest(
      "invalid_video_request",
      "input_reference: must be one picture",
      "input_reference",
    );
  const names = ["model", "prompt", "seconds", "size"];
  return parseRequest(Object.fromEntries(names.map((name) => [name, findField(form, name)])));
}

/**
 * JSON is written anew: what stands there twice, of which a provider might read the other one,
 * stands there once.
 */
const writeBody = (call: SentBody, model: string): Buffer =>
  call.form
    ? patchModel(call, model)
    : Buffer.from(JSON.stringify({ ...parseObject(call.body.toString("utf8")), model }));

export const videos: ClientFormat = {
  endpoint: "videos",
  parseRequest,
  parseForm,
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    endpoint: "videos",
    writeBody,
    replies: { accept: () => "application/json" },
    readReply: () => ({ usage: undefined, text: "" }),
    usageFor: () => ({ usage: noUsage, marks: [] }),
    firstByteTimeoutMs,
    createEventReader: () => () => ({ kind: "other", textBytes: 0 }),
    terminator: "",
  },
};

/** A video made from another one, which keeps its model, length and size. */
export const buildRemix = (
  upstreamId: string,
  model: string,
  measures: VideoMeasures,
): ClientFormat => ({
  endpoint: "videos",
  parseRequest(json) {
    parseBody(remixRequest, json, "invalid_video_request");
    refuseOthers(Object.keys(record(json)), ["prompt"]);
    return parseReply(model, measures);
  },
  passedHeaders: [],
  errorFormat: openAiErrors,
  upstream: {
    ...videos.upstream,
    writeBody: ({ body }) =>
      Buffer.from(JSON.stringify({ prompt: parseObject(body.toString("utf8")).prompt })),
    urlFor(endpointUrl) {
      const url = new URL(endpointUrl);
      url.pathname += `/${upstreamId}/remix`;
      return url;
    },
  },
});
