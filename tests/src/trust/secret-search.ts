// Planted secrets, and the search for them in whatever form they may have got out.

export interface PlantedSecret {
  name: string;
  text: string;
}

/**
 * A part of a secret as long as this is as good as all of it: the rest can be guessed or asked for.
 */
const partLength = 9;

/** Every part of a secret as plain text, as hexadecimal digits and as base64. */
function searchPatterns({ text }: PlantedSecret): Buffer[] {
  const parts = Array.from({ length: Math.max(1, text.length - partLength + 1) }, (_, at) =>
    text.slice(at, at + partLength),
  );
  const bytes = Buffer.from(text);
  // The offset modulo three bytes decides the base64 text; characters that depend on the neighbours
  // are cut off.
  const encoded = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .slice(4)
      .replace(/=+$/, "")
      .slice(0, -4),
  );
  const hex = bytes.toString("hex");
  const urlSafe = encoded.map((one) => one.replaceAll("+", "-").replaceAll("/", "_"));
  return [...parts, ...encoded, ...urlSafe, hex, hex.toUpperCase(), encodeURIComponent(text)].map(
    (one) => Buffer.from(one),
  );
}

/** The names of the secrets that are in there, whole or in part. */
export function findSecrets(
  canaries: readonly PlantedSecret[],
  haystack: Buffer | string,
): string[] {
  const bytes = Buffer.from(haystack);
  return canaries
    .filter((canary) => searchPatterns(canary).some((needle) => bytes.includes(needle)))
    .map(({ name }) => name);
}
