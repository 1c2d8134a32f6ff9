/**
 * Whole keys and codes that a user pastes into a search box: they are in no address, and are found
 * by their hash.
 */

/** A search that recognizes whole secrets of one kind. */
export type WholeSecret = {
  /** The part that is hashed, or undefined where the text is no whole secret of this kind. */
  secretIn: (text: string) => string | undefined;
};

/** A pasted key may be cut off at its end; with this prefix it is never a name. */
export const wholeKey: WholeSecret = {
  secretIn: (text) =>
    /^(?:sk-)?([A-Za-z0-9]{48})$/.exec(text)?.[1] ?? /^sk-([A-Za-z0-9-]{16,})$/.exec(text)?.[1],
};

export const isWholeKey = (text: string): boolean => wholeKey.secretIn(text.trim()) !== undefined;

export const wholeCode: WholeSecret = { secretIn: (text) => /^[0-9a-f]{32}$/.exec(text)?.[0] };

/**
 * SHA-256 in hex. Undefined where the browser has no cryptography: on plain http, except on this
 * machine.
 */
export async function hashSecret(secret: string): Promise<string | undefined> {
  // Absent on insecure origins, whatever its type says.
  const subtle: SubtleCrypto | undefined = crypto.subtle;
  if (subtle === undefined) return undefined;
  const digest = new Uint8Array(await subtle.digest("SHA-256", new TextEncoder().encode(secret)));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
