/**
 * Estimates the tokens of a call: good enough for a hold, replaced by the usage that the provider
 * reports.
 */
import {
  addCallFee,
  charge,
  chooseRate,
  type ExtraUsage,
  noUsage,
  type Pricing,
  type Rates,
} from "../../../money/prices/price.ts";
import type { JsonRecord } from "../../wire/json-parts.ts";
import type { ReportedUsage } from "../usage/reported-usage.ts";
import {
  isToolInput,
  textMembers,
  type UnseenInputKind,
  type UnseenInputs,
} from "./unseen-inputs.ts";

/** A token is about four bytes of English, and more than three bytes of most other scripts. */
const tokensPerByte = 0.25;
/** The rough estimate of compatible servers: more than almost any text has. */
const tokensPerByteRough = 0.38;
/** A hold must not be too small: code and other scripts may need half as many tokens more. */
const holdMargin = 1.5;
const tokensPerMessage = 4;
/** An image costs about this many tokens, however long its base64 is. */
export const tokensPerImage = 1_200;
/**
 * Base64 characters of a recording for each token; documents are mostly text and have more tokens.
 */
const base64LettersPerToken = { recording: 500, document: 10 };
/** Output tokens to hold for when neither the client nor the model sets a limit. */
const unknownLargestOutput = 16_384;
/**
 * A call that states no limit starts only with a hold for this many: an answer that is cut short
 * earlier helps no client.
 */
const leastOutput = 4_096;

/**
 * Tokens to hold for one input of each kind: about what providers reported for ordinary ones (a
 * large picture or a page, a document of some ten pages, three rounds of a search, a long
 * conversation).
 */
export const unseenTokens: Readonly<Record<UnseenInputKind, number>> = {
  address: 8_192,
  file: 32_768,
  hosted_tool: 32_768,
  mcp: 32_768,
  stored_state: 65_536,
  unknown_id: 32_768,
};
/** No provider reads more for one call: the largest context window, several times over. */
const unseenTokensMax = 10_000_000;

/**
 * Members of a request that name, route or configure a call; no provider gives them to the model.
 */
const settingMembers = new Set([
  "model",
  "stream_options",
  "metadata",
  "user",
  "safety_identifier",
  "prompt_cache_key",
  "service_tier",
  "logit_bias",
]);
const labelMembers = new Set(["role", "type"]);
/**
 * Longer ones are no labels: servers with templates of their own write any role into the prompt.
 */
const labelLengthMax = 40;
/**
 * Members of a request that hold no files: what looks like one is text, which a template writes
 * into the prompt.
 */
const fileless = new Set(["tools", "functions", "response_format", "text"]);

/**
 * Estimates what can be seen of a prompt. Each message costs some tokens beside its content.
 * `request` is the body, in which `messageMembers` hold the messages: what else is neither a known
 * setting nor a plain number or switch may reach the model, so it weighs. The nesting depth was
 * checked before.
 */
export function estimatePromptTokens(
  messages: readonly unknown[],
  request: JsonRecord,
  isRough: boolean,
  messageMembers: readonly string[] = [],
): number {
  const perByte = isRough ? tokensPerByteRough : tokensPerByte;
  let tokens = messages.length * tokensPerMessage;
  for (const message of messages) tokens += weighMessage(message, perByte);
  for (const name in request) {
    const value = request[name];
    if (
      settingMembers.has(name) ||
      messageMembers.includes(name) ||
      typeof value === "number" ||
      typeof value === "boolean" ||
      value === null
    )
      continue;
    tokens += weigh(value, perByte, name, fileless.has(name));
  }
  return Math.ceil(tokens);
}

function weighMessage(message: unknown, perByte: number): number {
  if (typeof message !== "object" || message === null) return weigh(message, perByte);
  let tokens = 0;
  const members = message as JsonRecord;
  for (const name in members)
    if (!isLabel(name, members[name])) tokens += weigh(members[name], perByte, name);
  return tokens;
}

const isLabel = (name: string, value: unknown): boolean =>
  labelMembers.has(name) && typeof value === "string" && value.length <= labelLengthMax;

/** Names of members weigh as their values do: the arguments of a tool may hide a prompt in them. */
function weigh(value: unknown, perByte: number, name = "", isText = false, mediaType = ""): number {
  switch (typeof value) {
    case "string":
      return (
        (isText ? undefined : findAttachmentTokens(name, value, mediaType)) ??
        Buffer.byteLength(value) * perByte
      );
    case "number":
      // Prompts may be lists of token numbers.
      return Math.max(1, String(value).length * perByte);
    case "boolean":
      return 1;
    case "object": {
      if (value === null) return 1;
      let tokens = 0;
      if (Array.isArray(value)) {
        for (const part of value) tokens += weigh(part, perByte, name, isText, mediaType);
        return tokens;
      }
      const part = value as JsonRecord;
      const stated = part.media_type ?? part.mimeType ?? part.mime_type ?? part.format;
      const type = typeof stated === "string" ? stated : "";
      for (const member in part) {
        const isWritten = isText || textMembers.has(member) || isToolInput(member, part);
        if (!labelMembers.has(member)) tokens += Buffer.byteLength(member) * perByte;
        tokens += weigh(part[member], perByte, member, isWritten, type);
      }
      return tokens;
    }
    default:
      return 0;
  }
}

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?[^,]{0,100};base64,/;
const attachmentMembers = new Set([
  "url",
  "image_url",
  "video_url",
  "audio_url",
  "file_data",
  "data",
]);

/**
 * Tokens of a file by value; undefined for what is text. A text that only begins like one stands in
 * another member.
 */
function findAttachmentTokens(name: string, value: string, mediaType: string): number | undefined {
  if (!attachmentMembers.has(name)) return undefined;
  const type = dataUrl.exec(value.slice(0, 200))?.[1] ?? (name === "data" ? mediaType : "");
  if (type.startsWith("image/")) return tokensPerImage;
  if (type.startsWith("text/") || type === "") return undefined;
  const isDocument = type.startsWith("application/");
  return Math.ceil(value.length / base64LettersPerToken[isDocument ? "document" : "recording"]);
}

/**
 * Tokens to hold for what the provider reads beside the body. `computeContextTokens` are those of
 * stored states whose last call was counted: they stand in place of the figure for their kind.
 */
export function computeUnseenInputTokens(
  unseen: UnseenInputs,
  contextTokens: readonly number[] = [],
): number {
  let tokens = 0;
  for (const [kind, count] of Object.entries(unseen))
    tokens += unseenTokens[kind as UnseenInputKind] * count;
  const { stored_state = 0 } = unseen;
  for (const counted of contextTokens.slice(0, stored_state))
    tokens += counted - unseenTokens.stored_state;
  return Math.min(tokens, unseenTokensMax);
}

/** Completion tokens of all answers together. */
export interface OutputHold {
  /** `wanted` is what a hold covers if the balance allows it. */
  wanted: number;
  /**
   * The least that a call starts with. Smaller than `wanted` only where the request states no
   * limit.
   */
  least: number;
}

/**
 * Completion tokens to hold for. With a limit in the request it is that, or the model's largest
 * output where that is lower; without one the largest output, of which the balance may cover less.
 * `modelMax` is 0 where it is unknown.
 */
export function buildOutputHold(
  limit: number | undefined,
  modelMax: number,
  answers: number,
): OutputHold {
  if (limit !== undefined) {
    const tokens = (modelMax > 0 ? Math.min(limit, modelMax) : limit) * answers;
    return { wanted: tokens, least: tokens };
  }
  const largest = modelMax > 0 ? modelMax : unknownLargestOutput;
  return { wanted: largest * answers, least: Math.min(leastOutput, largest) * answers };
}

/**
 * Tokens of an answer to hold for at the price of a picture or of sound: three pictures, or three
 * minutes.
 */
const mediaTokensMax = 4_096;

/** `MediaOutput` is what of an answer may cost more than text; it counts towards the same limit. */
export interface MediaOutput {
  bucket: "output_image" | "output_audio";
  /** Completion tokens of all answers together. */
  max: number;
}

/** A model that draws may do so unasked; sound comes where the request mentions it. */
export function findMediaOutput(
  rates: Rates,
  { body, choiceCount }: { body: Buffer; choiceCount: number },
): MediaOutput | undefined {
  const max = mediaTokensMax * choiceCount;
  const [picture, sound] = [chooseRate(rates, "output_image"), chooseRate(rates, "output_audio")];
  if (
    sound > rates.output &&
    sound > picture &&
    (body.includes('"audio"') || body.includes('"AUDIO"'))
  )
    return { bucket: "output_audio", max };
  return picture > rates.output ? { bucket: "output_image", max } : undefined;
}

/**
 * Units to hold: the prompt with a margin and the operator's addition, the longest output, and
 * usage beside text.
 */
export function holdAmount(
  pricing: Pricing,
  promptTokens: number,
  addedTokens: number,
  completionTokens: number,
  groupRatio: number,
  extras: ExtraUsage = {},
  media?: MediaOutput,
): number {
  const input = Math.ceil(promptTokens * holdMargin) + addedTokens;
  const usage = { ...noUsage, ...extras, input, output: completionTokens };
  if (media) {
    const tokens = Math.min(completionTokens, media.max);
    usage.output -= tokens;
    usage[media.bucket] = (extras[media.bucket] ?? 0) + tokens;
  }
  return charge(pricing, addCallFee(usage, pricing), groupRatio);
}

/** The usage of a whole reply whose provider reports none. */
export const estimateUsage = (promptTokens: number, answer: string): ReportedUsage => ({
  usage: {
    ...noUsage,
    input: promptTokens,
    output: Math.ceil(Buffer.byteLength(answer) * tokensPerByte),
  },
  hiddenOutput: 0,
  isCorrected: false,
});

/**
 * Estimates the output of a stream without usage: most providers send one token per event, some
 * whole phrases.
 */
export function estimateOutputTokens(events: number, bytes: number): number {
  const phrase = 12;
  return events > 0 && bytes / events > phrase ? Math.ceil(bytes / 4) : events;
}
