/** Providers quote the key that they reject, in text that reaches clients, log rows and traces. */
import type { UpstreamError } from "./upstream-error.ts";

const placeholder = "[key]";
/** Shorter secrets would match ordinary words; parts of joined keys are also regions, versions and names. */
const wholeMin = 8;
const partMin = 15;

/** The error with every part of the secrets redacted. A key may be joined of several parts or be a JSON object. */
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
  // A service account follows region and project.
  const [, joined = "", json = ""] = /^([^{]*)(\{.*)?$/s.exec(secret) ?? [];
  const members = stringsIn(json);
  const pieces = [...(members.length > 0 ? joined : secret).split("|"), ...members];
  // A multi-line key may be quoted line by line.
  const parts = [...pieces, ...pieces.flatMap((piece) => piece.split(/[\n\r]+/))]
    .map((part) => part.trim())
    .filter((part) => part.length >= partMin);
  const whole = [...(secret.length >= wholeMin ? [secret] : []), ...parts];
  // A key may be quoted with the escapes of JSON or of a URL.
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

/** A service account also holds addresses and a project name, which help to understand an error. */
const isSecret = (name: string): boolean => /key|secret|token|password/i.test(name);
