/** Passwords that an administrator hands out. */

/** Shorter than 8 characters, which makes it temporary: the first sign-in asks for another. */
const length = 7;
/**
 * 32 letters and digits that are told apart on paper, so that each is five bits of a byte: 35 bits
 * in all.
 */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";

export const readTemporaryPassword = (
  random: Uint8Array = crypto.getRandomValues(new Uint8Array(length)),
): string => Array.from(random, (byte) => alphabet[byte % alphabet.length]).join("");
