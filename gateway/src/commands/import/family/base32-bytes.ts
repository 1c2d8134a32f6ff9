const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * The bytes of a text in base 32 (RFC 4648), in either case, with or without padding; undefined for
 * another text.
 */
export function findBase32Bytes(text: string): Uint8Array | undefined {
  const letters = text.replace(/[\s=]/g, "").toUpperCase();
  if (letters === "" || !/^[A-Z2-7]+$/.test(letters)) return undefined;
  const bits = [...letters]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => Number.parseInt(byte, 2));
}
