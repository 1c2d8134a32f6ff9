/**
 * Takes credentials and attachments out of what is kept of a call. Credentials are those that
 * guards know, and what stands where passwords usually stand. A stream is read as a whole: a
 * credential may come in several events. Pure.
 */
import { listSecretPlaces, type SecretPlace } from "../guards/secret-shapes.ts";
import { isRecord } from "../wire/json-parts.ts";
import {
  type FindSecrets,
  listSecretsInBase64,
  listSecretsInPercentCodes,
} from "./encoded-secrets.ts";

/** Shorter base64 is more likely a word, or an id. */
const attachmentMin = 512;
const base64Text = /^[A-Za-z0-9+/_-]*={0,2}$/;
const dataUrl = /^data:[^,]{0,200};base64,/;
/** Deeper JSON is left out as a whole: no client and no provider writes it. */
const depthMax = 100;

const privateKeyBlock =
  /-----BEGIN (?:[A-Z]{2,9} ){0,3}PRIVATE KEY-----(?:(?!-----END)[\s\S]){0,20000}(?:-----END [A-Z ]{0,40}-----)?/g;
/**
 * Each has the part that is secret as its first group. Every expression is linear: no repetition
 * stands in another.
 */
const usualPlaces: readonly (readonly [name: string, expression: RegExp])[] = [
  ["a signed token", /(?<![\w-])(eyJ[\w-]{8,4000}\.eyJ[\w-]{2,8000}\.[\w-]{10,2000})(?![\w-])/g],
  ["a password", /\b[Bb]asic\s{1,4}([A-Za-z0-9+/]{8,4000}={0,2})/g],
  ["a bearer token", /\b[Bb]earer\s{1,4}([\w.~+/=-]{16,4000})/g],
  [
    "a password in an address",
    /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@"']{0,200}:([^\s/@"']{1,200})@/g,
  ],
  [
    "a password",
    /(?:api[_-]?key|secret(?:[_-]?access)?[_-]?key|client[_-]?secret|access[_-]?token|auth[_-]?token|passw(?:or)?d|passphrase|secret)["']{0,2}\s{0,4}[:=]\s{0,4}["']{0,2}([^\s"',;&<>]{8,400})/gi,
  ],
];
/**
 * Escapes of JSON within a string: blanks of the same length, so that a word does not begin with
 * the letter of `\n`.
 */
const escapes = /\\(?:[nrtbf"\\/]|u[0-9a-fA-F]{4})/g;

/** `buildBodySecrets` finds the places of anything secret in a text, in order, without overlaps. */
export function buildBodySecrets(keyPrefix: string): FindSecrets {
  const findShapes = listSecretPlaces(keyPrefix);
  const findPlain = (plain: string): SecretPlace[] => {
    const found = findShapes(plain);
    for (const match of plain.matchAll(privateKeyBlock))
      found.push({ name: "a private key", start: match.index, end: match.index + match[0].length });
    for (const [name, expression] of usualPlaces) {
      for (const match of plain.matchAll(expression)) {
        const [whole, secret = ""] = match;
        const start = match.index + whole.lastIndexOf(secret);
        found.push({ name, start, end: start + secret.length });
      }
    }
    return found;
  };
  return (text) => {
    const plain = text.includes("\\")
      ? text.replace(escapes, (sequence) => " ".repeat(sequence.length))
      : text;
    return stripOverlaps([
      ...findPlain(plain),
      ...listSecretsInPercentCodes(plain, findPlain),
      ...listSecretsInBase64(plain, findPlain),
    ]);
  };
}

function stripOverlaps(places: SecretPlace[]): SecretPlace[] {
  const kept: SecretPlace[] = [];
  for (const place of places.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last && place.start < last.end) last.end = Math.max(last.end, place.end);
    else kept.push({ ...place });
  }
  return kept;
}

const mark = (name: string): string => `[removed: ${name}]`;

/** The text as it may be kept. `type`: its media type. */
export function redactText(text: string, type: string, find: FindSecrets): string {
  if (type.includes("event-stream")) return redactEvents(text, find);
  const json = parseReply(text);
  return json === undefined ? maskText(text, find) : JSON.stringify(redactValues([json], find)[0]);
}

/** `maskText` is for a body that is no JSON, or was cut. */
const maskText = (text: string, find: FindSecrets): string =>
  maskParts([stripLongRuns(text)], find)[0] ?? "";

const longRun = new RegExp(`[A-Za-z0-9+/_-]{${attachmentMin},}={0,2}`, "g");
const stripLongRuns = (text: string): string => text.replace(longRun, (run) => leftOut(run.length));
const leftOut = (length: number): string => `[removed: an attachment of ${length} characters]`;

/** The data of all events is one document: strings at the same place follow each other. */
function redactEvents(text: string, find: FindSecrets): string {
  const lines = text.split("\n");
  const data = lines.map((line) =>
    line.startsWith("data:") ? parseReply(line.slice("data:".length)) : undefined,
  );
  const places = data.flatMap((value, index) => (value === undefined ? [] : [index]));
  const redacted = redactValues(
    places.map((index) => data[index]),
    find,
  );
  const written = new Map(places.map((index, at) => [index, JSON.stringify(redacted[at])]));
  return lines
    .map((line, index) => {
      const json = written.get(index);
      return json === undefined ? maskText(line, find) : `data: ${json}`;
    })
    .join("\n");
}

function parseReply(text: string): unknown {
  try {
    const json: unknown = JSON.parse(text);
    return typeof json === "object" && json !== null ? json : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the strings of several values: those at the same path are searched as one text. */
function redactValues(values: readonly unknown[], find: FindSecrets): unknown[] {
  const byPath = new Map<string, string[]>();
  for (const value of values) {
    visit(value, "", 0, (text, path) => {
      const known = byPath.get(path);
      if (known) known.push(text);
      else byPath.set(path, [text]);
      return text;
    });
  }
  const clean = new Map([...byPath].map(([path, parts]) => [path, maskParts(parts, find)]));
  const next = new Map<string, number>();
  return values.map((value) =>
    visit(value, "", 0, (_, path) => {
      const at = next.get(path) ?? 0;
      next.set(path, at + 1);
      return clean.get(path)?.[at] ?? "";
    }),
  );
}

type ReplaceText = (text: string, path: string) => string;

function visit(value: unknown, path: string, depth: number, replace: ReplaceText): unknown {
  if (depth > depthMax) return mark("deeply nested data");
  if (typeof value === "string") {
    const isAttachment =
      dataUrl.test(value) || (value.length >= attachmentMin && base64Text.test(value));
    return isAttachment ? leftOut(value.length) : replace(value, path);
  }
  if (Array.isArray(value))
    return value.map((one, index) => visit(one, `${path}/${index}`, depth + 1, replace));
  if (!isRecord(value)) return value;
  const members = Object.entries(value).map(([name, one]): [string, unknown] => [
    replace(name, `${path}/${name}#`),
    visit(buildMemberWithName(name, one), `${path}/${name}`, depth + 1, replace),
  ]);
  return Object.fromEntries(members);
}

/** A member that is named as a secret: its value says nothing of itself. */
const secretMember =
  /^(?:api[_-]?key|secret|client[_-]?secret|secret[_-]?access[_-]?key|access[_-]?token|auth[_-]?token|authorization|passw(?:or)?d|passphrase)$/i;
const buildMemberWithName = (name: string, value: unknown): unknown =>
  typeof value === "string" && value !== "" && secretMember.test(name) ? mark("a password") : value;

/**
 * The parts of one text without what is secret in it; the mark stands in the part where the secret
 * begins.
 */
function maskParts(parts: readonly string[], find: FindSecrets): string[] {
  const places = find(parts.join(""));
  if (places.length === 0) return [...parts];
  let offset = 0;
  return parts.map((part) => {
    const [from, to] = [offset, offset + part.length];
    offset = to;
    let clean = "";
    let at = from;
    for (const { name, start, end } of places) {
      if (end <= from || start >= to) continue;
      clean += part.slice(at - from, Math.max(start, from) - from);
      if (start >= from) clean += mark(name);
      at = Math.min(end, to);
    }
    return clean + part.slice(at - from);
  });
}
