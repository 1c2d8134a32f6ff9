// OpenAI's formats for images and audio: field names, their order and the order of events follow
// its API reference.

import { type ReplyDelivery, sendJson, sendStream } from "./delivery.ts";
import { generatePng } from "./generated-media.ts";
import { answerSpeech, answerTranscription } from "./openai-audio-wire.ts";
import {
  badRequest,
  type MediaFields,
  type MediaRequest,
  textOf,
  usageUnless,
  wordsIn,
} from "./openai-media-request.ts";
import { openAiWire } from "./openai-wire.ts";
import { parseJson } from "./request-body.ts";
import { isRecord } from "./script.ts";
import { fnv1a } from "./simulated-answer.ts";
import { InvalidRequestError, type SimulatedEvent } from "./wire-format.ts";

export type MediaOperation = "generations" | "edits" | "speech" | "transcriptions" | "translations";

const paths: Readonly<Record<string, MediaOperation>> = {
  "/v1/images/generations": "generations",
  "/v1/images/edits": "edits",
  "/v1/audio/speech": "speech",
  "/v1/audio/transcriptions": "transcriptions",
  "/v1/audio/translations": "translations",
};

export const mediaOperationOf = (method: string, path: string): MediaOperation | undefined =>
  method === "POST" && Object.hasOwn(paths, path) ? paths[path] : undefined;

/** Throws `InvalidRequestError`. Calls `onStream` before a streamed reply. */
export async function answerMedia(
  delivery: ReplyDelivery,
  operation: MediaOperation,
  body: Buffer,
  onStream: () => void,
): Promise<void> {
  const { behaviour, call } = delivery;
  const fields = await membersOf(body, String(call.headers["content-type"] ?? ""));
  const model = textOf(fields, "model");
  if (model === "") throw badRequest("you must provide a model parameter");
  if (behaviour.models && !behaviour.models.includes(model))
    throw new InvalidRequestError({ status: 404, message: "unknown" });
  const isStream =
    fields.stream === true || fields.stream === "true" || fields.stream_format === "sse";
  if (behaviour.errorAfter !== undefined && !isStream)
    throw new InvalidRequestError({ status: 500, message: "failed" });
  if (isStream) {
    call.stream = true;
    onStream();
  }
  const request = { fields, model, createdSeconds: Math.floor(call.receivedAt / 1000) };
  if (operation === "speech") return await answerSpeech(delivery, request, isStream);
  if (operation === "generations" || operation === "edits")
    return await answerImages(delivery, operation, request, isStream);
  return await answerTranscription(delivery, operation, request, isStream);
}

/**
 * The members of a JSON body or the fields of a form; files become their bytes, repeated names
 * become lists.
 */
async function membersOf(body: Buffer, contentType: string): Promise<MediaFields> {
  if (!contentType.startsWith("multipart/form-data")) {
    const json = parseJson(body);
    if (!isRecord(json)) throw badRequest("We could not parse the JSON body of your request.");
    return json;
  }
  const members: Record<string, unknown> = {};
  const headers = { "content-type": contentType };
  const form = await new Response(new Uint8Array(body), { headers })
    .formData()
    .catch(() => undefined);
  if (!form) throw badRequest("We could not parse your multipart form.");
  for (const name of new Set(form.keys())) {
    const values = await Promise.all(
      form
        .getAll(name)
        .map(async (value) =>
          typeof value === "string" ? value : Buffer.from(await value.bytes()),
        ),
    );
    members[name] = values.length === 1 ? values[0] : values;
  }
  return members;
}

/** A word of the prompt is 1 token, an input image 85, a generated image 100. */
function imageUsage(prompt: string, shown: number, drawn: number) {
  const text_tokens = wordsIn(prompt);
  const image_tokens = 85 * shown;
  const output_tokens = 100 * drawn;
  return {
    input_tokens: text_tokens + image_tokens,
    input_tokens_details: { image_tokens, text_tokens },
    output_tokens,
    total_tokens: text_tokens + image_tokens + output_tokens,
  };
}

const inputImageCount = (fields: MediaFields): number =>
  ["image", "image[]", "images"].reduce((sum, name) => {
    const value = fields[name];
    return sum + (Array.isArray(value) ? value.length : value === undefined ? 0 : 1);
  }, 0);

async function answerImages(
  delivery: ReplyDelivery,
  operation: "generations" | "edits",
  { fields, model, createdSeconds }: MediaRequest,
  isStream: boolean,
): Promise<void> {
  const prompt = textOf(fields, "prompt");
  if (prompt === "") throw badRequest("Missing required parameter: 'prompt'.");
  const shown = inputImageCount(fields);
  if (operation === "edits" && shown === 0)
    throw badRequest("Missing required parameter: 'image'.");
  const count = Number(fields.n ?? 1);
  const isNew = model.startsWith("gpt-image");
  const usage = imageUsage(prompt, shown, isStream ? 1 : count);
  const usageMember = isNew ? usageUnless(delivery.behaviour.noUsage, usage) : {};
  const picture = (index: number): string => generatePng(`${prompt} ${index}`).toString("base64");
  const form = { background: "opaque", output_format: "png", quality: "high", size: "1024x1024" };
  if (isStream) {
    const kind = operation === "edits" ? "image_edit" : "image_generation";
    const events: SimulatedEvent[] = Array.from(
      { length: Number(fields.partial_images ?? 0) },
      (_, index) =>
        namedEvent(`${kind}.partial_image`, {
          b64_json: picture(index + 1),
          partial_image_index: index,
          created_at: createdSeconds,
          ...form,
        }),
    );
    events.push(
      namedEvent(`${kind}.completed`, {
        b64_json: picture(0),
        created_at: createdSeconds,
        ...form,
        ...usageMember,
      }),
    );
    return await sendStream(delivery, events, openAiWire.streamFailure);
  }
  const asUrl = !isNew && fields.response_format !== "b64_json";
  const data = Array.from({ length: count }, (_, index) =>
    asUrl
      ? { url: `https://pictures.example/${fnv1a(prompt)}/${index}.png` }
      : { b64_json: picture(index) },
  );
  await sendJson(delivery, { created: createdSeconds, ...(isNew && form), data, ...usageMember });
}

const namedEvent = (type: string, data: object): SimulatedEvent => ({
  kind: "content",
  text: `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`,
});
