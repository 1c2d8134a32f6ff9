/**
 * The usage of images and audio. It can be counted in two ways: in tokens, or in images, characters
 * and seconds. A price uses one of them, and the hold and the charge of a call use only that one.
 */
import {
  chooseRate,
  computeCompletionTokens,
  type ExtraUsage,
  noUsage,
  promptTokens,
  type Rates,
} from "../../../money/prices/price.ts";
import { isPlausibleDuration } from "../../counting/audio-duration.ts";
import type { DeliveredOutput } from "../api-format.ts";
import type { AskedSize, SentBody, StatedNeeds } from "../call-parts.ts";
import {
  buildChargedUsage,
  type ChargedUsage,
  type ReportedUsage,
  type UsageLimits,
  unlimited,
} from "./reported-usage.ts";

/** Tokens of a square image of 1024 by 1024, as OpenAI lists them for its image models. */
const squareTokens: ReadonlyMap<string, number> = new Map([
  ["low", 272],
  ["medium", 1_056],
]);
const squareTokensMax = 4_160;
const square = 1024 * 1024;
/** The largest size that a provider chooses by default. */
const defaultPixels = 1024 * 1536;
const pixelsMax = 3840 * 2160;

/**
 * The most tokens that an image has, by its area; for an unspecified size or quality the most
 * expensive one.
 */
export function computeImageTokens(size: string, quality: string): number {
  const [, width, height] = /^(\d{1,5})[x×*](\d{1,5})$/i.exec(size) ?? [];
  const pixels = Math.min(Number(width) * Number(height) || defaultPixels, pixelsMax);
  const perSquare = squareTokens.get(quality) ?? squareTokensMax;
  return Math.ceil((pixels / square) * perSquare);
}

/** An input image at high detail. */
export const inputImageTokens = 3_000;

/** OpenAI's voices: 1,250 tokens a minute. */
const audioTokensPerSecond = 1_250 / 60;
/** Input audio; twice what OpenAI's models count. */
const transcribedTokensPerSecondMax = 20;
/** Bytes per second of speech in the encodings of OpenAI's voices. */
const bytesPerSecond: ReadonlyMap<string, number> = new Map([
  ["wav", 48_000],
  ["pcm", 48_000],
  ["flac", 24_000],
  ["opus", 6_000],
]);
const defaultSpeechBytesPerSecond = 16_000;
const charactersPerSecond = 15;
const bytesPerToken = 4;
/** The fastest speech. */
const transcriptBytesPerSecondMax = 25;

/** Estimates the audio tokens of a text before it is spoken. */
export const computeSpeechTokens = (characters: number): number =>
  Math.ceil((characters / charactersPerSecond) * audioTokensPerSecond);

/** `chargesAudioTokens` says whether a price is per token of speech, not per character of text. */
const chargesAudioTokens = (rates: Rates): boolean =>
  rates.characters === undefined && chooseRate(rates, "output_audio") > rates.input;

/** The usage to hold for, in the unit that the price uses. */
export function buildExtrasInPriceUnit(
  { images, output_image, input_image, characters, output_audio, ...rest }: ExtraUsage,
  rates: Rates,
): ExtraUsage {
  const imageUsage = rates.images === undefined ? { output_image, input_image } : { images };
  const speech = chargesAudioTokens(rates) ? { output_audio } : { characters };
  return defined({ ...rest, ...imageUsage, ...speech });
}

const defined = (
  extras: { [Name in keyof ExtraUsage]: ExtraUsage[Name] | undefined },
): ExtraUsage =>
  Object.fromEntries(Object.entries(extras).filter(([, amount]) => amount !== undefined));

/**
 * A price per image covers the whole image; a price per token does not apply where no tokens are
 * reported.
 */
export function buildImagesUsage(
  call: AskedSize,
  reported: ReportedUsage | undefined,
  { images: imageCount }: DeliveredOutput,
  rates: Rates,
  limits: UsageLimits = unlimited,
): ChargedUsage {
  if (rates.images !== undefined) return { usage: { ...noUsage, images: imageCount }, marks: [] };
  const input_image = call.extras?.input_image ?? 0;
  // Images have no text.
  const unchecked = reported && {
    ...reported,
    hiddenOutput: computeCompletionTokens(reported.usage),
  };
  const estimate = { ...noUsage, input: call.promptEstimate, input_image, images: imageCount };
  return buildChargedUsage(unchecked, estimate, limits);
}

/**
 * The whole input text is charged, however much audio was delivered: the provider has read all of
 * it.
 */
export function buildSpeechUsage(
  call: AskedSize,
  format: string,
  reported: ReportedUsage | undefined,
  bytes: number,
  rates: Rates,
  limits: UsageLimits = unlimited,
): ChargedUsage {
  const characters = call.extras?.characters ?? 0;
  if (!chargesAudioTokens(rates)) return { usage: { ...noUsage, characters }, marks: [] };
  const seconds = bytes / (bytesPerSecond.get(format) ?? defaultSpeechBytesPerSecond);
  const output_audio = Math.ceil(seconds * audioTokensPerSecond);
  return buildChargedUsage(
    reported,
    { ...noUsage, input: call.promptEstimate, output_audio },
    limits,
  );
}

/**
 * `buildTranscriptionUsage` goes by reported tokens, else by the second; the text is charged
 * besides where the price has no rate per second.
 */
export function buildTranscriptionUsage(
  call: AskedSize & SentBody,
  reported: ReportedUsage | undefined,
  { textBytes }: DeliveredOutput,
  rates: Rates,
  limits: UsageLimits = unlimited,
): ChargedUsage {
  // A strongly compressed file lasts longer than its size suggests; the length of the text shows
  // it.
  const estimatedSeconds = Math.max(
    call.extras?.seconds ?? 0,
    Math.ceil(textBytes / transcriptBytesPerSecondMax),
  );
  const output = Math.ceil(textBytes / bytesPerToken);
  if (rates.seconds === undefined && reported && promptTokens(reported.usage) > 0) {
    const input_audio = estimatedSeconds * transcribedTokensPerSecondMax;
    const estimate = { ...noUsage, input: call.promptEstimate, input_audio, output };
    // Some replies say how long the recording is besides.
    const { seconds: _, ...tokens } = reported.usage;
    const checked = buildChargedUsage({ ...reported, usage: tokens }, estimate, limits);
    if (checked.reason !== "distrusted") return checked;
  }
  const reportedSeconds = reported?.usage.seconds;
  const isReported =
    reportedSeconds !== undefined && isPlausibleDuration(reportedSeconds, call.body.length);
  const usage = { ...noUsage, seconds: isReported ? reportedSeconds : estimatedSeconds };
  const charged = { usage, ...(!isReported && { reason: "duration_unknown" as const }), marks: [] };
  if (rates.seconds !== undefined) return charged;
  return {
    ...charged,
    usage: { ...usage, output },
    uncounted: { hasPrompt: false, completionMin: 0 },
  };
}

/** The name of a size and a quality in prices; the provider's default has no name. */
export function buildVariant(size: string, quality: string): Pick<StatedNeeds, "variant"> {
  const [bySize, byQuality] = [size, quality].map((name) => (name === "auto" ? "" : name));
  return bySize || byQuality ? { variant: `${bySize}/${byQuality}` } : {};
}
