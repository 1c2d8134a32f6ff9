/**
 * Searches the number of a proof of work. SHA-256 is written out here: the browser's own answers
 * asynchronously, which costs a hundred times the hash itself, and only over https.
 */

import { proofOfWorkBitsMax } from "@tollgate/contract/accounts/proof-of-work.ts";
import { isJsonRecord } from "@tollgate/contract/api/json-record.ts";

/** `hashesAtOnce` holds some tens of milliseconds: the page stays responsive. */
const hashesAtOnce = 20_000;

/**
 * The answer to the task in a refusal; undefined for one that is no task, or would keep a phone
 * busy for minutes.
 */
export async function answerWork(task: unknown, signal?: AbortSignal): Promise<string | undefined> {
  if (!isJsonRecord(task)) return undefined;
  const { challenge, bits } = task;
  const isTask =
    typeof challenge === "string" && /^[\w.-]{1,200}$/.test(challenge) && typeof bits === "number";
  return isTask && bits <= proofOfWorkBitsMax
    ? await solveWork(challenge, bits, signal)
    : undefined;
}

async function solveWork(
  challenge: string,
  bits: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const prefix = `${challenge}.`;
  // The number changes the last block alone.
  const fixed = prefix.length - (prefix.length % blockBytes);
  const state = computeState(prefix.slice(0, fixed));
  const rest = prefix.slice(fixed);
  for (let number = 0; ; number += 1) {
    if (computeLeadingZeroBits(buildFinalHash(state, rest + number, fixed)) >= bits)
      return prefix + number;
    if (number % hashesAtOnce !== hashesAtOnce - 1) continue;
    await new Promise((resolve) => setTimeout(resolve));
    signal?.throwIfAborted();
  }
}

const computeLeadingZeroBits = (words: Uint32Array): number => {
  const first = words.findIndex((word) => word !== 0);
  return first < 0 ? 256 : first * 32 + Math.clz32(words[first] ?? 0);
};

const primes: number[] = [];
for (let candidate = 2; primes.length < 64; candidate += 1)
  if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);

/**
 * FIPS 180-4, sections 4.2.2 and 5.3.3: the first 32 bits of the fractional parts of roots of the
 * first primes.
 */
const computeFraction = (root: number): number => ((root - Math.floor(root)) * 2 ** 32) >>> 0;
const constants = Int32Array.from(primes, (prime) => computeFraction(Math.cbrt(prime)));
const start = Uint32Array.from(primes.slice(0, 8), (prime) => computeFraction(Math.sqrt(prime)));

const blockBytes = 64;
const schedule = new Int32Array(64);
const rotateBits = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

/** The hash of an ASCII text, as eight words. FIPS 180-4, section 6.2. */
export function hashSha256(text: string): Uint32Array {
  const fixed = text.length - (text.length % blockBytes);
  return buildFinalHash(computeState(text.slice(0, fixed)), text.slice(fixed), fixed);
}

/** The state after whole blocks. */
function computeState(text: string): Uint32Array {
  const state = Uint32Array.from(start);
  const message = buildWords(text, text.length / blockBytes);
  for (let at = 0; at < message.length; at += 16) addBlock(state, message.subarray(at, at + 16));
  return state;
}

/** The hash of a text of which `before` characters are in the state. */
function buildFinalHash(state: Uint32Array, rest: string, before: number): Uint32Array {
  const message = buildWords(rest, Math.ceil((rest.length + 9) / blockBytes));
  const end = rest.length >> 2;
  message[end] = (message[end] ?? 0) | (0x80 << (24 - (rest.length % 4) * 8));
  message[message.length - 1] = (before + rest.length) * 8;
  const hash = state.slice();
  for (let at = 0; at < message.length; at += 16) addBlock(hash, message.subarray(at, at + 16));
  return hash;
}

function buildWords(text: string, blocks: number): Int32Array {
  const words = new Int32Array(blocks * 16);
  for (let at = 0; at < text.length; at += 1)
    words[at >> 2] = (words[at >> 2] ?? 0) | (text.charCodeAt(at) << (24 - (at % 4) * 8));
  return words;
}

function addBlock(hash: Uint32Array, block: Int32Array): void {
  schedule.set(block);
  for (let at = 16; at < 64; at += 1) {
    const near = schedule[at - 2] ?? 0;
    const far = schedule[at - 15] ?? 0;
    const sigma0 = rotateBits(far, 7) ^ rotateBits(far, 18) ^ (far >>> 3);
    const sigma1 = rotateBits(near, 17) ^ rotateBits(near, 19) ^ (near >>> 10);
    schedule[at] =
      ((((schedule[at - 16] ?? 0) + sigma0) | 0) + (((schedule[at - 7] ?? 0) + sigma1) | 0)) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = hash;
  for (let at = 0; at < 64; at += 1) {
    const sum1 = rotateBits(e, 6) ^ rotateBits(e, 11) ^ rotateBits(e, 25);
    const chosen = (e & f) ^ (~e & g);
    const first =
      (((h + sum1) | 0) + ((chosen + (constants[at] ?? 0)) | 0) + (schedule[at] ?? 0)) | 0;
    const sum0 = rotateBits(a, 2) ^ rotateBits(a, 13) ^ rotateBits(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + ((sum0 + majority) | 0)) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    hash[index] = (hash[index] ?? 0) + word;
  });
}
