import { expect, test } from "vitest";
import { hashMailbox, mailCodeHash, makeLinkToken, makeMailCode } from "./mail-code-rules.ts";

test("codes have six digits, tokens 256 bits", () => {
  for (let made = 0; made < 200; made += 1) expect(makeMailCode()).toMatch(/^\d{6}$/);
  expect(makeLinkToken()).toMatch(/^[\w-]{43}$/);
});

test("a code is valid only for its purpose and its address", () => {
  const hash = mailCodeHash("verify", "mira@example.org", "123456");
  expect(mailCodeHash("verify", "mira@example.org", "123456")).toBe(hash);
  expect(mailCodeHash("reset", "mira@example.org", "123456")).not.toBe(hash);
  expect(mailCodeHash("verify", "noor@example.org", "123456")).not.toBe(hash);
});

test("spellings of one mailbox have one hash, different mailboxes do not", () => {
  const same = ["mira.b@gmail.com", "MiraB+x@Gmail.com", "m.i.r.a.b+y+z@googlemail.com"].map(
    hashMailbox,
  );
  expect(new Set(same).size).toBe(1);
  expect(hashMailbox("mira.b@example.org")).not.toBe(hashMailbox("mirab@example.org"));
  expect(hashMailbox("mira+1@example.org")).toBe(hashMailbox("mira@example.org"));
});
