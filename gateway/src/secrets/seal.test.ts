import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createSealer, SealError } from "./seal.ts";

const key = randomBytes(32);
const seal = createSealer(key);

test("a sealed text opens again, and sealing twice gives different values", () => {
  const one = seal.seal("token-key", "tokens/key_sealed/a", "secret é");
  expect(one).not.toContain("secret");
  expect(one).not.toBe(seal.seal("token-key", "tokens/key_sealed/a", "secret é"));
  expect(createSealer(key).open("token-key", "tokens/key_sealed/a", one)).toBe("secret é");
  const nothing = seal.seal("channel-key", "channels/key_sealed/a", "");
  expect(seal.open("channel-key", "channels/key_sealed/a", nothing)).toBe("");
});

test("a sealed text opens for no other row, purpose or master key, nor after a change", {
  tags: ["F-30"],
}, () => {
  const sealed = seal.seal("token-key", "tokens/key_sealed/a", "secret");
  const last = sealed.at(-2) === "A" ? "B" : "A";
  const changed = sealed.slice(0, -2) + last + sealed.at(-1);
  expect(() => seal.open("token-key", "tokens/key_sealed/b", sealed)).toThrow(SealError);
  expect(() => seal.open("channel-key", "channels/key_sealed/a", sealed)).toThrow(SealError);
  expect(() =>
    createSealer(randomBytes(32)).open("token-key", "tokens/key_sealed/a", sealed),
  ).toThrow(SealError);
  expect(() => seal.open("token-key", "tokens/key_sealed/a", changed)).toThrow(SealError);
  expect(() => seal.open("token-key", "tokens/key_sealed/a", "v1.x")).toThrow(SealError);
});

test("a sealer recognises its own values without opening them", () => {
  const sealed = seal.seal("token-key", "tokens/key_sealed/a", "secret");
  expect(createSealer(key).isOurs(sealed)).toBe(true);
  expect(createSealer(randomBytes(32)).isOurs(sealed)).toBe(false);
  expect([seal.isOurs(""), seal.isOurs("v1.x")]).toEqual([false, false]);
});
