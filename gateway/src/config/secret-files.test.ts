import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readGatewayAddress, readSettings } from "./config.ts";
import { readSecretFiles } from "./secret-files.ts";
import { secretVariables } from "./variable-groups.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-secret-files-"));
});
afterEach(() => rmSync(folder, { recursive: true }));
const put = (text: string): string => {
  const file = join(folder, "secret");
  writeFileSync(file, text);
  return file;
};

test.each(secretVariables)("%s may stand in a file, without its last line break", (name) => {
  const value = "a value & with $odd `characters`\r\nand a second line ";
  expect(readSecretFiles({ [`${name}_FILE`]: put(`${value}\n`) })[name]).toBe(value);
});

test("settings and commands read it", () => {
  const key = Buffer.alloc(32, 7);
  const settings = readSettings({ MASTER_KEY_FILE: put(`${key.toString("base64")}\n`) });
  expect(Buffer.from(settings.masterKeyGiven ?? [])).toEqual(key);
  expect(readGatewayAddress({ TOLLGATE_KEY_FILE: put("tgm-key\n") }).key).toBe("tgm-key");
});

test.each([
  [
    "a value besides",
    () => ({ MASTER_KEY_FILE: put("x"), MASTER_KEY: "y" }),
    "set MASTER_KEY or MASTER_KEY_FILE",
  ],
  ["no file", () => ({ MASTER_KEY_FILE: join(folder, "none") }), "cannot be read (ENOENT)"],
  ["a folder", () => ({ MASTER_KEY_FILE: folder }), "cannot be read (EISDIR)"],
  [
    "a large file",
    () => ({ MASTER_KEY_FILE: put("x".repeat(70_000)) }),
    "names a file of 70000 bytes",
  ],
  ["an invalid value", () => ({ MASTER_KEY_FILE: put("short") }), "MASTER_KEY must be 32 bytes"],
])("%s stops the start with the name of the variable", (_, environment, words) => {
  expect(() => readSettings(environment())).toThrow(words);
});

test("no other variable reads a file", () => {
  expect(readSecretFiles({ HOST_FILE: put("0.0.0.0") }).HOST).toBeUndefined();
});
