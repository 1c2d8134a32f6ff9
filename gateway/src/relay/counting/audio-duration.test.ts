import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeAudioSeconds, isPlausibleDuration } from "./audio-duration.ts";

interface WavSpec {
  format?: number;
  channels?: number;
  samplesPerSecond?: number;
  bits?: number;
  /** Sizes in the header that differ from the truth. */
  bytesPerSecond?: number;
  dataSize?: number;
  /** A chunk before the samples. */
  list?: Buffer;
}

/** The canonical header: RIFF, an optional chunk, `fmt `, `data`. */
function wav(
  samples: Buffer,
  { format = 1, channels = 1, samplesPerSecond = 8_000, bits = 16, list, ...claims }: WavSpec = {},
): Buffer {
  const chunk = (name: string, content: Buffer, size = content.length): Buffer => {
    const head = Buffer.alloc(8);
    head.write(name, 0);
    head.writeUInt32LE(size, 4);
    return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
  };
  const described = Buffer.alloc(16);
  described.writeUInt16LE(format, 0);
  described.writeUInt16LE(channels, 2);
  described.writeUInt32LE(samplesPerSecond, 4);
  described.writeUInt32LE(claims.bytesPerSecond ?? (samplesPerSecond * channels * bits) / 8, 8);
  described.writeUInt16LE((channels * bits) / 8, 12);
  described.writeUInt16LE(bits, 14);
  const chunks = [
    ...(list ? [chunk("LIST", list)] : []),
    chunk("fmt ", described),
    chunk("data", samples, claims.dataSize),
  ];
  return Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE"), ...chunks]);
}

const samples = Buffer.alloc(32_000);

describe("the length of a recording", () => {
  test.each<[string, WavSpec, number]>([
    ["two bytes, 8,000 times a second", {}, 2],
    ["in stereo", { channels: 2 }, 1],
    ["of floating point numbers", { format: 3, bits: 32 }, 1],
    ["in the extended form", { format: 0xfffe }, 2],
    ["behind a title of odd length", { list: Buffer.from("abc") }, 2],
    ["written into a pipe", { dataSize: 0xffffffff }, 2],
    ["whose header says that it holds nothing, which players read to its end", { dataSize: 0 }, 2],
    ["a little longer than a second", { samplesPerSecond: 15_999 }, 2],
  ])("is exact for a WAV file %s", (_, sound, seconds) => {
    expect(computeAudioSeconds(wav(samples, sound))).toBe(seconds);
  });

  test.each<[string, Buffer]>([
    ["that says it plays faster than it does", wav(samples, { bytesPerSecond: 4_000_000_000 })],
    ["that holds compressed sound", wav(samples, { format: 0x55 })],
    ["of no bits", wav(samples, { bits: 0 })],
    ["of another kind", Buffer.alloc(32_000, "ID3")],
  ])("is taken from the size of a file %s", (_, file) => {
    expect(computeAudioSeconds(file)).toBe(Math.ceil(file.length / 8_000));
  });

  test("is a number for any file", () => {
    const beginnings = fc.constantFrom(
      "",
      "RIFF",
      "RIFF____WAVE",
      "RIFF____WAVEfmt ",
      "RIFF____WAVEdata",
    );
    fc.assert(
      fc.property(beginnings, fc.uint8Array({ maxLength: 200 }), (beginning, rest) => {
        const seconds = computeAudioSeconds(Buffer.concat([Buffer.from(beginning), rest]));
        expect(Number.isSafeInteger(seconds) && seconds >= 0).toBe(true);
      }),
    );
  });

  test("that a provider reports is believed as far as any codec allows", () => {
    expect([isPlausibleDuration(3_600, 3_600 * 800), isPlausibleDuration(3_600, 100_000)]).toEqual([
      true,
      false,
    ]);
  });
});
