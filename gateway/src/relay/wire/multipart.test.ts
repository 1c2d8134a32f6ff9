import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addField,
  composeFormType,
  findField,
  findFile,
  isFormType,
  readForm,
} from "./multipart.ts";
import { RelayRefused } from "./relay-refusal.ts";

const boundary = "----edge7MA4";
const type = `multipart/form-data; boundary=${boundary}`;

interface SentForm {
  name: string;
  filename: string | undefined;
  content: Buffer;
}

/** Written after the standard, without the parser under test. */
function written(parts: readonly SentForm[], edge = boundary): Buffer {
  const pieces = parts.flatMap(({ name, filename, content }) => [
    Buffer.from(
      `--${edge}\r\nContent-Disposition: form-data; name="${name}"` +
        `${filename === undefined ? "" : `; filename="${filename}"\r\nContent-Type: audio/wav`}\r\n\r\n`,
    ),
    content,
    Buffer.from("\r\n"),
  ]);
  return Buffer.concat([...pieces, Buffer.from(`--${edge}--\r\n`)]);
}

const field = (name: string, text: string): SentForm => ({
  name,
  filename: undefined,
  content: Buffer.from(text),
});
const refusal = (body: Buffer | string, contentType = type): string => {
  try {
    readForm(contentType, Buffer.from(body));
  } catch (error) {
    if (error instanceof RelayRefused) return error.refusal.message;
    throw error;
  }
  return "";
};

const name = fc.stringMatching(/^[a-z_]{1,12}(\[\])?$/);
const filename = fc.option(fc.stringMatching(/^[ !#-[\]-~é]{1,20}$/), { nil: undefined });
const nearMisses = fc.constantFrom(
  "\r\n",
  "\n",
  "--",
  "\r\n--",
  `--${boundary}`,
  `\r\n-${boundary}`,
  "\r\n\r\n",
);
const content = fc
  .array(
    fc.oneof(
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
      nearMisses.map((text) => Buffer.from(text)),
    ),
  )
  .map((pieces) => Buffer.concat(pieces))
  .filter((bytes) => !new RegExp(`[\r\n]--${boundary}`).test(`\n${bytes.toString("latin1")}`));
const parts = fc.array(fc.record({ name, filename, content }), { maxLength: 8 });

describe("any form that its boundary keeps apart", () => {
  test("is read part by part", () => {
    fc.assert(
      fc.property(parts, (sent) => {
        const body = written(sent);
        const read = readForm(type, body).parts.map((part) => ({
          name: part.name,
          filename:
            part.filename === undefined
              ? undefined
              : Buffer.from(part.filename, "latin1").toString(),
          content: body.subarray(part.start, part.end),
        }));
        expect(read).toEqual(sent);
      }),
    );
  });

  test("keeps every other part, byte for byte, when one field is replaced or added", () => {
    fc.assert(
      fc.property(
        parts,
        fc.stringMatching(/^[\w./:-]{1,40}$/),
        fc.boolean(),
        (others, model, isThere) => {
          const rest = others.filter((part) => part.name.toLowerCase() !== "model");
          const sent = isThere ? [...rest, field("model", "old")] : rest;
          const form = readForm(type, written(sent));
          const changed = readForm(composeFormType(form), addField(form, "model", model));
          expect(findField(changed, "model")).toBe(model);
          const kept = changed.parts.filter((part) => part.name !== "model");
          expect(kept.map(({ start, end }) => changed.body.subarray(start, end))).toEqual(
            rest.map((one) => one.content),
          );
        },
      ),
    );
  });
});

test("any input is read or refused, and nothing else is thrown", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "--",
      boundary,
      `--${boundary}`,
      "\r\n",
      "\n",
      "\r",
      ": ",
      "Content-Disposition: form-data",
      '; name="',
      '"',
      "\\",
    ),
    fc.string({ maxLength: 10 }),
  );
  const garbage = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(
      garbage,
      fc.oneof(fc.constant(type), fc.string()),
      fc.boolean(),
      (text, contentType, isFramed) => {
        refusal(isFramed ? `--${boundary}\r\n${text}\r\n--${boundary}--` : text, contentType);
      },
    ),
  );
});

test("a form that other software writes is read: undici's", async () => {
  const form = new FormData();
  form.append("model", "whisper-1");
  form.append("file", new Blob([new Uint8Array([0, 13, 10, 45, 45, 255])]), 'a "quoted" näme.wav');
  const response = new Response(form);
  const read = readForm(
    response.headers.get("content-type") ?? "",
    Buffer.from(await response.arrayBuffer()),
  );
  expect(findField(read, "model")).toBe("whisper-1");
  expect(findFile(read, "file")).toEqual(Buffer.from([0, 13, 10, 45, 45, 255]));
});

test.each([
  ["multipart/form-data; boundary=x", true],
  ["Multipart/Form-Data;boundary=x", true],
  ["multipart/form-data", true],
  ["multipart/form-data-ish; boundary=x", false],
  ["application/json", false],
])("%s is a form: %s", (contentType, isForm) => {
  expect(isFormType(contentType)).toBe(isForm);
});

test.each([
  "multipart/form-data",
  "multipart/form-data; boundary=",
  "multipart/form-data; boundary=a; boundary=b",
  'multipart/form-data; boundary="a\\"b"',
  `multipart/form-data; boundary=${"x".repeat(71)}`,
])("%s names no boundary", (contentType) => {
  expect(refusal(written([]), contentType)).toContain("has no boundary");
});

test("a quoted boundary is passed on in quotes", () => {
  const form = readForm(
    'multipart/form-data; boundary="a b"',
    written([field("model", "m")], "a b"),
  );
  expect([composeFormType(form), findField(form, "model")]).toEqual([
    'multipart/form-data; boundary="a b"',
    "m",
  ]);
});

const head = 'Content-Disposition: form-data; name="model"';
const framed = (...lines: string[]): string =>
  `--${boundary}\r\n${lines.join("\r\n")}\r\n--${boundary}--\r\n`;

describe("a form that two readers could read differently is refused", () => {
  test.each([
    ["text before the first boundary", `hello\r\n${framed(head, "", "m")}`, "does not begin"],
    ["text behind the last boundary", `${framed(head, "", "m")}more`, "behind its end"],
    ["no last boundary", framed(head, "", "m").replace(/--\r\n$/, ""), "behind a boundary"],
    ["no end at all", `--${boundary}\r\n${head}\r\n\r\nm`, "ends before"],
    [
      "a boundary with a tail",
      framed(head, "", "m").replace(`\r\n--${boundary}--`, `\r\n--${boundary}x--`),
      "behind a boundary",
    ],
    [
      "a boundary behind a line feed",
      framed(head, "", `m\n--${boundary}`),
      "line end that is none",
    ],
    [
      "a boundary behind a carriage return",
      framed(head, "", `m\r--${boundary}`),
      "line end that is none",
    ],
    [
      "lines that end with line feeds",
      framed(head, "", "m").replaceAll("\r\n", "\n"),
      "behind a boundary",
    ],
    ["a head that ends with the part", framed(head), "without a head"],
    ["a part without a head", framed("", "", "m"), "cannot be read"],
    [
      "a header that goes on",
      framed("Content-Disposition: form-data;", ' name="model"', "", "m"),
      "cannot be read",
    ],
    ["a line feed inside a header", framed(`${head}\nX: y`, "", "m"), "cannot be read"],
    ["two dispositions", framed(head, head, "", "m"), "two content-disposition"],
    ["two names", framed(`${head}; name="n"`, "", "m"), "name cannot be read"],
    [
      "a name with an escape",
      framed('Content-Disposition: form-data; name="mo\\del"', "", "m"),
      "name cannot be read",
    ],
    ["an extended name", framed(`${head}; name*=utf-8''n`, "", "m"), "name cannot be read"],
    ["no name", framed("Content-Disposition: form-data", "", "m"), "name cannot be read"],
    [
      "an attachment",
      framed('Content-Disposition: attachment; name="model"', "", "m"),
      "name cannot be read",
    ],
    ["base64", framed(head, "Content-Transfer-Encoding: base64", "", "bQ=="), "transfer encoding"],
    ["a head without end", framed(`${head}; filename="${"x".repeat(5_000)}"`, "", "m"), "too long"],
    [
      "too many parts",
      written(Array.from({ length: 129 }, () => field("a", "b"))).toString(),
      "more than 128 parts",
    ],
  ])("%s", (_, body, why) => {
    expect(refusal(body)).toContain(why);
  });

  test.each([
    ["two models", [field("model", "a"), field("model", "b")], "has model twice"],
    ["a model in capitals", [field("Model", "a")], "must be written model"],
    [
      "a model beside one in capitals",
      [field("model", "a"), field("MODEL", "b")],
      "must be written model",
    ],
    ["a file as the model", [{ ...field("model", "a"), filename: "a.txt" }], "has a file as model"],
    [
      "a model that is no text",
      [{ ...field("model", ""), content: Buffer.from([0xff]) }],
      "not UTF-8",
    ],
    ["a model without end", [field("model", "m".repeat(300_000))], "too long"],
  ])("%s", (_, sent, why) => {
    expect(() => findField(readForm(type, written(sent)), "model")).toThrow(why);
  });
});
