/**
 * Reads multipart/form-data (RFC 7578) while it arrives, for files that are too large to hold. The
 * caller writes the parts anew with a boundary of its own, so that no second parser can read them
 * differently.
 */
import {
  headBytesMax,
  partsMax,
  readBoundary,
  readPartHead,
  refuseMalformed,
} from "./multipart.ts";

/** The head of a part, and then its bytes in pieces. */
export type FormEvent = { name: string; filename: string | undefined } | Buffer;

const lineEnd = "\r\n";
const headEnd = "\r\n\r\n";

/**
 * Throws `RelayRefused` at the first byte that is not multipart, and ends behind the last boundary.
 */
export async function* formEvents(
  contentType: string,
  source: AsyncIterable<Buffer>,
): AsyncGenerator<FormEvent> {
  const delimiter = Buffer.from(`${lineEnd}--${readBoundary(contentType)}`);
  const input = source[Symbol.asyncIterator]();
  // Only the first delimiter has no line end before it.
  let held: Buffer = Buffer.from(lineEnd);
  const readMore = async (): Promise<void> => {
    const { done, value } = await input.next();
    if (done) throw refuseMalformed("ends before its last boundary");
    held = held.length === 0 ? value : Buffer.concat([held, value]);
  };
  const readUpTo = async (length: number): Promise<void> => {
    while (held.length < length) await readMore();
  };

  await readUpTo(delimiter.length);
  if (!held.subarray(0, delimiter.length).equals(delimiter))
    throw refuseMalformed("does not begin with its boundary");
  held = held.subarray(delimiter.length);
  for (let count = 0; ; count += 1) {
    await readUpTo(lineEnd.length);
    const mark = held.toString("latin1", 0, lineEnd.length);
    if (mark === "--") return;
    if (mark !== lineEnd) throw refuseMalformed("has something behind a boundary");
    if (count === partsMax) throw refuseMalformed(`has more than ${partsMax} parts`);
    let end = held.indexOf(headEnd);
    while (end < 0 && held.length <= headBytesMax) {
      await readMore();
      end = held.indexOf(headEnd);
    }
    if (end < 0 || end > headBytesMax)
      throw refuseMalformed("has a part with a head that is too long");
    yield readPartHead(held.toString("latin1", lineEnd.length, end));
    held = held.subarray(end + headEnd.length);
    for (;;) {
      const at = held.indexOf(delimiter);
      // The last bytes may be the beginning of a delimiter.
      const whole = at < 0 ? held.length - delimiter.length + 1 : at;
      if (whole > 0) yield held.subarray(0, whole);
      if (at >= 0) {
        held = held.subarray(at + delimiter.length);
        break;
      }
      if (whole > 0) held = held.subarray(whole);
      await readMore();
    }
  }
}
