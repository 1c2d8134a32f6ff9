/**
 * The duration of a recording: exact for plain WAV files, estimated from the size for all others.
 */

/** Speech is mostly encoded at 64 kbit/s. A duration that the provider reports replaces this. */
const defaultBytesPerSecond = 8_000;
/** No speech codec needs less: 4 kbit/s. */
const bytesPerSecondMin = 500;
const slackSeconds = 60;

const chunkHeadBytes = 8;
const formatBytes = 16;
/** Chunks before the samples; real files have two or three. */
const chunksMax = 64;
/** PCM, floating point, and the extensible form of both. Others state no reliable rate. */
const plainFormats = new Set([1, 3, 0xfffe]);

/** Whole seconds, rounded up. */
export const computeAudioSeconds = (file: Buffer): number =>
  Math.ceil(findWavSeconds(file) ?? file.length / defaultBytesPerSecond);

/** `isPlausibleDuration` says whether a file of this size can have this duration. */
export const isPlausibleDuration = (seconds: number, bytes: number): boolean =>
  seconds <= bytes / bytesPerSecondMin + slackSeconds;

/** Undefined unless the file is a consistent WAV file of plain samples. */
function findWavSeconds(file: Buffer): number | undefined {
  if (file.toString("latin1", 0, 4) !== "RIFF" || file.toString("latin1", 8, 12) !== "WAVE")
    return undefined;
  let bytesPerSecond: number | undefined;
  let at = 12;
  for (let count = 0; count < chunksMax && at + chunkHeadBytes <= file.length; count += 1) {
    const name = file.toString("latin1", at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const start = at + chunkHeadBytes;
    if (name === "fmt ") bytesPerSecond = findByteRate(file.subarray(start, start + formatBytes));
    if (name === "data") {
      // A recording from a pipe has no size in its header, or 0: it extends to the end of the file.
      const rest = file.length - start;
      const bytes = size === 0 ? rest : Math.min(size, rest);
      return bytesPerSecond === undefined ? undefined : bytes / bytesPerSecond;
    }
    // Chunks are aligned to even offsets.
    at = start + size + (size % 2);
  }
  return undefined;
}

function findByteRate(format: Buffer): number | undefined {
  if (format.length < formatBytes || !plainFormats.has(format.readUInt16LE(0))) return undefined;
  const channels = format.readUInt16LE(2);
  const samplesPerSecond = format.readUInt32LE(4);
  const bytesPerSecond = format.readUInt32LE(8);
  const bits = format.readUInt16LE(14);
  // The price depends on this rate, so it must agree with the fields that players use.
  const isSound =
    bytesPerSecond > 0 && bytesPerSecond === samplesPerSecond * channels * Math.ceil(bits / 8);
  return isSound ? bytesPerSecond : undefined;
}
