/** Providers quote the key that they reject, in text that reaches clients, log rows and traces. */
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type { UpstreamError } from "./upstream-error.ts";

const placeholder = "[key]";
/** Shorter secrets would match ordinary words; parts of joined keys are also regions, versions and names. */
const wholeMin = 8;
const partMin = 15;
/**
 * Letters and digits of a secret that are redacted wherever they stand in a row. Fewer would match words: keys begin with names,
 * and operators put words into keys of their own servers.
 */
const runLength = 12;
/** Texts in quotation are short; a longer one is a document, of which no client or operator reads the rest. */
const textMax = 64 * 1024;

/** The error with every part of the secrets redacted. A key may be joined of several parts or be a JSON object. */
export function redactSecrets(error: UpstreamError, ...secrets: readonly string[]): UpstreamError {
  const redacted = (text: string): string => redact(text, ...secrets);
  const { reported, reason, publicReason, refusal, missingStateRefusal } = error;
  return {
    ...error,
    reason: redacted(reason),
    // The gateway's own words hold no secret, but a secret may hold one of them.
    publicReason: publicReason === reason ? redacted(reason) : publicReason,
    ...(reported && { reported: { type: redacted(reported.type), code: redactedCode(reported.code, redacted) } }),
    ...(missingStateRefusal && { missingStateRefusal: redactedRefusal(missingStateRefusal, redacted) }),
    refusal: error.isVerbatim ? redactedRefusal(refusal, redacted) : refusal,
  };
}

const redactedRefusal = (refusal: RelayRefusal, redacted: (text: string) => string): RelayRefusal => ({
  ...refusal,
  message: redacted(refusal.message),
  type: redacted(refusal.type),
  ...(refusal.code !== undefined && { code: redactedCode(refusal.code, redacted) }),
  ...(refusal.param !== undefined && { param: redacted(refusal.param) }),
});

/**
 * The text without any run of the secrets, whole or in part: as they are, in upper or lower case, with characters between their
 * letters, reversed, escaped, in hexadecimal or in base64.
 */
export function redact(text: string, ...secrets: readonly string[]): string {
  if (text === "") return text;
  const quoted = secrets.flatMap(quotations).sort((a, b) => b.length - a.length);
  const shown = quoted.reduce((rest, part) => rest.replaceAll(part, placeholder), text.slice(0, textMax));
  const runs = secrets.map(runsOf).filter(({ size }) => size > 0);
  return runs.length === 0 ? shown : withoutRuns(shown, runs);
}

function withoutRuns(shown: string, runs: readonly ReadonlySet<string>[]): string {
  const { letters, places } = lettersOf(shown);
  const ranges: Range[] = [];
  for (let start = 0; start + runLength <= letters.length; start += 1) {
    const run = letters.slice(start, start + runLength);
    if (!runs.some((known) => known.has(run))) continue;
    const [from, to] = [places[start] ?? 0, (places[start + runLength - 1] ?? 0) + 1];
    const last = ranges.at(-1);
    if (last && from <= last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return withoutRanges(shown, ranges);
}

interface Range {
  from: number;
  to: number;
}

function withoutRanges(text: string, ranges: readonly Range[]): string {
  let result = "";
  let from = 0;
  for (const range of ranges) {
    result += text.slice(from, range.from) + placeholder;
    from = range.to;
  }
  return result + text.slice(from);
}

const redactedCode = <Name>(name: Name, redacted: (text: string) => string): Name | string =>
  typeof name === "string" ? redacted(name) : name;

/** Letters and digits in lower case, with the place of each in the text. */
function lettersOf(text: string): { letters: string; places: number[] } {
  const places: number[] = [];
  let letters = "";
  for (const { 0: letter, index } of text.matchAll(/[a-z0-9]/gi)) {
    letters += letter;
    places.push(index);
  }
  return { letters: letters.toLowerCase(), places };
}

/** Secrets whose runs are known: as many as fail within a few seconds on a busy gateway. */
const rememberedMax = 200;
const remembered = new Map<string, ReadonlySet<string>>();

/** The secret and its parts as providers quote them: plain, or with the escapes of JSON or of a URL. */
function quotations(secret: string): string[] {
  const parts = secretParts(secret);
  // A multi-line key may be quoted line by line.
  const lines = parts.flatMap((part) => part.split(/[\n\r]+/)).map((line) => line.trim());
  const whole = [...(secret.length >= wholeMin ? [secret] : []), ...parts, ...lines.filter(isLong)];
  return whole.flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)]);
}

/** The frame of a PEM document is no secret, and its words stand in many errors. */
const withoutFrame = (part: string): string => part.replaceAll(/-----[A-Z ]+-----/g, "");

const isLong = (part: string): boolean => part.length >= partMin;

/** Every run of `runLength` letters in any spelling of a secret. */
function runsOf(secret: string): ReadonlySet<string> {
  const known = remembered.get(secret);
  if (known) return known;
  const spellings = secretParts(secret).map(withoutFrame).flatMap(spellingsOf);
  const runs = new Set(spellings.flatMap((spelling) => runsIn(lettersOf(spelling).letters)));
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(secret, runs);
  return runs;
}

const runsIn = (letters: string): string[] =>
  Array.from({ length: Math.max(0, letters.length - runLength + 1) }, (_, at) => letters.slice(at, at + runLength));

function spellingsOf(part: string): string[] {
  const bytes = Buffer.from(part);
  const reversed = [...part].reverse().join("");
  return [
    part,
    reversed,
    JSON.stringify(part),
    encodeURIComponent(part),
    bytes.toString("hex"),
    Buffer.from(reversed).toString("base64"),
    ...base64Spellings(bytes),
  ];
}

/** Base64 of a part depends on how many bytes precede it, modulo three. Its first and last digits mix with the neighbours. */
function base64Spellings(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const isLastMixed = (before + bytes.length) % 3 !== 0;
    return digits.slice(Math.ceil((before * 8) / 6), isLastMixed ? -1 : undefined);
  });
}

function secretParts(secret: string): string[] {
  // A service account follows region and project.
  const [, joined = "", json = ""] = /^([^{]*)(\{.*)?$/s.exec(secret) ?? [];
  const members = stringsIn(json);
  const pieces = [...(members.length > 0 ? joined : secret).split("|"), ...members];
  const parts = pieces.map((part) => part.trim()).filter(isLong);
  const isJoined = pieces.length > 1;
  return isJoined || secret.length < wholeMin ? parts : [secret];
}

function stringsIn(json: string): string[] {
  try {
    const found = Object.entries(JSON.parse(json) as Record<string, unknown>);
    return found.flatMap(([name, value]) => (typeof value === "string" && isSecret(name) ? [value] : []));
  } catch {
    return [];
  }
}

/** A service account also holds addresses and a project name, which help to understand an error. */
const isSecret = (name: string): boolean => /key|secret|token|password/i.test(name);
