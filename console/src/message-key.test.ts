import { expect, test } from "vitest";
import { composeMessageKey } from "./message-key.ts";

test("a key is the 32-bit FNV-1a hash of the text", () => {
  // The published values of the empty text and of "foobar".
  expect(Number.parseInt(composeMessageKey(""), 36)).toBe(0x811c9dc5);
  expect(Number.parseInt(composeMessageKey("foobar"), 36)).toBe(0xbf9cf968);
  expect(composeMessageKey("{count} models")).not.toBe(composeMessageKey("{count} model"));
});
