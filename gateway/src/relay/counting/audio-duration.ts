/** How long a recording is, as far as its bytes tell: exactly for plain WAV files, by their size for all others. */

/** Speech is mostly kept at 64 kbit/s; the provider's own word takes the place of this where it gives one. */
const defaultBytesPerSecond = 8_000;
/** No codec for speech gets along with less: 4 kbit/s. */
const bytesPerSecondMin = 500;
const slackSeconds = 60;

const chunkHeadBytes = 8;
const formatBytes = 16;
/** Chunks before the samples; real files have two or three. */
const chunksMax = 64;
/** PCM, floating point, and the extended form of both: others say nothing reliable about their rate. */
const plainFormats = new Set([1, 3, 0xfffe]);

/** Whole seconds, rounded up. */
export const audioSeconds = (file: Buffer): number =>
  Math.ceil(wavSeconds(file) ?? file.length / defaultBytesPerSecond);

/** Whether a file of this size can last this long. */
export const isPlausibleDuration = (seconds: number, bytes: number): boolean =>
  seconds <= bytes / bytesPerSecondMin + slackSeconds;

/** Undefined for what is no WAV file of plain samples, or contradicts itself. */
function wavSeconds(file: Buffer): number | undefined {
  if (file.toString("latin1", 0, 4) !== "RIFF" || file.toString("latin1", 8, 12) !== "WAVE") return undefined;
  let bytesPerSecond: number | undefined;
  let at = 12;
  for (let count = 0; count < chunksMax && at + chunkHeadBytes <= file.length; count += 1) {
    const name = file.toString("latin1", at, at + 4);
    const size = file.readUInt32LE(at + 4);
    const start = at + chunkHeadBytes;
    if (name === "fmt ") bytesPerSecond = rateOf(file.subarray(start, start + formatBytes));
    if (name === "data") {
      // What was recorded into a pipe does not know its size: the file's end is where it ends.
      const bytes = Math.min(size, file.length - start);
      return bytesPerSecond === undefined ? undefined : bytes / bytesPerSecond;
    }
    // Chunks begin at even places.
    at = start + size + (size % 2);
  }
  return undefined;
}

function rateOf(format: Buffer): number | undefined {
  if (format.length < formatBytes || !plainFormats.has(format.readUInt16LE(0))) return undefined;
  const channels = format.readUInt16LE(2);
  const samplesPerSecond = format.readUInt32LE(4);
  const bytesPerSecond = format.readUInt32LE(8);
  const bits = format.readUInt16LE(14);
  // The rate is what the price hangs on: it must follow from what a player goes by.
  const isSound = bytesPerSecond > 0 && bytesPerSecond === samplesPerSecond * channels * Math.ceil(bits / 8);
  return isSound ? bytesPerSecond : undefined;
}
