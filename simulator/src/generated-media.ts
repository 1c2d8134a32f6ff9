// Generated images and audio: minimal valid files, identical for identical text.
import { crc32, deflateSync } from "node:zlib";
import { fnv1a, scramble } from "./simulated-answer.ts";

const pngSignature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const side = 4;

/** A square whose colour is derived from `words`. */
export function generatePng(words: string): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Eight bits per channel, RGB.
  header.writeUInt8(8, 8);
  header.writeUInt8(2, 9);
  const colour = fnv1a(words);
  const row = [
    0,
    ...Array.from({ length: side }, () => [
      colour & 0xff,
      (colour >> 8) & 0xff,
      (colour >> 16) & 0xff,
    ]),
  ];
  const rows = Buffer.from(Array.from({ length: side }, () => row.flat()).flat());
  const chunks = [
    pngChunk("IHDR", header),
    pngChunk("IDAT", deflateSync(rows)),
    pngChunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([pngSignature, ...chunks]);
}

function pngChunk(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}

const samplesPerSecond = 24_000;
const bytesPerSample = 2;
const headerBytes = 44;
/** 50 ms of audio. */
export const bytesPerWord = 2_400;

/** A WAV file: its header, then a chunk of noise per word. */
export function* generateWav(words: string, count: number): Generator<Buffer> {
  yield wavHeader(count * bytesPerWord);
  const seed = fnv1a(words);
  for (let word = 0; word < count; word += 1) {
    const chunk = Buffer.alloc(bytesPerWord);
    for (let at = 0; at < bytesPerWord; at += 4)
      chunk.writeUInt32LE(scramble(seed + word * bytesPerWord + at), at);
    yield chunk;
  }
}

function wavHeader(bytes: number): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.write("RIFF", 0);
  header.writeUInt32LE(headerBytes - 8 + bytes, 4);
  header.write("WAVEfmt ", 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(samplesPerSecond, 24);
  header.writeUInt32LE(samplesPerSecond * bytesPerSample, 28);
  header.writeUInt16LE(bytesPerSample, 32);
  header.writeUInt16LE(8 * bytesPerSample, 34);
  header.write("data", 36);
  header.writeUInt32LE(bytes, 40);
  return header;
}

/** `audioSeconds` is for anything but a plain WAV file, a second counts as 8,000 bytes. */
export function audioSeconds(file: Buffer): number {
  const isWav = file.length >= headerBytes && file.toString("latin1", 0, 4) === "RIFF";
  const bytesPerSecond = isWav ? file.readUInt32LE(28) : 8_000;
  return Math.ceil((isWav ? file.length - headerBytes : file.length) / bytesPerSecond);
}
