/** Providers quote the key that they refuse; what they say goes to callers, log rows and traces. */
import type { UpstreamError } from "./upstream-error.ts";

const placeholder = "[key]";
/** Shorter ones would be cut out of innocent words; parts of joined keys are also regions, versions and names. */
const wholeMin = 8;
const partMin = 15;

/** The trouble with every part of the secrets taken out of its words: a key may be joined of several, or a JSON object. */
export function redactSecrets(error: UpstreamError, ...secrets: readonly string[]): UpstreamError {
  const redacted = (text: string): string => redact(text, ...secrets);
  const { reported, refusal } = error;
  return {
    ...error,
    reason: redacted(error.reason),
    ...(reported && { reported: { type: redacted(reported.type), code: redactedCode(reported.code, redacted) } }),
    refusal: {
      ...refusal,
      message: redacted(refusal.message),
      type: redacted(refusal.type),
      ...(refusal.code !== undefined && { code: redactedCode(refusal.code, redacted) }),
      ...(refusal.param !== undefined && { param: redacted(refusal.param) }),
    },
  };
}

export function redact(text: string, ...secrets: readonly string[]): string {
  const parts = secrets.flatMap(secretParts).sort((a, b) => b.length - a.length);
  return parts.reduce((rest, part) => rest.replaceAll(part, placeholder), text);
}

const redactedCode = <Name>(name: Name, redacted: (text: string) => string): Name | string =>
  typeof name === "string" ? redacted(name) : name;

function secretParts(secret: string): string[] {
  // A service account stands behind region and project.
  const [, joined = "", json = ""] = /^([^{]*)(\{.*)?$/s.exec(secret) ?? [];
  const members = stringsIn(json);
  const pieces = [...(members.length > 0 ? joined : secret).split("|"), ...members];
  // A key of many lines may be quoted line by line.
  const parts = [...pieces, ...pieces.flatMap((piece) => piece.split(/[\n\r]+/))]
    .map((part) => part.trim())
    .filter((part) => part.length >= partMin);
  const whole = [...(secret.length >= wholeMin ? [secret] : []), ...parts];
  // A body that is no JSON of theirs is quoted as it came, with what JSON does to line ends and quotes.
  return whole.flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encodeURIComponent(part)]);
}

function stringsIn(json: string): string[] {
  try {
    const found = Object.entries(JSON.parse(json) as Record<string, unknown>);
    return found.flatMap(([name, value]) => (typeof value === "string" && isSecret(name) ? [value] : []));
  } catch {
    return [];
  }
}

/** A service account holds addresses and the name of a project besides: words that help to understand an error. */
const isSecret = (name: string): boolean => /key|secret|token|password/i.test(name);
