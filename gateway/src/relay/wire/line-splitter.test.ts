import fc from "fast-check";
import { expect, test } from "vitest";
import { LineSplitter, LineTooLong } from "./line-splitter.ts";

test("lines are the same however the bytes are cut", () => {
  const line = fc
    .string({ unit: "grapheme", maxLength: 20 })
    .map((text) => `x${text.replaceAll(/[\r\n]/g, "")}`);
  fc.assert(
    fc.property(
      fc.array(line),
      fc.integer({ min: 1, max: 30 }),
      fc.boolean(),
      (lines, size, endsWithLine) => {
        const bytes = Buffer.from(lines.join("\n") + (endsWithLine ? "\n" : ""));
        const splitter = new LineSplitter(1_000);
        const found: Buffer[] = [];
        for (let at = 0; at < bytes.length; at += size)
          found.push(...splitter.push(bytes.subarray(at, at + size)));
        found.push(...splitter.end());
        expect(found.map(String)).toEqual(lines);
      },
    ),
  );
});

test("empty lines are none, and a line above the bound is refused before it is held", () => {
  const splitter = new LineSplitter(10);
  expect(splitter.push(Buffer.from("\n \r\n\na\n")).map(String)).toEqual(["a"]);
  expect(splitter.push(Buffer.from("0123456789"))).toEqual([]);
  expect(() => splitter.push(Buffer.from("x"))).toThrow(LineTooLong);
});
