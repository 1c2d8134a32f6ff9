/**
 * What pictures and sound cost. They can be counted in two ways: in tokens, or in pictures, characters and seconds. A
 * price counts in one of them, and a call is charged and held for in that one alone.
 */
import { completionTokens, type ExtraUsage, noUsage, promptTokens, type Rates, rateOf } from "../money/price.ts";
import { canLast } from "./recording-length.ts";
import type { Asked, Call, Seen } from "./shapes/shape.ts";
import { chargeable, type ReadUsage, type Used } from "./usage.ts";

/** Tokens of a square picture of 1024 by 1024, as OpenAI lists them for its image models. */
const squareTokens: ReadonlyMap<string, number> = new Map([
  ["low", 272],
  ["medium", 1_056],
]);
const squareTokensMax = 4_160;
const square = 1024 * 1024;
/** The largest size that a provider picks by itself. */
const usualPixels = 1024 * 1536;
const pixelsMax = 3840 * 2160;

/** The most tokens that a picture has, by its area; of a size or quality that nobody named, the dearest. */
export function pictureTokens(size: string, quality: string): number {
  const [, width, height] = /^(\d{1,5})x(\d{1,5})$/.exec(size) ?? [];
  const pixels = Math.min(Number(width) * Number(height) || usualPixels, pixelsMax);
  const perSquare = squareTokens.get(quality) ?? squareTokensMax;
  return Math.ceil((pixels / square) * perSquare);
}

/** A picture that is looked at closely. */
export const seenPictureTokens = 3_000;

/** OpenAI's voices: a minute has 1,250 tokens. */
const soundTokensPerSecond = 1_250 / 60;
/** Of recordings that are heard; twice what OpenAI's models take. */
const heardTokensPerSecondMax = 20;
/** Bytes of a second of speech as OpenAI's voices are encoded. */
const bytesPerSecond: ReadonlyMap<string, number> = new Map([
  ["wav", 48_000],
  ["pcm", 48_000],
  ["flac", 24_000],
  ["opus", 6_000],
]);
const usualBytesPerSecond = 16_000;
const charactersPerSecond = 15;
const bytesPerToken = 4;
/** Nobody speaks faster than this. */
const writtenBytesPerSecondMax = 25;

/** What a text takes when it is spoken, before anybody has spoken it. */
export const spokenTokens = (characters: number): number =>
  Math.ceil((characters / charactersPerSecond) * soundTokensPerSecond);

/** Whether a price is for the tokens of what is spoken, not for the characters of the text. */
const isForSound = (rates: Rates): boolean =>
  rates.characters === undefined && rateOf(rates, "output_audio") > rates.input;

/** What to hold for, in the one way in which the price counts it. */
export function countedOnce(
  { images, output_image, input_image, characters, output_audio, ...rest }: ExtraUsage,
  rates: Rates,
): ExtraUsage {
  const pictures = rates.images === undefined ? { output_image, input_image } : { images };
  const speech = isForSound(rates) ? { output_audio } : { characters };
  return defined({ ...rest, ...pictures, ...speech });
}

const defined = (extras: { [Name in keyof ExtraUsage]: ExtraUsage[Name] | undefined }): ExtraUsage =>
  Object.fromEntries(Object.entries(extras).filter(([, amount]) => amount !== undefined));

/** A price for a picture stands for all of it; a price for tokens does without when nobody counts them. */
export function picturesUsed(call: Call, told: ReadUsage | undefined, { pictures }: Seen, rates: Rates): Used {
  if (rates.images !== undefined) return { usage: { ...noUsage, images: pictures }, note: "" };
  const input_image = call.extras?.input_image ?? 0;
  // Pictures show no letters.
  const unseen = told && { ...told, hidden: completionTokens(told.usage) };
  return chargeable(unseen, { ...noUsage, input: call.promptEstimate, input_image, images: pictures });
}

/** The whole text costs, however much of it was heard: it was read at once. */
export function speechUsed(call: Call, format: string, told: ReadUsage | undefined, bytes: number, rates: Rates): Used {
  const characters = call.extras?.characters ?? 0;
  if (!isForSound(rates)) return { usage: { ...noUsage, characters }, note: "" };
  const seconds = bytes / (bytesPerSecond.get(format) ?? usualBytesPerSecond);
  const output_audio = Math.ceil(seconds * soundTokensPerSecond);
  return chargeable(told, { ...noUsage, input: call.promptEstimate, output_audio });
}

const lengthUnsaid = "usage estimated: the upstream did not say how long the recording is";

/** By the tokens that the provider counts, else by the second; the text is extra where a price knows no seconds. */
export function heardUsed(call: Call, told: ReadUsage | undefined, { textBytes }: Seen, rates: Rates): Used {
  // A file that is packed more tightly than most lasts longer than its size tells: the text shows it.
  const guessed = Math.max(call.extras?.seconds ?? 0, Math.ceil(textBytes / writtenBytesPerSecondMax));
  const output = Math.ceil(textBytes / bytesPerToken);
  if (rates.seconds === undefined && told && promptTokens(told.usage) > 0) {
    const input_audio = guessed * heardTokensPerSecondMax;
    const checked = chargeable(told, { ...noUsage, input: call.promptEstimate, input_audio, output });
    if (checked.usage === told.usage) return checked;
  }
  const said = told?.usage.seconds;
  const isSaid = said !== undefined && canLast(said, call.body.length);
  const usage = { ...noUsage, seconds: isSaid ? said : guessed };
  const note = isSaid ? "" : lengthUnsaid;
  return rates.seconds === undefined ? { usage: { ...usage, output }, note, isEstimate: true } : { usage, note };
}

/** What a size and a quality are called in prices; what the provider picks by itself has no name. */
export function variantOf(size: string, quality: string): Pick<Asked, "variant"> {
  const [bySize, byQuality] = [size, quality].map((name) => (name === "auto" ? "" : name));
  return bySize || byQuality ? { variant: `${bySize}/${byQuality}` } : {};
}
