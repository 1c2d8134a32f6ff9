/**
 * Opens NaCl's secretbox: XSalsa20 and Poly1305, which Node's cryptography lacks. Sources: D. J. Bernstein, "Extending the Salsa20
 * nonce" and "The Poly1305-AES message-authentication code"; the test vector is that of "Cryptography in NaCl". Pure.
 */
import { timingSafeEqual } from "node:crypto";

const sigma = [0x61707865, 0x3320646e, 0x79622d32, 0x6b206574] as const;
const keyBytes = 32;
const nonceBytes = 24;
const tagBytes = 16;
const blockBytes = 64;
/** Of the stream, the first bytes are the key of the tag. */
const tagKeyBytes = 32;

const rotated = (word: number, by: number): number => (word << by) | (word >>> (32 - by));

/** The indices of a quarter round: columns, then rows. */
const quarters = [
  [0, 4, 8, 12],
  [5, 9, 13, 1],
  [10, 14, 2, 6],
  [15, 3, 7, 11],
  [0, 1, 2, 3],
  [5, 6, 7, 4],
  [10, 11, 8, 9],
  [15, 12, 13, 14],
] as const;

/** Salsa20's twenty rounds on sixteen words. */
function rounds(input: readonly number[]): number[] {
  const x = [...input];
  const at = (index: number): number => x[index] ?? 0;
  for (let round = 0; round < 20; round += 2) {
    for (const [a, b, c, d] of quarters) {
      x[b] = at(b) ^ rotated(at(a) + at(d), 7);
      x[c] = at(c) ^ rotated(at(b) + at(a), 9);
      x[d] = at(d) ^ rotated(at(c) + at(b), 13);
      x[a] = at(a) ^ rotated(at(d) + at(c), 18);
    }
  }
  return x.map((word) => word | 0);
}

function wordsOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 4 }, (_, index) => view.getInt32(index * 4, true));
}

function bytesOf(words: readonly number[]): Buffer {
  const bytes = Buffer.alloc(words.length * 4);
  for (const [index, word] of words.entries()) bytes.writeInt32LE(word, index * 4);
  return bytes;
}

/** The state of Salsa20: constants on the diagonal, the key in two halves, and what varies between them. */
const stateOf = (key: readonly number[], middle: readonly number[]): number[] => [
  sigma[0],
  ...key.slice(0, 4),
  sigma[1],
  ...middle,
  sigma[2],
  ...key.slice(4),
  sigma[3],
];

function subKey(key: Uint8Array, nonce: Uint8Array): number[] {
  const x = rounds(stateOf(wordsOf(key), wordsOf(nonce)));
  return [0, 5, 10, 15, 6, 7, 8, 9].map((index) => x[index] ?? 0);
}

function keyStream(key: Uint8Array, nonce: Uint8Array, length: number): Buffer {
  const derived = subKey(key, nonce.subarray(0, 16));
  const rest = wordsOf(nonce.slice(16));
  const blocks: Buffer[] = [];
  for (let block = 0; block * blockBytes < length; block += 1) {
    const state = stateOf(derived, [...rest, block, 0]);
    blocks.push(bytesOf(rounds(state).map((word, index) => (word + (state[index] ?? 0)) | 0)));
  }
  return Buffer.concat(blocks).subarray(0, length);
}

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);

/** Not in constant time: it reads a database that its operator holds, on the operator's own machine. */
function poly1305(message: Uint8Array, key: Uint8Array): Buffer {
  const prime = (1n << 130n) - 5n;
  const r = littleEndian(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn;
  let sum = 0n;
  for (let start = 0; start < message.length; start += tagBytes) {
    const block = message.subarray(start, start + tagBytes);
    sum = ((sum + littleEndian(block) + (1n << BigInt(8 * block.length))) * r) % prime;
  }
  const tag = (sum + littleEndian(key.subarray(16, 32))) & ((1n << 128n) - 1n);
  return Buffer.from(Array.from({ length: tagBytes }, (_, index) => Number((tag >> BigInt(8 * index)) & 0xffn)));
}

/** `sealed` is the nonce, the tag and the text; undefined where it was not sealed with this key. */
export function openSecretbox(sealed: Uint8Array, key: Uint8Array): Buffer | undefined {
  if (key.length !== keyBytes || sealed.length < nonceBytes + tagBytes) return undefined;
  const nonce = sealed.subarray(0, nonceBytes);
  const tag = sealed.subarray(nonceBytes, nonceBytes + tagBytes);
  const box = sealed.subarray(nonceBytes + tagBytes);
  const stream = keyStream(key, nonce, tagKeyBytes + box.length);
  if (!timingSafeEqual(tag, poly1305(box, stream.subarray(0, tagKeyBytes)))) return undefined;
  return Buffer.from(box.map((byte, index) => byte ^ (stream[tagKeyBytes + index] ?? 0)));
}
