/**
 * The container of Windows icons around PNG pictures, which all browsers of today read in it. Pure.
 */

const headBytes = 6;
const entryBytes = 16;

/** `side` is at most 255 pixels. */
export function wrapAsIco(pictures: readonly { side: number; picture: Buffer }[]): Buffer {
  const head = Buffer.alloc(headBytes);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(pictures.length, 4);
  let offset = headBytes + entryBytes * pictures.length;
  const entries = pictures.map(({ side, picture }) => {
    const entry = Buffer.alloc(entryBytes);
    entry.writeUInt8(side, 0);
    entry.writeUInt8(side, 1);
    entry.writeUInt16LE(1, 4);
    entry.writeUInt16LE(32, 6);
    entry.writeUInt32LE(picture.length, 8);
    entry.writeUInt32LE(offset, 12);
    offset += picture.length;
    return entry;
  });
  return Buffer.concat([head, ...entries, ...pictures.map(({ picture }) => picture)]);
}
