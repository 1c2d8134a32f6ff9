/** Providers quote the key that they reject, in text that reaches clients, log rows and traces. */
import type { RelayRefusal } from "../wire/relay-refusal.ts";
import type { UpstreamError } from "./upstream-error.ts";

const placeholder = "[key]";
/**
 * Shorter secrets would match ordinary words; parts of joined keys are also regions, versions and
 * names.
 */
const wholeMin = 8;
const partMin = 15;
/**
 * Letters and digits of a secret that are redacted wherever they stand in a row. Fewer would match
 * words: keys begin with names, and operators put words into keys of their own servers.
 */
const runLength = 12;
/**
 * Texts in quotation are short; a longer one is a document, of which no client or operator reads
 * the rest.
 */
const textMax = 64 * 1024;

/**
 * The error with every part of the secrets redacted. A key may be joined of several parts or be a
 * JSON object.
 */
export function redactSecrets(error: UpstreamError, ...secrets: readonly string[]): UpstreamError {
  const redacted = (text: string): string => redact(text, ...secrets);
  const { reported, reason, publicReason, refusal, missingStateRefusal } = error;
  return {
    ...error,
    reason: redacted(reason),
    // The gateway's own words hold no secret, but a secret may hold one of them.
    publicReason: publicReason === reason ? redacted(reason) : publicReason,
    ...(reported && {
      reported: { type: redacted(reported.type), code: redactCode(reported.code, redacted) },
    }),
    ...(missingStateRefusal && {
      missingStateRefusal: redactRefusal(missingStateRefusal, redacted),
    }),
    refusal: error.isVerbatim ? redactRefusal(refusal, redacted) : refusal,
  };
}

const redactRefusal = (
  refusal: RelayRefusal,
  redacted: (text: string) => string,
): RelayRefusal => ({
  ...refusal,
  message: redacted(refusal.message),
  type: redacted(refusal.type),
  ...(refusal.code !== undefined && { code: redactCode(refusal.code, redacted) }),
  ...(refusal.param !== undefined && { param: redacted(refusal.param) }),
});

/** The text, if need be cut, without any run of the secrets. */
export const redact = (text: string, ...secrets: readonly string[]): string =>
  text === "" ? text : makeSecretCleaner(secrets)(text.slice(0, textMax));

/**
 * Takes every run of the secrets out of texts, whole or in part: as they are, in upper or lower
 * case, with characters between their letters, reversed, escaped, in hexadecimal or in base64.
 */
export function makeSecretCleaner(secrets: readonly string[]): (text: string) => string {
  const quoted = [...new Set(secrets.flatMap(listQuotations))].sort((a, b) => b.length - a.length);
  const runs = secrets.map(buildRuns).filter(({ whole }) => whole.size > 0);
  return (text) => {
    const shown = quoted.reduce((rest, part) => rest.replaceAll(part, placeholder), text);
    return runs.length === 0 ? shown : stripRuns(shown, runs);
  };
}

/** Runs of one secret, and the pieces at which a text is looked at first. */
interface SecretRuns {
  whole: ReadonlySet<string>;
  pieces: ReadonlySet<string>;
}

/**
 * Long texts are looked at in steps: whatever run stands there, one piece of it begins at a step.
 */
const pieceLength = 4;
const stepLength = runLength - pieceLength + 1;

function stripRuns(shown: string, runs: readonly SecretRuns[]): string {
  const letters = readLetters(shown);
  const starts: number[] = [];
  for (let step = 0; step + pieceLength <= letters.length; step += stepLength) {
    const piece = letters.slice(step, step + pieceLength);
    const possible = runs.filter(({ pieces }) => pieces.has(piece));
    if (possible.length === 0) continue;
    for (let start = Math.max(0, step - stepLength + 1); start <= step; start += 1) {
      const run = letters.slice(start, start + runLength);
      if (possible.some(({ whole }) => whole.has(run))) starts.push(start);
    }
  }
  return starts.length === 0 ? shown : stripRanges(shown, listRanges(starts, parsePlaces(shown)));
}

function listRanges(starts: readonly number[], places: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const start of starts) {
    const [from, to] = [places[start] ?? 0, (places[start + runLength - 1] ?? 0) + 1];
    const last = ranges.at(-1);
    if (last && from <= last.to) last.to = to;
    else ranges.push({ from, to });
  }
  return ranges;
}

interface Range {
  from: number;
  to: number;
}

function stripRanges(text: string, ranges: readonly Range[]): string {
  let result = "";
  let from = 0;
  for (const range of ranges) {
    result += text.slice(from, range.from) + placeholder;
    from = range.to;
  }
  return result + text.slice(from);
}

const redactCode = <Name>(name: Name, redacted: (text: string) => string): Name | string =>
  typeof name === "string" ? redacted(name) : name;

/** `parsePlaces` says where each letter and digit stands in the text. */
const parsePlaces = (text: string): number[] =>
  Array.from(text.matchAll(/[a-z0-9]/gi), ({ index }) => index);

const readLetters = (text: string): string => text.replaceAll(/[^a-z0-9]+/gi, "").toLowerCase();

/** Secrets whose runs are known: as many as fail within a few seconds on a busy gateway. */
const rememberedMax = 200;
const remembered = new Map<string, SecretRuns>();

/**
 * The secret and its parts as providers quote them: plain, or with the escapes of JSON or of a URL.
 */
function listQuotations(secret: string): string[] {
  const parts = listSecretParts(secret);
  // A multi-line key may be quoted line by line.
  const lines = parts.flatMap((part) => part.split(/[\n\r]+/)).map((line) => line.trim());
  const whole = [...(secret.length >= wholeMin ? [secret] : []), ...parts, ...lines.filter(isLong)];
  return whole.flatMap((part) => [
    part,
    JSON.stringify(part).slice(1, -1),
    encodeURIComponent(part),
  ]);
}

/** The frame of a PEM document is no secret, and its words stand in many errors. */
const stripFrame = (part: string): string => part.replaceAll(/-----[A-Z ]+-----/g, "");

const isLong = (part: string): boolean => part.length >= partMin;

/** Every run of `runLength` letters in any spelling of a secret. */
function buildRuns(secret: string): SecretRuns {
  const known = remembered.get(secret);
  if (known) return known;
  const spellings = listSecretParts(secret).map(stripFrame).flatMap(listSpellings);
  const letters = spellings.map(readLetters);
  const partsOf = (length: number) => new Set(letters.flatMap((text) => listParts(text, length)));
  const runs = { whole: partsOf(runLength), pieces: partsOf(pieceLength) };
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(secret, runs);
  return runs;
}

const listParts = (letters: string, length: number): string[] =>
  Array.from({ length: Math.max(0, letters.length - length + 1) }, (_, at) =>
    letters.slice(at, at + length),
  );

function listSpellings(part: string): string[] {
  const bytes = Buffer.from(part);
  const reversed = [...part].reverse().join("");
  return [
    part,
    reversed,
    JSON.stringify(part),
    encodeURIComponent(part),
    bytes.toString("hex"),
    Buffer.from(reversed).toString("base64"),
    ...listBase64Spellings(bytes),
  ];
}

/**
 * Base64 of a part depends on how many bytes precede it, modulo three. Its first and last digits
 * mix with the neighbours.
 */
function listBase64Spellings(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const digits = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64url");
    const isLastMixed = (before + bytes.length) % 3 !== 0;
    return digits.slice(Math.ceil((before * 8) / 6), isLastMixed ? -1 : undefined);
  });
}

function listSecretParts(secret: string): string[] {
  // A service account follows region and project.
  const [, joined = "", json = ""] = /^([^{]*)(\{.*)?$/s.exec(secret) ?? [];
  const members = parseStrings(json);
  const pieces = [...(members.length > 0 ? joined : secret).split("|"), ...members];
  const parts = pieces.map((part) => part.trim()).filter(isLong);
  const isJoined = pieces.length > 1;
  return isJoined || secret.length < wholeMin ? parts : [secret];
}

function parseStrings(json: string): string[] {
  try {
    const found = Object.entries(JSON.parse(json) as Record<string, unknown>);
    return found.flatMap(([name, value]) =>
      typeof value === "string" && isSecret(name) ? [value] : [],
    );
  } catch {
    return [];
  }
}

/** A service account also holds addresses and a project name, which help to understand an error. */
const isSecret = (name: string): boolean => /key|secret|token|password/i.test(name);
