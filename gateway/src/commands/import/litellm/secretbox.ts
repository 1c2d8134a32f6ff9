/** Opens NaCl's secretbox, XSalsa20 and Poly1305, which Node's cryptography lacks. */
import { xsalsa20poly1305 } from "@noble/ciphers/salsa.js";

const keyBytes = 32;
const nonceBytes = 24;
const tagBytes = 16;

/** `sealed` is the nonce, the tag and the text; undefined where it was not sealed with this key. */
export function openSecretbox(sealed: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (key.length !== keyBytes || sealed.length < nonceBytes + tagBytes) return undefined;
  const box = xsalsa20poly1305(key, sealed.subarray(0, nonceBytes));
  try {
    return Buffer.from(box.decrypt(sealed.subarray(nonceBytes)));
  } catch {
    return undefined;
  }
}
