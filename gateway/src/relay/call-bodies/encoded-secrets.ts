/**
 * Finds credentials in what a text holds in base64 or with percent signs, such as addresses and
 * secrets of Kubernetes. Pure.
 */
import type { SecretPlace } from "../guards/secret-shapes.ts";

export type FindSecrets = (text: string) => SecretPlace[];

/** Longer runs are attachments, which are left out as a whole. */
const base64Run = /[A-Za-z0-9+/_-]{16,4000}={0,2}/g;
/**
 * A run may begin with letters that are no part of the base64: each place within its groups of four
 * is tried.
 */
const groupLength = 4;

/**
 * The whole run is the place: what is encoded beside the secret is mostly a part of it, such as a
 * user's name.
 */
export function listSecretsInBase64(text: string, find: FindSecrets): SecretPlace[] {
  const found: SecretPlace[] = [];
  for (const { 0: run, index } of text.matchAll(base64Run)) {
    const [secret] = Array.from({ length: groupLength }, (_, skipped) =>
      find(decoded(run.slice(skipped))),
    ).flat();
    if (secret)
      found.push({ name: `${secret.name} in base64`, start: index, end: index + run.length });
  }
  return found;
}

/** Both alphabets. What is no text has letters between its bytes that no credential has. */
const decoded = (run: string): string => Buffer.from(run, "base64").toString("latin1");

const percentCode = /%[0-9A-Fa-f]{2}/g;
const codeLength = 3;

/** Places in the text itself; its other letters stand for themselves. */
export function listSecretsInPercentCodes(text: string, find: FindSecrets): SecretPlace[] {
  if (!text.includes("%")) return [];
  const codes = [...text.matchAll(percentCode)].map(({ index }) => index);
  if (codes.length === 0) return [];
  const plain = text.replace(percentCode, (code) =>
    String.fromCharCode(Number.parseInt(code.slice(1), 16)),
  );
  // A place in the plain text lies two letters further for each code before it.
  const plainCodes = codes.map((at, before) => at - before * (codeLength - 1));
  const written = (at: number): number => at + countBelow(plainCodes, at) * (codeLength - 1);
  return find(plain).map(({ name, start, end }) => ({
    name,
    start: written(start),
    end: written(end),
  }));
}

/** `countBelow` says how many of the sorted numbers are less. */
function countBelow(sorted: readonly number[], limit: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] ?? 0) < limit) from = middle + 1;
    else to = middle;
  }
  return from;
}
