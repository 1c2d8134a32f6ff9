import { spawnSync } from "node:child_process";
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openLogLines } from "./log-lines.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (): { file: string; descriptor: number } => {
  const file = join(folder, "log");
  return { file, descriptor: openSync(file, "w") };
};

test("lines are written in their order, many at once and at the end", async () => {
  const { file, descriptor } = open();
  const lines = openLogLines(descriptor);
  const wanted = Array.from({ length: 500 }, (_, number) => `line ${number} of the lög\n`);
  for (const line of wanted.slice(0, 400)) lines.write(line);
  const written = () => readFileSync(file, "utf8");
  await vi.waitFor(() => expect(written()).toBe(wanted.slice(0, 400).join("")));
  for (const line of wanted.slice(400)) lines.write(line);
  lines.end();
  expect(written()).toBe(wanted.join(""));
  closeSync(descriptor);
});

/** A pipe whose reader reads nothing by itself; neither side ever waits. */
function openPipe(): { reader: number; writer: number } {
  const path = join(folder, "pipe");
  spawnSync("mkfifo", [path]);
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { reader, writer: openSync(path, constants.O_WRONLY | constants.O_NONBLOCK) };
}

test("a reader that is slow gets every line, also those that did not fit", async () => {
  const { reader, writer } = openPipe();
  const lines = openLogLines(writer);
  const wanted = "x".repeat(99).concat("\n").repeat(3_000);
  for (let at = 0; at < wanted.length; at += 100) lines.write(wanted.slice(at, at + 100));
  let read = "";
  const buffer = Buffer.alloc(10_000);
  await vi.waitFor(
    () => {
      read += buffer.toString("utf8", 0, readSync(reader, buffer));
      expect(read.length).toBe(wanted.length);
    },
    { timeout: 20_000, interval: 1 },
  );
  expect(read).toBe(wanted);
  closeSync(writer);
  closeSync(reader);
});

test("where the reader is gone or asleep, the end comes all the same", () => {
  const { reader, writer } = openPipe();
  const lines = openLogLines(writer);
  for (let count = 0; count < 2_000; count += 1) lines.write(`${"x".repeat(99)}\n`);
  // It reads nothing.
  lines.end();
  lines.write("more\n");
  closeSync(reader);
  lines.end();
  closeSync(writer);
});
