/** Providers quote the key that they refuse; what they say goes to callers, log rows and traces. */
import type { Trouble } from "./trouble.ts";

const shown = "[key]";
/** Shorter ones would be cut out of innocent words; parts of joined keys are also regions, versions and names. */
const wholeMin = 8;
const partMin = 15;

/** The trouble with every part of the secrets taken out of its words: a key may be joined of several, or a JSON object. */
export function withoutSecrets(trouble: Trouble, ...secrets: readonly string[]): Trouble {
  const cleaned = (text: string): string => wordsWithout(text, ...secrets);
  const { said, refusal } = trouble;
  return {
    ...trouble,
    reason: cleaned(trouble.reason),
    ...(said && { said: { type: cleaned(said.type), code: cleanedName(said.code, cleaned) } }),
    refusal: {
      ...refusal,
      message: cleaned(refusal.message),
      type: cleaned(refusal.type),
      ...(refusal.code !== undefined && { code: cleanedName(refusal.code, cleaned) }),
      ...(refusal.param !== undefined && { param: cleaned(refusal.param) }),
    },
  };
}

export function wordsWithout(text: string, ...secrets: readonly string[]): string {
  const parts = secrets.flatMap(partsOf).sort((a, b) => b.length - a.length);
  return parts.reduce((rest, part) => rest.replaceAll(part, shown), text);
}

const cleanedName = <Name>(name: Name, cleaned: (text: string) => string): Name | string =>
  typeof name === "string" ? cleaned(name) : name;

function partsOf(secret: string): string[] {
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
