/**
 * Identifiers and names of tools that fit a provider's pattern: the same for the same word, so that
 * all turns agree. Pure.
 */
import { createHash } from "node:crypto";

export const hashText = (word: string): string => createHash("sha256").update(word).digest("hex");

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(hex: string, length: number): string {
  let rest = BigInt(`0x${hex}`);
  let written = "";
  while (written.length < length) {
    written += digits[Number(rest % 62n)];
    rest /= 62n;
  }
  return written;
}

export interface WordLimit {
  max: number;
  pattern?: RegExp;
  prefix?: string;
  alphabet?: "base62";
}

export const fitsWord = (word: string, { max, pattern }: WordLimit): boolean =>
  word.length <= max && (pattern === undefined || pattern.test(word));

/** 128 bits: two ids of one conversation do not meet. */
const hashLength = 32;

/** A hash of the whole word: a beginning that stays would be shared by many. */
export function shortenWord(word: string, limit: WordLimit): string {
  if (fitsWord(word, limit)) return word;
  const hex = hashText(word);
  if (limit.alphabet === "base62") return base62(hex, limit.max);
  return limit.prefix === undefined
    ? hex.slice(0, limit.max)
    : `${limit.prefix}${hex.slice(0, hashLength)}`;
}

const nameHashLength = 8;

/** A name that models can still read; `isTaken` where another tool has it already. */
export function shortenName(
  name: string,
  limit: WordLimit,
  isTaken: (name: string) => boolean,
): string {
  if (fitsWord(name, limit)) return name;
  const hex = hashText(name);
  for (let length = nameHashLength; ; length += nameHashLength) {
    const clean = name.replaceAll(/[^\w-]/g, "_").slice(0, limit.max - length - 2);
    const begun = /^[a-zA-Z]/.test(clean) ? clean : `t${clean}`;
    const short = `${begun}_${hex.slice(0, length)}`;
    if (!isTaken(short) || length >= hashLength) return short;
  }
}
