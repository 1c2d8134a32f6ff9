import fc from "fast-check";
import { expect, test } from "vitest";
import { formEvents } from "./multipart-stream.ts";
import { RelayRefused } from "./relay-refusal.ts";

const type = "multipart/form-data; boundary=edge";

async function* pieces(body: Buffer, sizes: readonly number[]): AsyncGenerator<Buffer> {
  let at = 0;
  for (let index = 0; at < body.length; index += 1) {
    const size = sizes[index % sizes.length] ?? 1;
    yield body.subarray(at, at + size);
    at += size;
  }
}

async function read(body: Buffer, sizes: readonly number[] = [64]) {
  const parts: { name: string; filename: string | undefined; bytes: Buffer }[] = [];
  for await (const event of formEvents(type, pieces(body, sizes))) {
    if (!Buffer.isBuffer(event)) parts.push({ ...event, bytes: Buffer.alloc(0) });
    else {
      const last = parts.at(-1);
      if (last) last.bytes = Buffer.concat([last.bytes, event]);
    }
  }
  return parts;
}

const written = (parts: readonly { name: string; bytes: Buffer }[]): Buffer =>
  Buffer.concat([
    ...parts.flatMap(({ name, bytes }) => [
      Buffer.from(`--edge\r\nContent-Disposition: form-data; name="${name}"; filename="f"\r\n\r\n`),
      bytes,
      Buffer.from("\r\n"),
    ]),
    Buffer.from("--edge--\r\n"),
  ]);

test("parts are read the same however the bytes are cut, also where contents look like half a boundary", async () => {
  const piece = fc.constantFrom(
    "a",
    "\r",
    "\n",
    "\r\n",
    "\r\n-",
    "\r\n--edg",
    "--edge",
    "\n--edge",
    "\0",
    "é",
  );
  const content = fc
    .array(piece, { maxLength: 40 })
    .map((drawn) => Buffer.from(drawn.join("")))
    .filter((bytes) => !bytes.includes("\r\n--edge"));
  const part = fc.record({ name: fc.constantFrom("file", "purpose", "x"), bytes: content });
  const sizes = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(part, { minLength: 1, maxLength: 4 }), sizes, async (parts, cuts) => {
      const found = await read(written(parts), cuts);
      expect(found.map(({ name, bytes }) => [name, bytes.toString("hex")])).toEqual(
        parts.map(({ name, bytes }) => [name, bytes.toString("hex")]),
      );
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["", "ends before its last boundary"],
  ["--other\r\n\r\n", "does not begin with its boundary"],
  ["--edge junk", "has something behind a boundary"],
  ["--edge\r\n\r\nno head\r\n--edge--", "has a part with a header that cannot be read"],
  [`--edge\r\nX-Long: ${"x".repeat(10_000)}`, "has a part with a head that is too long"],
  [
    '--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\nhalf',
    "ends before its last boundary",
  ],
  [
    `${'--edge\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(200)}--edge--`,
    "has more than 128 parts",
  ],
])("a body is refused: %#", async (body, why) => {
  await expect(read(Buffer.from(body))).rejects.toSatisfy(
    (error) => error instanceof RelayRefused && error.message.includes(why),
  );
});
