import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wrapAsIco } from "./wrap-as-ico.ts";

const pngStart = Buffer.from([0x89, 0x50, 0x4e, 0x47]);

/** The pictures of an icon by the entries of its head. */
function readPictures(icon: Buffer): { side: number; picture: Buffer }[] {
  expect([icon.readUInt16LE(0), icon.readUInt16LE(2)]).toEqual([0, 1]);
  return Array.from({ length: icon.readUInt16LE(4) }, (_, place) => {
    const entry = icon.subarray(6 + place * 16, 22 + place * 16);
    const start = entry.readUInt32LE(12);
    return {
      side: entry.readUInt8(0),
      picture: icon.subarray(start, start + entry.readUInt32LE(8)),
    };
  });
}

test("each picture is found where its entry says", () => {
  const pictures = [
    { side: 16, picture: Buffer.from("first") },
    { side: 48, picture: Buffer.from("second one") },
  ];
  expect(readPictures(wrapAsIco(pictures))).toEqual(pictures);
});

test("the console's icon has the sizes of tabs, task bars and bookmarks", () => {
  const icon = readFileSync(join(import.meta.dirname, "../console/public/favicon.ico"));
  const pictures = readPictures(icon);
  expect(pictures.map(({ side }) => side)).toEqual([16, 32, 48]);
  for (const { side, picture } of pictures) {
    expect(picture.subarray(0, 4)).toEqual(pngStart);
    expect(picture.readUInt32BE(16)).toBe(side);
  }
});
