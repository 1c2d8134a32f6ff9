import { expect, test } from "vitest";
import type { ScriptedBehaviour } from "./scripted-behaviour.ts";
import type { SimulatedEvent } from "./wire-format.ts";
import { applyWireQuirk } from "./wire-quirks.ts";

const events: SimulatedEvent[] = [
  { kind: "frame", text: "data: open\n\n" },
  { kind: "content", text: "data: one\n\n" },
  { kind: "content", text: "data: two\n\n" },
  { kind: "content", text: "data: three\n\n" },
  { kind: "done", text: "data: [DONE]\n\n" },
];

const written = (behaviour: ScriptedBehaviour) =>
  [...applyWireQuirk(events, behaviour)].map(({ text }) => text).join("");
const plain = "data: open\n\ndata: one\n\ndata: two\n\ndata: three\n\ndata: [DONE]\n\n";

test.each<[ScriptedBehaviour, string]>([
  [{}, plain],
  [{ wire: "crlf" }, plain.replaceAll("\n", "\r\n")],
  [{ wire: "cr" }, plain.replaceAll("\n", "\r")],
  [{ wire: "no-space" }, plain.replaceAll("data: ", "data:")],
  [{ wire: "bom" }, `\uFEFF${plain}`],
  [{ wire: "comments" }, plain.replaceAll("data: ", ": keep-alive\n\ndata: ")],
  [{ wire: "nul" }, plain.replace("data: three", "data: \0\n\ndata: three")],
  [{ wire: "no-blank" }, plain.trimEnd()],
  [{ wire: "no-done" }, plain.replace("data: [DONE]\n\n", "")],
  [{ wire: "double-done" }, `${plain}data: [DONE]\n\n`],
])("%j changes the encoding as named", (behaviour, text) => {
  expect(written(behaviour)).toBe(text);
});

test("the malformed event comes between valid events", () => {
  const [before, after] = written({ malformed: true }).split(
    'data: {"id":"chatcmpl-damaged","choices":[{"delta":\n\n',
  );
  expect([before, after]).toEqual([
    "data: open\n\ndata: one\n\ndata: two\n\n",
    "data: three\n\ndata: [DONE]\n\n",
  ]);
});

test("the huge line is longer than ten million bytes, and valid events follow it", () => {
  const lines = written({ wire: "huge-line" }).split("\n\n");
  expect(lines.map((line) => line.length > 10_000_000)).toEqual([
    false,
    false,
    false,
    true,
    false,
    false,
    false,
  ]);
  expect(lines[4]).toBe("data: three");
});
